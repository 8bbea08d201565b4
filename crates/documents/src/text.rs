//! Text files in any encoding.

use encoding_rs::Encoding;
pub(crate) use outlook::text::decode;
use outlook::text::{HEAD, evident, utf_8_or_windows};

/// Charset of a text by its first [`HEAD`] bytes, as in media types. XML declares its own.
pub fn charset(head: &[u8]) -> String {
    let encoding = evident(head).or_else(|| declared(head));
    encoding.unwrap_or_else(|| utf_8_or_windows(whole(head))).name().to_ascii_lowercase()
}

/// Encoding in the declaration of an XML file.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = memchr::memmem::find(declaration, b"?>")?;
    let label = &declaration[memchr::memmem::find(&declaration[..end], b"encoding")?..end];
    let mut parts = label.splitn(3, |byte| matches!(byte, b'"' | b'\''));
    Encoding::for_label(parts.nth(1)?)
}

/// The bytes without a character cut off at the end.
fn whole(head: &[u8]) -> &[u8] {
    if head.len() < HEAD {
        return head;
    }
    let cut = head.iter().rev().take(3).take_while(|byte| !byte.is_ascii()).count();
    &head[..head.len() - cut]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_charset_that_it_is_read_in() {
        let cut = ["a".repeat(HEAD - 1).as_bytes(), "é".as_bytes()].concat();
        for (content, charset_of) in [
            (&b"Stable"[..], "utf-8"),
            ("Jos\u{e9}".as_bytes(), "utf-8"),
            (b"Fran\xe7ois", "windows-1252"),
            (b"\xff\xfea\0", "utf-16le"),
            (b"<?xml version='1.0' encoding='ISO-8859-2'?><a>\xb3</a>", "iso-8859-2"),
            (b"<?xml version=\"1.0\"?><a>encoding=\"ISO-8859-2\"</a>", "utf-8"),
            (&cut[..HEAD], "utf-8"),
        ] {
            assert_eq!(charset(content), charset_of);
        }
    }
}
