//! Planning a send, and the message that is sent.

use std::sync::Arc;

use async_trait::async_trait;
use direct::DirectAddress;
use direct::cert::Identity;
use direct::discovery::{CertificateSource, Discovery, FoundCertificates, NoCertificate, SourceError};
use direct::mime::{Attachment, MimeError, MimeLimits, new_message_id, parse};
use direct::send::{Recipients, SendPlan, plan};
use uuid::Uuid;

use crate::support::*;

/// Certificates per domain; `broken.example` cannot be queried.
#[derive(Debug)]
struct Domains(Vec<(&'static str, Identity)>);

#[async_trait]
impl CertificateSource for Domains {
    fn name(&self) -> &str {
        "invented"
    }
    async fn by_address(&self, _address: &DirectAddress) -> FoundCertificates {
        Ok(vec![])
    }
    async fn by_domain(&self, domain: &str) -> FoundCertificates {
        if domain == "broken.example" {
            return Err(SourceError { source_name: "invented".into(), reason: "no answer".into() });
        }
        Ok(self.0.iter().filter(|(d, _)| *d == domain).map(|(_, i)| i.certificate().to_der()).collect())
    }
}

async fn planned(to: &[&str], cc: &[&str], bcc: &[&str]) -> SendPlan {
    let (ca, web) = (authority("CA"), Arc::new(Web::default()));
    let domains = Domains(vec![
        ("south.example", for_domain(&ca, "south.example")),
        ("west.example", for_domain(&ca, "west.example")),
        ("untrusted.example", for_domain(&authority("Other"), "untrusted.example")),
    ]);
    let list = |texts: &[&str]| texts.iter().map(|t| addr(t)).collect();
    let recipients = Recipients { to: list(to), cc: list(cc), bcc: list(bcc) };
    let discovery = Discovery::new(vec![Arc::new(domains)]);
    plan(&recipients, &discovery, &anchors(&[&ca]), &engine(&web), now()).await
}

fn names(plan: &SendPlan, index: usize) -> Vec<String> {
    plan.transmissions[index].recipients.iter().map(|r| r.recipient.to_string()).collect()
}

#[tokio::test]
async fn to_and_cc_go_in_one_transmission_and_each_bcc_in_its_own() {
    let plan = planned(
        &["a@south.example", "b@west.example"],
        &["c@south.example", "A@south.example"],
        &["d@south.example", "e@west.example", "b@west.example"],
    )
    .await;
    assert_eq!(names(&plan, 0), ["a@south.example", "b@west.example", "c@south.example"]);
    assert_eq!(
        (names(&plan, 1), names(&plan, 2)),
        (vec!["d@south.example".into()], vec!["e@west.example".into()])
    );
    assert_eq!(plan.transmissions.len(), 3, "who stands in To is not sent a blind copy");
    let blind: Vec<_> = plan.transmissions.iter().map(|t| t.blind).collect();
    assert_eq!(blind, [false, true, true]);
}

#[tokio::test]
async fn a_transmission_is_encrypted_to_each_certificate_once_and_routed_by_domain() {
    let plan = planned(&["a@south.example", "b@west.example", "c@south.example"], &[], &[]).await;
    assert_eq!(plan.transmissions[0].certificates().len(), 2);
    let routes: Vec<_> = plan.transmissions[0].by_domain().into_iter().map(|(d, r)| (d, r.len())).collect();
    assert_eq!(routes, [("south.example".to_owned(), 2), ("west.example".to_owned(), 1)]);
}

#[tokio::test]
async fn recipients_without_a_trusted_certificate_are_removed_with_a_reason_and_the_rest_is_sent() {
    let plan = planned(&["a@south.example", "x@unknown.example"], &["y@untrusted.example"], &[]).await;
    assert_eq!(names(&plan, 0), ["a@south.example"]);
    let words: Vec<_> = plan.removed.iter().map(|(_, reason)| reason.to_string()).collect();
    let expected = [
        "No certificate was found for x@unknown.example.",
        "A certificate was found for y@untrusted.example, but it does not lead to a trusted anchor.",
    ];
    assert_eq!(words, expected);
}

#[tokio::test]
async fn when_nobody_can_be_reached_nothing_is_sent() {
    let plan = planned(&["x@unknown.example"], &[], &["y@untrusted.example"]).await;
    assert!(plan.transmissions.is_empty());
    assert_eq!(plan.removed.len(), 2);
}

#[tokio::test]
async fn a_recipient_who_cannot_be_looked_up_now_is_postponed_and_not_removed() {
    let plan = planned(&["a@south.example", "x@broken.example"], &[], &[]).await;
    assert_eq!(plan.removed.len(), 0);
    assert!(matches!(&plan.postponed[..], [(_, NoCertificate::Unavailable { .. })]));
}

#[test]
fn a_message_id_is_unique_and_ends_with_the_senders_domain() {
    let ada = addr("ada@north.example");
    let one = new_message_id(Uuid::from_u128(1), &ada);
    assert_eq!(one, "00000000000000000000000000000001@north.example");
    assert_ne!(one, new_message_id(Uuid::from_u128(2), &ada));
}

#[test]
fn a_blind_copy_names_its_reader_and_has_an_id_of_its_own() {
    let letter = message("ada@north.example", &["bob@south.example"]);
    let copy = letter.blind_copy_for(addr("carol@west.example").into(), "m2@north.example".into());
    let parsed = parse(&copy.build().unwrap(), &MimeLimits::default()).unwrap();
    assert_eq!(parsed.headers.cc, [addr("carol@west.example").into()]);
    assert_eq!(parsed.headers.message_id.as_deref(), Some("m2@north.example"));
    assert!(!String::from_utf8(letter.build().unwrap()).unwrap().contains("carol"));
}

#[test]
fn a_message_is_read_back_as_it_was_written() {
    let mut letter = message("ada@north.example", &["bob@south.example"]);
    letter.from.name = Some("Dr. Ada Müller, MD".into());
    letter.cc.push(addr("carol@west.example").into());
    letter.html = Some("<p>Grüße</p>".into());
    letter.in_reply_to = Some("q1@south.example".into());
    letter.references = vec!["q0@south.example".into(), "q1@south.example".into()];
    letter.attachments.push(Attachment {
        file_name: Some(
            "Sehr langer Name mit Umlauten äöü und \"Zeichen\"; der über die Zeile hinausgeht.pdf".into(),
        ),
        content_type: "application/pdf".into(),
        content_id: None,
        content: (0..=255u8).cycle().take(10_000).collect::<Vec<_>>().into(),
    });
    let raw = letter.build().unwrap();
    assert!(raw.is_ascii() && raw.split(|b| *b == b'\n').all(|l| l.len() <= 998));
    let parsed = parse(&raw, &MimeLimits::default()).unwrap();
    assert_eq!(parsed.headers.from, Some(letter.from));
    assert_eq!((parsed.headers.to, parsed.headers.cc), (letter.to, letter.cc));
    assert_eq!(
        (parsed.headers.subject, parsed.text, parsed.html),
        (letter.subject, letter.text, letter.html)
    );
    assert_eq!(parsed.headers.date, Some(now()));
    assert_eq!(parsed.headers.in_reply_to, ["q1@south.example"]);
    assert_eq!(parsed.headers.references, letter.references);
    assert_eq!(parsed.attachments, letter.attachments);
}

#[test]
fn no_header_value_can_inject_another_header() {
    let mut letter = message("ada@north.example", &["bob@south.example"]);
    letter.subject = "x\r\nBcc: eve@east.example".into();
    letter.from.name = Some("Ada\r\nBcc: eve@east.example".into());
    letter.attachments.push(Attachment {
        file_name: Some("a\r\nBcc: eve@east.example".into()),
        content_type: "text/plain\r\nBcc: eve@east.example".into(),
        content_id: None,
        content: "x".into(),
    });
    let parsed = parse(&letter.build().unwrap(), &MimeLimits::default()).unwrap();
    assert_eq!(parsed.headers.get("Bcc"), None);
    assert_eq!(parsed.attachments[0].content_type, "application/octet-stream");
    letter.extra_headers.push(("X-A".into(), "b\r\nBcc: eve@east.example".into()));
    assert_eq!(letter.build(), Err(MimeError::BadHeader("X-A".into())));
}

#[test]
fn messages_beyond_the_limits_are_refused() {
    let limits = MimeLimits { size: 10_000, parts: 5, depth: 3, header: 1000, header_lines: 100 };
    let refused = |raw: &str| parse(raw.as_bytes(), &limits).unwrap_err();
    let head = "From: ada@north.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
    assert_eq!(refused(&format!("{head}{}", "x".repeat(10_000))), MimeError::TooLarge);
    for parts in [6, 7] {
        let many = format!("{head}{}", "--b\r\n\r\nx\r\n".repeat(parts));
        assert_eq!(refused(&many), MimeError::TooComplex);
        assert_eq!(refused(&format!("{many}--b--\r\n")), MimeError::TooComplex);
    }
    assert_eq!(refused(&format!("X: {}\r\n{head}", "y".repeat(1000))), MimeError::TooComplex);
    let mut nested = String::from("x");
    for _ in 0..5 {
        nested = format!(
            "Content-Type: multipart/mixed; boundary=b{}\r\n\r\n--b{0}\r\n{nested}\r\n--b{0}--\r\n",
            nested.len()
        );
    }
    assert_eq!(refused(&format!("From: ada@north.example\r\n{nested}")), MimeError::TooComplex);
    assert_eq!(refused("no headers here"), MimeError::Unreadable);
}

#[test]
fn a_multipart_whose_parts_are_marked_otherwise_is_read_by_their_marks() {
    let raw = "From: ada@north.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--c\r\n\r\nfindings\r\n--c--\r\n";
    let parsed = parse(raw.as_bytes(), &MimeLimits::default()).unwrap();
    assert_eq!((parsed.text.trim(), parsed.attachments.len()), ("findings", 0));
    assert_eq!(parsed.repairs, [direct::mime::Repair::Boundary]);
}

#[test]
fn an_enclosed_message_is_an_attachment_and_its_text_stays_inside() {
    let raw = "From: ada@north.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nouter\r\n\
        --b\r\nContent-Type: message/rfc822\r\n\r\nFrom: eve@east.example\r\nSubject: inner\r\n\r\ninner\r\n--b--\r\n";
    let parsed = parse(raw.as_bytes(), &MimeLimits::default()).unwrap();
    assert_eq!(parsed.text, "outer");
    assert_eq!(parsed.attachments[0].content_type, "message/rfc822");
    assert!(parsed.attachments[0].content.ends_with(b"inner"));
}
