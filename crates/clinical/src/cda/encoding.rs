//! Decoding of files in any encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Text of the file by byte order mark, otherwise by the XML declaration, otherwise UTF-8 (XML 1.0 appendix F). The
/// flag reports that the file breaks these rules, so that its encoding was guessed.
pub(super) fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return by(encoding, bytes);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return (encoding.decode(bytes).0, true);
    }
    match declared(bytes) {
        Some(encoding) => by(encoding, bytes),
        None => (mixed(bytes), true),
    }
}

fn by<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> (Cow<'a, str>, bool) {
    let (text, _, malformed) = encoding.decode(bytes);
    match malformed {
        true if encoding == UTF_8 => (mixed(bytes), true),
        malformed => (text, malformed),
    }
}

/// UTF-8 with invalid sequences decoded as Windows-1252, the superset of Latin-1: documents are often assembled from
/// sources of both kinds.
fn mixed(bytes: &[u8]) -> Cow<'_, str> {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    Cow::Owned(text)
}

/// Detects UTF-16 without a mark by the zero bytes of the first characters, which are ASCII in XML.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [1..=0x7f, 0, 1..=0x7f, 0, ..] => Some(UTF_16LE),
        [0, 1..=0x7f, 0, 1..=0x7f, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding in the XML declaration, UTF-8 without one; None for an unknown name.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(200)];
    let head = &head[..head.iter().position(|&byte| byte == b'>').unwrap_or(head.len())];
    let head = String::from_utf8_lossy(head);
    let Some((_, rest)) =
        head.split_once("encoding").filter(|(before, _)| before.trim_start().starts_with("<?xml"))
    else {
        return Some(UTF_8);
    };
    let encoding = Encoding::for_label(rest.split(['"', '\'']).nth(1)?.as_bytes())?;
    // The declaration was readable as bytes, so UTF-16 in it is wrong.
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}
