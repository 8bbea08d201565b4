//! Messages and certificates of the Direct reference implementation. They are not part of the project:
//! `CAREPOST_TEST_DATA` is the folder that contains them.
//! `CAREPOST_TEST_DATA` names the folder that holds them.

use std::path::PathBuf;
use std::slice::from_ref;

use direct::cert::{Certificate, Identity, PrivateKey};
use direct::mime::{MessageKind, MimeLimits, ParsedMessage, parse};
use direct::notice::{Disposition, DsnAction, Notice, read_notice};
use direct::smime::{Digest, OpenError, SignatureVerdict, open};

use crate::support::addr;

/// The folder `direct` of the test data; none, with a note, if it is not set.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("CAREPOST_TEST_DATA").map(|f| PathBuf::from(f).join("direct"));
    if folder.is_none() {
        eprintln!("skipped: CAREPOST_TEST_DATA is not set");
    }
    folder
}

fn file(folder: &std::path::Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn identity(folder: &std::path::Path, name: &str) -> Identity {
    let certificate = Certificate::from_der(&file(folder, &format!("certs/{name}.der"))).unwrap();
    let key = PrivateKey::from_der(&file(folder, &format!("certs/{name}Key.der"))).unwrap();
    Identity::new(certificate, key, vec![]).unwrap()
}

#[test]
fn messages_of_the_reference_implementation_are_opened_and_their_signatures_verified() {
    let Some(folder) = data() else { return };
    let ryan = identity(&folder, "ryan");
    for name in ["EncAttachment.txt", "EncryptedMessage2.txt"] {
        let opened = open(&file(&folder, &format!("messages/{name}")), from_ref(&ryan)).unwrap();
        assert_eq!(opened.signers.len(), 1, "{name}");
        assert_eq!(opened.signers[0].verdict, SignatureVerdict::Valid(Digest::Sha256), "{name}");
        let parsed = parse(&opened.message, &MimeLimits::default()).unwrap();
        assert_eq!(parsed.headers.from.unwrap().address, addr("gm2552@securehealthemail.com"));
    }
}

#[test]
fn messages_encrypted_with_triple_des_are_refused() {
    let Some(folder) = data() else { return };
    let raw = file(&folder, "messages/EncryptedMessage.txt");
    assert_eq!(open(&raw, &[]).unwrap_err(), OpenError::WeakCipher("DES-EDE3-CBC".into()));
}

fn read(name: &str) -> Option<ParsedMessage> {
    let folder = data()?;
    Some(parse(&file(&folder, &format!("messages/{name}")), &MimeLimits::default()).unwrap())
}

#[test]
fn disposition_notices_are_read_even_when_their_part_forgets_its_empty_line() {
    for (name, recipient, id) in [
        (
            "MDNMessage.txt",
            Some("externUser1@starugh-stateline.com"),
            "9501051053.aa04167@IETF.CNR I.Reston.VA.US",
        ),
        ("MDNResponse.txt", None, ""),
    ] {
        let Some(message) = read(name) else { return };
        let Some(Notice::Mdn(report)) = read_notice(&message) else { panic!("{name} is no notice") };
        assert_eq!(report.disposition, Disposition::Processed, "{name}");
        if let Some(recipient) = recipient {
            assert_eq!(report.final_recipient, Some(addr(recipient)));
            assert_eq!(report.original_message_id.as_deref(), Some(id));
        }
    }
}

#[test]
fn delivery_reports_are_read_with_their_private_field_for_the_original_id() {
    let Some(message) = read("DSNMessage.txt") else { return };
    let Some(Notice::Dsn(report)) = read_notice(&message) else { panic!("no notice") };
    assert_eq!(report.original_message_id.as_deref(), Some("9501051053.aa04167@IETF.CNR I.Reston.VA.US"));
    assert_eq!(report.recipients[0].recipient, addr("Carol@Ivory.EDU"));
    assert_eq!(report.recipients[0].action, DsnAction::Failed);
}

#[test]
fn plain_messages_are_read_with_their_attachments() {
    for (name, attachments) in
        [("raw1.txt", 1), ("MessageWithAttachment.txt", 1), ("LargeMsgWithAttachments.txt", 2)]
    {
        let Some(message) = read(name) else { return };
        assert_eq!(message.kind, MessageKind::Message, "{name}");
        assert!(message.attachments.len() >= attachments, "{name}: {}", message.attachments.len());
        assert!(message.attachments.iter().all(|a| !a.content.is_empty()), "{name}");
        assert!(message.headers.from.is_some(), "{name}");
    }
}

#[test]
fn certificates_of_the_reference_implementation_are_read() {
    let Some(folder) = data() else { return };
    let mut read = 0;
    for entry in std::fs::read_dir(folder.join("certs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".der") && !name.to_ascii_lowercase().contains("key") {
            let certificate = Certificate::from_der(&file(&folder, &format!("certs/{name}"))).unwrap();
            assert!(!certificate.subject().is_empty(), "{name}");
            read += 1;
        }
    }
    assert!(read >= 10, "{read} certificates");
}
