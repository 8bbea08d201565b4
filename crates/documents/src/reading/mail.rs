//! Mails: sender, recipients, text, and attached files.

use mail_parser::decoders::html::html_to_text;
use mail_parser::{Address, Encoding, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use openssl::cms::{CMSOptions, CmsContentInfo};

use super::{Part, Reading, file_name, size_words, tnef};
use crate::error::ConversionError;

/// Maximum number of nested mails. A longer chain is not a real mail.
const MAX_ENCLOSED: usize = 200;
/// Maximum number of MIME parts.
const MAX_DIVISIONS: usize = 5_000;
/// Maximum number of signature layers that are removed.
const MAX_SIGNATURES: usize = 3;
/// Maximum length of a displayed header field.
const MAX_FIELD: usize = 4_000;

const BROKEN: ConversionError = ConversionError::Broken("the mail cannot be read");

/// Reads a mail. A signed mail is shown without its signature, with a note. An encrypted one is only noted as
/// such.
pub(super) fn read(content: &[u8]) -> Result<Reading, ConversionError> {
    let mut reading = Reading::default();
    read_into(&mut reading, content, 0)?;
    Ok(reading)
}

fn read_into(reading: &mut Reading, content: &[u8], depth: usize) -> Result<(), ConversionError> {
    check(content)?;
    let message = MessageParser::default().parse(content).ok_or(BROKEN)?;
    if depth == 0 {
        head(reading, &message);
    }
    let secured = message.parts.iter().find_map(|part| Some((part, secured(part)?)));
    match secured {
        Some((part, Secured::Signed)) if depth < MAX_SIGNATURES => {
            reading.note("The mail is signed. The signature was not checked for this preview.");
            match opened(part.contents()) {
                Some(inner) => return read_into(reading, &inner, depth + 1),
                None => reading.note("What is inside of the signature cannot be read."),
            }
        }
        Some((_, Secured::Encrypted)) => {
            reading.note("The mail is encrypted for somebody and cannot be shown.")
        }
        _ if message.parts.iter().any(is_signature) => {
            reading.note("The mail is signed. The signature was not checked for this preview.");
        }
        _ => {}
    }
    reading.text(&body(&message));
    files(reading, &message, content);
    Ok(())
}

/// Refuses mails with too many parts before parsing them.
fn check(content: &[u8]) -> Result<(), ConversionError> {
    let count = |word: &[u8]| {
        memchr::memchr2_iter(word[0], word[0].to_ascii_uppercase(), content)
            .filter(|at| content[*at..].get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word)))
            .count()
    };
    if count(b"message/rfc822") + count(b"message/global") > MAX_ENCLOSED
        || count(b"content-type:") > MAX_DIVISIONS
    {
        return Err(ConversionError::TooLarge);
    }
    Ok(())
}

fn head(reading: &mut Reading, message: &Message<'_>) {
    let subject = message.subject().map(str::trim).filter(|subject| !subject.is_empty());
    reading.title = cut(subject.unwrap_or("Mail without a subject"));
    let date = message.date().map(|date| {
        let zone = if date.tz_before_gmt { '-' } else { '+' };
        format!(
            "{:04}-{:02}-{:02} {:02}:{:02} {zone}{:02}{:02}",
            date.year, date.month, date.day, date.hour, date.minute, date.tz_hour, date.tz_minute
        )
    });
    let people = |address: Option<&Address<'_>>| address.map(people).unwrap_or_default();
    reading.facts([
        ("From".to_owned(), people(message.from())),
        ("To".to_owned(), people(message.to())),
        ("Cc".to_owned(), people(message.cc())),
        ("Reply to".to_owned(), people(message.reply_to())),
        ("Date".to_owned(), date.unwrap_or_default()),
        ("Subject".to_owned(), cut(subject.unwrap_or_default())),
    ]);
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_FIELD).collect()
}

fn people(address: &Address<'_>) -> String {
    let one = |person: &mail_parser::Addr<'_>| match (person.name(), person.address()) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    };
    cut(&address.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// The plain text, or the text of the HTML. Nothing else of the HTML is used.
fn body(message: &Message<'_>) -> String {
    let text = |part: &MessagePart<'_>| match &part.body {
        PartType::Text(text) => text.to_string(),
        PartType::Html(html) => html_to_text(html),
        _ => String::new(),
    };
    let plain: Vec<_> = message.text_bodies().map(text).filter(|text| !text.trim().is_empty()).collect();
    if !plain.is_empty() {
        return plain.join("\n\n");
    }
    message.html_bodies().map(text).collect::<Vec<_>>().join("\n\n")
}

enum Secured {
    Signed,
    Encrypted,
}

fn media_type(part: &MessagePart<'_>) -> String {
    let Some(kind) = part.content_type() else { return String::new() };
    format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()).to_ascii_lowercase()
}

