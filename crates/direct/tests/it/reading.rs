//! Messages of real systems: damaged, in old encodings, with messages and bundles inside.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use direct::mime::{MimeError, MimeLimits, OutgoingMessage, ParsedMessage, Repair, parse};
use direct::smime::{OpenError, SealOptions, SignatureVerdict, open, seal};
use proptest::prelude::*;

use crate::support::*;

const HEAD: &str = "From: Ada <ada@north.example>\nTo: bob@south.example\nMIME-Version: 1.0\n";

fn read(rest: &str) -> ParsedMessage {
    read_bytes(format!("{HEAD}{rest}").replace('\n', "\r\n").as_bytes())
}

fn read_bytes(raw: &[u8]) -> ParsedMessage {
    parse(raw, &MimeLimits::default()).unwrap()
}

fn names(message: &ParsedMessage) -> Vec<&str> {
    message.attachments.iter().map(|a| a.file_name.as_deref().unwrap_or("-")).collect()
}

#[test]
fn an_encrypted_mail_with_a_footer_of_a_gateway_under_it_is_opened() {
    let ca = authority("CA");
    let (ada, bob) = (for_domain(&ca, "north.example"), for_domain(&ca, "south.example"));
    let letter = message("ada@north.example", &["bob@south.example"]);
    let to = [bob.certificate().clone()];
    let mut raw = seal(&letter.build().unwrap(), &ada, &to, SealOptions::default()).unwrap();
    raw.extend_from_slice(b"\r\n-- \r\nThis mail was scanned for viruses.\r\nExampleGateway\r\n");
    let opened = open(&raw, &[bob]).unwrap();
    assert!(matches!(opened.signers[0].verdict, SignatureVerdict::Valid(_)));
    assert_eq!(opened.message, letter.build().unwrap());
}

#[test]
fn a_file_with_a_wrong_byte_of_base64_is_decoded_around_it_and_named() {
    let content: Vec<u8> = (0..=255).cycle().take(1200).collect();
    let mut text = STANDARD.encode(&content);
    text.replace_range(400..401, "!");
    let message = read(&format!(
        "Content-Type: application/pdf; name=scan.pdf\nContent-Transfer-Encoding: base64\n\n{text}\n"
    ));
    let file = &message.attachments[0];
    assert_eq!((&file.content[..300], &file.content[303..]), (&content[..300], &content[303..]));
    assert_eq!(message.repairs, [Repair::Encoding(Some("scan.pdf".into()))]);
    assert_eq!(
        message.repairs[0].to_string(),
        "The file “scan.pdf” was damaged in transit; only the readable part is shown."
    );
}

#[test]
fn a_text_with_a_wrong_byte_of_quoted_printable_is_decoded_around_it() {
    let message = read(
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n\
         M=C3=A9ni=C3=A8re =ZZ and 50 = half\n",
    );
    assert_eq!(message.text, "Ménière =ZZ and 50 = half\n");
    assert_eq!(message.repairs, [Repair::Encoding(None)]);
}

#[test]
fn undamaged_mail_needs_no_repair() {
    let letter = message("ada@north.example", &["bob@south.example"]);
    assert_eq!(read_bytes(&letter.build().unwrap()).repairs, []);
}

#[test]
fn a_header_that_ends_with_a_line_of_blanks_and_a_guessed_boundary_still_give_the_parts() {
    let raw = format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=wrong\n \t\n--right\n\nhello\n--right\n\
         Content-Type: text/csv; name=a.csv\n\na,b\n--right--\n"
    );
    let message = read_bytes(raw.as_bytes());
    assert_eq!((message.text.as_str(), names(&message)), ("hello", vec!["a.csv"]));
    assert_eq!(message.repairs, [Repair::Boundary]);
}

#[test]
fn texts_and_subjects_in_japanese_encodings_are_read() {
    let subject =
        "Subject: =?ISO-2022-JP?B?GyRCNDU8VBsoQg==?= =?EUC-JP?Q?=B4=B5=BC=D4?= =?GB18030?B?u7zV3w==?=\n";
    let head = format!("{HEAD}{subject}Content-Type: text/plain; charset=ISO-2022-JP\n\n");
    let message = read_bytes(&[head.as_bytes(), b"\x1B$B45<T\x1B(B 12 mg\n"].concat());
    assert_eq!((message.headers.subject.as_str(), message.text.as_str()), ("患者患者患者", "患者 12 mg\n"));
    assert_eq!(message.repairs, []);
}

#[test]
fn a_text_that_is_not_in_the_character_set_it_names_is_read_and_noticed() {
    let head = format!("{HEAD}Content-Type: text/plain; charset=us-ascii\n\n");
    let message = read_bytes(&[head.as_bytes(), b"M\xE9ni\xE8re\n"].concat());
    assert_eq!((message.text.as_str(), &message.repairs[..]), ("Ménière\n", &[Repair::CharacterSet][..]));
}

#[test]
fn a_uuencoded_file_is_decoded_and_takes_the_name_it_carries() {
    let message = read(
        "Content-Type: application/octet-stream\nContent-Transfer-Encoding: x-uuencode\n\n\
         begin 644 cat.txt\n#0V%T\n`\nend\n",
    );
    assert_eq!((names(&message), &message.attachments[0].content[..]), (vec!["cat.txt"], &b"Cat"[..]));
    assert_eq!(message.repairs, []);
}

