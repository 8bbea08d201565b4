//! Properties for any bytes from outside: each target panics if one is violated. The fuzzers in `fuzz/` call them, and
//! `corpus.rs` replays the files of `tests/corpus/<target>/`.

use bytes::{Bytes, BytesMut};
use direct::DirectAddress;
use direct::address::parse_mailboxes;
use direct::cert::Certificate;
use direct::inner::{Command, DataDecoder, check_signatures, smtp_command as parse_command};
use direct::mime::{Attachment, MessageHeaders, MessageKind, MimeLimits, ParsedMessage, parse};
use direct::notice::{Notice, asked_notices, read_notice};
use direct::smime::open;
use direct::trust::{BundleSignature, Crl, parse_bundle};

/// A whole message: nothing panics, and the result stays within the limits.
pub fn mime(data: &[u8]) {
    let limits = MimeLimits { size: 1 << 20, parts: 40, depth: 6, header: 16 << 10, header_lines: 200 };
    let Ok(message) = parse(data, &limits) else { return };
    assert!(data.len() <= limits.size);
    assert!(message.attachments.len() <= limits.parts + 2, "more attachments than parts");
    assert!(!message.headers.all.is_empty());
    let read: usize = message.attachments.iter().map(|a| a.content.len()).sum();
    // rich text is the only thing that is packed
    let packed = message.attachments.iter().any(|a| a.content_type == "application/rtf");
    assert!(packed || read <= data.len() * 5, "{} bytes became {read}", data.len());
    assert!(message.repairs.len() <= limits.parts + 3);
    asked_notices(&message);
    read_notice(&message);
}

/// The machine-readable part of a notice; the first byte chooses its kind.
pub fn mdn(data: &[u8]) {
    let Some((kind, report)) = data.split_first() else { return };
    let (kind, content_type) = match kind % 2 {
        0 => (MessageKind::DispositionNotification, "message/disposition-notification"),
        _ => (MessageKind::DeliveryStatus, "message/delivery-status"),
    };
    let part = Attachment {
        file_name: None,
        content_type: content_type.into(),
        content_id: None,
        content: Bytes::copy_from_slice(report),
    };
    let message = ParsedMessage {
        headers: MessageHeaders::default(),
        text: String::new(),
        html: None,
        attachments: vec![part],
        repairs: vec![],
        kind,
    };
    assert!(!asked_notices(&message).processed, "a notice is never answered");
    match read_notice(&message) {
        Some(Notice::Mdn(mdn)) => {
            assert!(mdn.original_message_id.is_none_or(|id| !id.contains(['\r', '\n'])))
        }
        Some(Notice::Dsn(dsn)) => assert!(dsn.recipients.iter().all(|r| !r.status.contains(['\r', '\n']))),
        None => {}
    }
}

/// A list of addresses as people and headers write it.
pub fn addresses(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for mailbox in parse_mailboxes(&text).into_iter().flatten() {
        let address = mailbox.address;
        assert_eq!(DirectAddress::parse(address.as_str()).as_ref(), Ok(&address));
        assert_eq!(format!("{}@{}", address.local(), address.domain()), address.as_str());
        assert!(address.mailbox().same_mailbox(&address));
        assert!(!address.dns_name().contains(['@', ' ', '\r', '\n']));
    }
}

/// One line of an SMTP client. A parsed command contains nothing that could become a second line.
pub fn smtp_command(data: &[u8]) {
    let texts = match parse_command(data) {
        Ok(Command::Ehlo(name) | Command::Helo(name)) => vec![name],
        Ok(Command::Mail { from, .. }) => from.into_iter().collect(),
        Ok(Command::Rcpt(path)) => vec![path],
        Ok(_) => vec![],
        Err(bad) => return assert!(bad.reply().starts_with('5')),
    };
    for text in texts {
        assert!(!text.is_empty() && text.len() <= 320, "{text:?}");
        assert!(text.bytes().all(|b| b.is_ascii_graphic()), "{text:?}");
    }
}

/// The DATA stream: the same however its bytes arrive, and ended by CRLF . CRLF alone.
pub fn smtp_data(data: &[u8]) {
    let decode = |step: usize| {
        let (mut decoder, mut out, mut done) = (DataDecoder::default(), BytesMut::new(), 0);
        for chunk in data.chunks(step) {
            if let Some(end) = decoder.decode(chunk, &mut out) {
                return (out, Some(done + end), decoder.is_malformed());
            }
            done += chunk.len();
        }
        (out, None, decoder.is_malformed())
    };
    let whole = decode(data.len().max(1));
    for step in [1, 2, 3, 7] {
        assert_eq!(decode(step), whole, "in pieces of {step}");
    }
    let (out, end, _) = whole;
    let read = &data[..end.unwrap_or(data.len())];
    assert!(out.len() <= read.len());
    match end {
        Some(_) => assert!(read == b".\r\n" || read.ends_with(b"\r\n.\r\n")),
        None => assert!(!data.windows(5).any(|w| w == b"\r\n.\r\n") && !data.starts_with(b".\r\n")),
    }
}

/// Everything in ASN.1: encrypted mail, signatures, certificates, revocation lists, bundles. The bytes are taken as each.
pub fn cms(data: &[u8]) {
    let head = b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\n";
    assert!(open(&[head, data].concat(), &[]).is_err(), "without a key nothing opens");
    let _ = check_signatures(&Bytes::from([head, data].concat()));
    if let Ok(bundle) = parse_bundle(data, &BundleSignature::Unsigned) {
        assert!(!bundle.anchors.is_empty());
    }
    let certificate = Certificate::from_der(data).ok();
    if let Some(certificate) = &certificate {
        certificate.purposes();
        certificate.bound_names();
        certificate.crl_urls();
        certificate.issuer_urls();
        assert_eq!(Certificate::from_der(&certificate.to_der()).as_ref().ok(), Some(certificate));
    }
    if let Ok(crl) = Crl::from_bytes(data) {
        crl.next_update();
    }
}