fn secured(part: &MessagePart<'_>) -> Option<Secured> {
    let kind = media_type(part);
    if !matches!(kind.as_str(), "application/pkcs7-mime" | "application/x-pkcs7-mime") {
        return None;
    }
    let smime = part.content_type()?.attribute("smime-type").unwrap_or_default().to_ascii_lowercase();
    Some(if smime == "signed-data" { Secured::Signed } else { Secured::Encrypted })
}

fn is_signature(part: &MessagePart<'_>) -> bool {
    matches!(
        media_type(part).as_str(),
        "application/pkcs7-signature" | "application/x-pkcs7-signature" | "application/pgp-signature"
    )
}

/// The mail inside an enclosing signature.
fn opened(content: &[u8]) -> Option<Vec<u8>> {
    let mut cms = CmsContentInfo::from_der(content).ok()?;
    let (mut inner, none) = (Vec::new(), CMSOptions::NO_SIGNER_CERT_VERIFY);
    let unchecked = none | CMSOptions::NO_ATTR_VERIFY | CMSOptions::NO_CONTENT_VERIFY;
    cms.verify(None, None, None, Some(&mut inner), unchecked | CMSOptions::BINARY).ok()?;
    Some(inner)
}

fn files(reading: &mut Reading, message: &Message<'_>, raw: &[u8]) {
    let mut rows = Vec::new();
    for part in message.attachments().filter(|part| !is_signature(part)) {
        let content = content(part, raw);
        // Outlook's container is treated as part of the mail.
        if let Some((text, wrapped)) = tnef::unwrapped(&content, reading) {
            if body(message).trim().is_empty() {
                reading.text(&text);
            }
            rows.extend(wrapped);
            continue;
        }
        let given = given_name(part, raw).or_else(|| enclosed_name(part));
        let name = file_name(&given.unwrap_or_default(), &content, reading.parts.len() + 1);
        let is_decoration = part.content_id().is_some()
            && !part.content_disposition().is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"))
            && media_type(part).starts_with("image/");
        let size = size_words(content.len());
        let kept = reading.part(Part { name: name.clone(), title: String::new(), content, is_decoration });
        rows.push(vec![name, size, if kept.is_some() { String::new() } else { "Not listed".to_owned() }]);
    }
    if !rows.is_empty() {
        reading.heading(2, "Attachments");
        reading.table(&["File", "Size", "Remark"], rows);
    }
}

/// The file name of a part. Old programs write non-ASCII letters unencoded, mostly in the Windows character
/// set.
fn given_name(part: &MessagePart<'_>, raw: &[u8]) -> Option<String> {
    let name = part.attachment_name()?;
    if !name.contains(char::REPLACEMENT_CHARACTER) {
        return Some(name.to_owned());
    }
    let header = raw.get(part.offset_header as usize..part.offset_body as usize).unwrap_or_default();
    let header = crate::text::decode(header);
    let read = MessageParser::default().parse_headers(header.as_bytes());
    let again = read.as_ref().and_then(|head| head.parts.first()?.attachment_name().map(str::to_owned));
    again.or_else(|| Some(name.to_owned()))
}

/// The bytes of a part; an enclosed mail is returned unchanged.
fn content(part: &MessagePart<'_>, raw: &[u8]) -> Vec<u8> {
    match &part.body {
        PartType::Message(_) if part.encoding == Encoding::None => {
            let (from, to) = (part.raw_body_offset() as usize, part.raw_end_offset() as usize);
            raw.get(from..to.min(raw.len())).unwrap_or_default().to_vec()
        }
        _ => part.contents().to_vec(),
    }
}