const FORWARDED: &str = "Content-Type: multipart/mixed; boundary=o\n\n--o\n\nSee below.\n--o\n\
    Content-Type: message/rfc822\n\nFrom: carol@west.example\nSubject: Lab: results\n\
    Content-Type: multipart/mixed; boundary=i\n\n--i\n\ninner text\n--i\n\
    Content-Type: text/xml; name=lab.xml\nContent-Transfer-Encoding: base64\n\nPHgvPg==\n--i--\n--o\n\
    Content-Type: text/csv; name=last.csv\n\na\n--o--\n";

#[test]
fn a_forwarded_message_is_a_file_and_the_files_in_it_come_with_it() {
    let message = read(FORWARDED);
    assert_eq!(names(&message), ["Lab  results.eml", "lab.xml", "last.csv"]);
    assert_eq!(message.text, "See below.");
    assert_eq!(&message.attachments[1].content[..], b"<x/>");
    assert!(message.attachments[0].content.starts_with(b"From: carol@west.example\r\n"));
}

#[test]
fn files_of_the_message_that_a_notice_returns_are_not_listed() {
    let message =
        read(&FORWARDED.replace(
            "multipart/mixed; boundary=o",
            "multipart/report; report-type=delivery-status; boundary=o",
        ));
    assert_eq!(names(&message), ["Lab  results.eml", "last.csv"]);
}

#[test]
fn messages_nested_too_deep_are_not_opened_and_the_outer_one_is_still_read() {
    let mut inner = "Subject: x\n\nend\n".to_owned();
    for depth in 0..60 {
        inner = format!("Subject: {depth}\nContent-Type: message/rfc822\n\n{inner}");
    }
    let message = read(&format!("Content-Type: message/rfc822\n\n{inner}"));
    assert!(names(&message)[0] == "59.eml" && message.attachments.len() < 20);
    let size: usize = message.attachments.iter().map(|a| a.content.len()).sum();
    assert!(size < 4 * inner.len() + 200);
}

#[test]
fn a_winmail_dat_is_replaced_by_its_contents() {
    let attribute = |id: u16, value: &[u8]| {
        let sum = value.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
        let length = (value.len() as u32).to_le_bytes();
        [&[1][..], &id.to_le_bytes(), &[0, 0], &length, value, &sum.to_le_bytes()].concat()
    };
    let mut tnef = [&0x223E_9F78u32.to_le_bytes()[..], &[1, 0]].concat();
    for (id, value) in
        [(0x800C, &b"The body\0"[..]), (0x9002, b""), (0x8010, b"note.pdf\0"), (0x800F, b"%PDF-1.7")]
    {
        tnef.extend(attribute(id, value));
    }
    let mail = |tnef: &[u8]| {
        read(&format!(
            "Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n{}\n",
            STANDARD.encode(tnef)
        ))
    };
    let message = mail(&tnef);
    assert_eq!((names(&message), message.text.as_str()), (vec!["note.pdf"], "The body"));
    assert_eq!(message.repairs, []);
    let cut = mail(&tnef[..tnef.len() - 4]);
    assert_eq!((names(&cut), &cut.repairs[..]), (vec!["winmail.dat", "note.pdf"], &[Repair::Winmail][..]));
}

/// DER with a length of four bytes.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, 0x84], &(content.len() as u32).to_be_bytes()[..], content].concat()
}

#[test]
fn an_encrypted_mail_of_millions_of_tiny_parts_is_refused_before_parsing() {
    const ENVELOPED: [u8; 11] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 3];
    const AES_128_CBC: [u8; 11] = [6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 2];
    const DATA: [u8; 11] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1];
    let recipients = der(0x31, &[0x30, 0].repeat(2_000_000));
    let content = der(0x30, &[&DATA[..], &der(0x30, &AES_128_CBC)].concat());
    let enveloped = der(0x30, &[&[2, 1, 0][..], &recipients, &content].concat());
    let message = der(0x30, &[&ENVELOPED[..], &der(0xA0, &enveloped)].concat());
    let raw = format!(
        "Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n{}\r\n",
        STANDARD.encode(message)
    );
    assert_eq!(open(raw.as_bytes(), &[]).unwrap_err(), OpenError::TooComplex);
}

#[test]
fn a_message_of_very_many_headers_or_parts_is_refused() {
    let limits = MimeLimits::default();
    let headers = format!("{HEAD}{}\nbody", "x: 1\n".repeat(limits.header_lines));
    let parts = format!("{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{}", "--b\n\n".repeat(1_000_000));
    for raw in [headers, parts] {
        assert_eq!(parse(raw.as_bytes(), &limits).unwrap_err(), MimeError::TooComplex);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_again(
        subject in "\\PC{0,60}",
        text in "[\\PC\n]{0,300}",
        name in "\\PC{1,30}",
        content in proptest::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut letter: OutgoingMessage = message("ada@north.example", &["bob@south.example"]);
        letter.subject = subject.clone();
        letter.text = text.clone();
        letter.attachments = vec![direct::mime::Attachment {
            file_name: Some(name.clone()),
            content_type: "application/pdf".into(),
            content_id: None,
            content: content.clone().into(),
        }];
        let read = read_bytes(&letter.build().unwrap());
        prop_assert_eq!(read.headers.subject.trim(), subject.trim());
        prop_assert_eq!(read.text, text);
        prop_assert_eq!(&read.attachments[0].content[..], &content[..]);
        prop_assert_eq!(read.attachments[0].file_name.as_deref().unwrap_or_default().trim(), name.trim());
        prop_assert_eq!(read.repairs, vec![]);
    }
}
