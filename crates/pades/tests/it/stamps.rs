use crate::support::{FACES, certificate, identity, paper, signing, validity};
use chrono::{DateTime, Duration, Utc};
use openssl::{
    cms::{CMSOptions, CmsContentInfo},
    x509::X509,
};
use pades::{Problem, timestamp::Request};
use std::{path::Path, process::Command, time::SystemTime};

/// The time of `openssl ts`, which has no other clock.
#[expect(clippy::disallowed_methods, reason = "another program tells the time")]
fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}

/// A time stamping authority: `openssl ts`.
fn answer(folder: &Path, request: &[u8]) -> Vec<u8> {
    let (root, authority) = certificate("Time Root", None, &[]);
    let (key, own) = certificate("Time Stamps", Some((&root, &authority)), &["timeStamping"]);
    let file = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    file("key.pem", &key.private_key_to_pem_pkcs8().unwrap());
    file("own.pem", &own.to_pem().unwrap());
    file("query", request);
    file("serial", b"01");
    file(
        "ts.cnf",
        b"[tsa]\ndefault_tsa = one\n[one]\nserial = serial\ncrypto_device = builtin\nsigner_cert = own.pem\n\
          signer_key = key.pem\nsigner_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\naccuracy = secs:1\n\
          ess_cert_id_chain = no\nclock_precision_digits = 3\nordering = yes\ntsa_name = yes\n",
    );
    let arguments =
        ["ts", "-reply", "-config", "ts.cnf", "-section", "one", "-queryfile", "query", "-out", "answer"];
    let done = Command::new("openssl").current_dir(folder).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(folder.join("answer")).unwrap()
}

#[test]
fn a_signature_gets_a_timestamp() {
    let folder = tempfile::tempdir().unwrap();
    let pdf = pades::sign(&paper(""), &signing("one", "Dana Reyes"), &FACES, &identity(), |imprint| {
        let request = Request::new(imprint.try_into().unwrap())?;
        request.read(&answer(folder.path(), &request.to_der()?), now()).map(Some)
    });
    let pdf = pdf.unwrap();
    assert_eq!(validity(&pdf), (1, 1));
    let hole = pdf.windows(10).position(|window| window == b"/Contents<").unwrap() + 10;
    let hex = String::from_utf8_lossy(&pdf[hole..hole + 20_000]).into_owned();
    // id-smime-aa-timeStampToken.
    assert!(hex.contains("060b2a864886f70d010910020e"));
}

#[test]
fn answers_about_something_else_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let now = now();
    let request = Request::new([7; 32]).unwrap();
    let right = answer(folder.path(), &request.to_der().unwrap());
    assert!(request.read(&right, now).is_ok());
    let again = Request::new([7; 32]).unwrap();
    assert_eq!(again.read(&right, now), Err(Problem::Timestamp), "another nonce");
    let mut changed = right.clone();
    let end = changed.len() - 5;
    changed[end] ^= 1;
    assert_eq!(request.read(&changed, now), Err(Problem::Timestamp), "a wrong signature");
    // PKIStatus rejection.
    assert_eq!(request.read(&[0x30, 5, 0x30, 3, 2, 1, 2], now), Err(Problem::Timestamp));
    assert_eq!(request.read(b"<html>", now), Err(Problem::Timestamp));
}

#[test]
fn timestamps_of_another_time_or_by_anybody_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (now, request) = (now(), Request::new([7; 32]).unwrap());
    let right = answer(folder.path(), &request.to_der().unwrap());
    for (minutes, expected) in [(-6, false), (-4, true), (4, true), (6, false)] {
        assert_eq!(request.read(&right, now + Duration::minutes(minutes)).is_ok(), expected, "{minutes}");
    }
    // The same content, signed with other certificates and of other types.
    let token = request.read(&right, now).unwrap();
    let mut info = CmsContentInfo::from_der(&token).unwrap();
    let mut content = Vec::new();
    let flags = CMSOptions::NO_SIGNER_CERT_VERIFY | CMSOptions::BINARY;
    let store = openssl::x509::store::X509StoreBuilder::new().unwrap().build();
    info.verify(None, Some(&store), None, Some(&mut content), flags).unwrap();
    for (purposes, kind, expected) in [
        (&["timeStamping"][..], "1.2.840.113549.1.9.16.1.4", true),
        (&["timeStamping"], "1.2.840.113549.1.7.1", false),
        (&["timeStamping", "emailProtection"], "1.2.840.113549.1.9.16.1.4", false),
        (&["emailProtection"], "1.2.840.113549.1.9.16.1.4", false),
        (&[], "1.2.840.113549.1.9.16.1.4", false),
    ] {
        let made = resigned(folder.path(), &content, purposes, kind);
        let mut answer = vec![0x30, 0x82, 0, 0, 0x30, 3, 2, 1, 0];
        answer.extend(made);
        let size = u16::try_from(answer.len() - 4).unwrap().to_be_bytes();
        answer[2..4].copy_from_slice(&size);
        assert_eq!(request.read(&answer, now).is_ok(), expected, "{purposes:?} {kind}");
    }
}

/// Content signed by a stranger.
fn resigned(folder: &Path, content: &[u8], purposes: &[&str], kind: &str) -> Vec<u8> {
    let (key, own): (_, X509) = certificate("Anybody", None, purposes);
    std::fs::write(folder.join("other.key"), key.private_key_to_pem_pkcs8().unwrap()).unwrap();
    std::fs::write(folder.join("other.pem"), own.to_pem().unwrap()).unwrap();
    std::fs::write(folder.join("content"), content).unwrap();
    let arguments = [
        "cms",
        "-sign",
        "-binary",
        "-nodetach",
        "-outform",
        "DER",
        "-in",
        "content",
        "-out",
        "made",
        "-signer",
        "other.pem",
        "-inkey",
        "other.key",
        "-econtent_type",
        kind,
    ];
    let done = Command::new("openssl").current_dir(folder).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(folder.join("made")).unwrap()
}