fn enclosed_name(part: &MessagePart<'_>) -> Option<String> {
    let subject = part.message()?.subject().unwrap_or("Mail");
    let plain: String = subject
        .chars()
        .map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { ' ' } else { c })
        .take(80)
        .collect();
    Some(format!("{}.eml", plain.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    const MAIL: &str = "From: \"Ada Poe\" <ada@larkfield.example>\r\nTo: records@cedar.example\r\nSubject: =?utf-8?Q?Referral_f=C3=BCr?= Ines Roe\r\n\
        Date: Tue, 17 Nov 2026 09:30:00 -0500\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/html\r\n\r\n<p>Dear colleague</p><script>alert(1)</script><img src=\"http://x.example/a.png\">\r\n\
        --b\r\nContent-Type: application/pdf; name=\"../note.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjc=\r\n\
        --b\r\nContent-Type: message/rfc822\r\n\r\nFrom: Bo <bo@cedar.example>\r\nSubject: Old: news\r\nMIME-Version: 1.0\r\n\r\nInner text\r\n\
        --b--\r\n";

    #[test]
    fn a_mail_shows_its_head_its_text_and_lists_its_files() {
        let reading = read(MAIL.as_bytes()).unwrap();
        let text = reading.plain_text();
        assert_eq!(reading.title, "Referral für Ines Roe");
        for words in
            ["From: Ada Poe <ada@larkfield.example>", "Date: 2026-11-17 09:30 -0500", "Dear colleague"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("alert") && !text.contains("x.example"), "{text}");
        let parts: Vec<_> = reading.parts.iter().map(|part| (part.name.as_str(), part.kind())).collect();
        assert_eq!(parts, [("note.pdf", Kind::Pdf), ("Old  news.eml", Kind::Mail)]);
        let inner = read(&reading.parts[1].content).unwrap();
        assert!(inner.title == "Old: news" && inner.plain_text().contains("Inner text"));
        assert!(!inner.plain_text().contains("Dear colleague"));
    }

    #[test]
    fn the_name_of_a_file_may_stand_in_the_letters_of_windows() {
        let mail = |name: &[u8], other: &[u8]| {
            let [begin, middle, end] = [
                "From: a@x.example\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
                 --b\r\nContent-Type: application/pdf; name=\"",
                "\"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"",
                "\"\r\n\r\nJVBERi0xLjc=\r\n--b--\r\n",
            ];
            let all = [begin.as_bytes(), other, middle.as_bytes(), name, end.as_bytes()].concat();
            read(&all).unwrap().parts[0].name.clone()
        };
        assert_eq!(mail(b"Zo\xeb.pdf", b"Zo\xeb.pdf"), "Zoë.pdf");
        assert_eq!(mail(b"Zo\xeb.pdf", b"x.pdf"), "Zoë.pdf");
        assert_eq!(mail("Zoë.pdf".as_bytes(), b"x.pdf"), "Zoë.pdf");
        assert_eq!(mail(b"Zoe.pdf", b"Zo\xeb.pdf"), "Zoe.pdf");
    }

    #[test]
    fn what_outlook_wraps_stands_in_the_mail_itself() {
        let field = |level: u8, number: u16, data: &[u8]| {
            let sum = data.iter().fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte))).to_le_bytes();
            [&[level][..], &number.to_le_bytes(), &[0, 0], &(data.len() as u32).to_le_bytes(), data, &sum]
                .concat()
        };
        let wrapped = [
            &outlook::tnef::SIGNATURE[..],
            &[1, 0],
            &field(1, 0x800c, b"See the letter.\0"),
            &field(2, 0x9002, &[0; 14]),
            &field(2, 0x8010, b"letter.pdf\0"),
            &field(2, 0x800f, b"%PDF-1.7"),
        ]
        .concat();
        let head = b"From: a@x.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
            Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\n";
        let encoded = openssl::base64::encode_block(&wrapped);
        let reading = read(&[&head[..], encoded.as_bytes(), b"\r\n--b--\r\n"].concat()).unwrap();
        assert_eq!(reading.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(), ["letter.pdf"]);
        assert!(reading.plain_text().contains("See the letter."), "{}", reading.plain_text());
    }

    #[test]
    fn a_signature_is_named_and_not_listed_and_what_is_encrypted_says_so() {
        let signed = "From: a@x.example\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary=b\r\n\r\n\
            --b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n";
        let reading = read(signed.as_bytes()).unwrap();
        assert!(reading.parts.is_empty());
        assert!(
            reading.plain_text().contains("The mail is signed") && reading.plain_text().contains("Hello")
        );
        let sealed = "From: a@x.example\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n\r\nx";
        assert!(read(sealed.as_bytes()).unwrap().plain_text().contains("is encrypted"));
    }

    #[test]
    fn a_chain_of_mails_without_end_is_refused() {
        let link = "Content-Type: message/rfc822\r\n\r\n".repeat(MAX_ENCLOSED + 1);
        assert_eq!(read(link.as_bytes()).unwrap_err(), ConversionError::TooLarge);
    }
}
