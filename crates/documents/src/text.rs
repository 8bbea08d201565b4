//! Text files in any encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that determine the encoding.
const HEAD: usize = 64 * 1024;

/// Decodes by byte order mark, else by guess; in doubt as Windows-1252, which cannot fail.
pub(crate) fn decode(content: &[u8]) -> Cow<'_, str> {
    let encoding = marked(content).or_else(|| unmarked_utf_16(content));
    encoding.unwrap_or_else(|| utf_8_or_windows(content)).decode(content).0
}

/// Charset of a text by its first [`crate::HEAD`] bytes, as in media types. XML declares its own.
pub fn charset(head: &[u8]) -> String {
    let encoding = marked(head).or_else(|| unmarked_utf_16(head)).or_else(|| declared(head));
    encoding.unwrap_or_else(|| utf_8_or_windows(whole(head))).name().to_ascii_lowercase()
}

fn marked(content: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_bom(content).map(|(encoding, _)| encoding)
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

/// Detects UTF-16 without a byte order mark: in Western languages every other byte is zero. No other text has
/// zeros.
fn unmarked_utf_16(content: &[u8]) -> Option<&'static Encoding> {
    let pairs = content[..content.len().min(HEAD)].as_chunks::<2>().0;
    let readable = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    let letters =
        |zero: usize| pairs.iter().filter(|pair| pair[zero] == 0 && readable(pair[1 - zero])).count();
    let zeros = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
    let most = |letters: usize| letters * 2 > pairs.len();
    match () {
        () if most(letters(0)) && zeros(1) == 0 => Some(UTF_16BE),
        () if most(letters(1)) && zeros(0) == 0 => Some(UTF_16LE),
        () => None,
    }
}

/// UTF-8 if far more multi-byte characters are valid than broken, else Windows-1252. One bad byte must not
/// turn every accent of a document into two characters.
fn utf_8_or_windows(content: &[u8]) -> &'static Encoding {
    let (mut whole, mut broken) = (0usize, 0usize);
    for chunk in content.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if broken * 4 <= whole { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_byte_leaves_the_rest_of_a_text_as_it_is() {
        assert_eq!(
            decode(b"Jos\xc3\xa9, S\xc3\xa3o, Nu\xc3\xb1ez, Bj\xc3\xb6rk \xa0 5 mg"),
            "José, São, Nuñez, Björk \u{fffd} 5 mg"
        );
        assert_eq!(decode(b"Temp 38 \xb0C, Fran\xe7ois"), "Temp 38 °C, François");
    }

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

    #[test]
    fn utf_16_is_read_with_and_without_its_mark() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(decode(&wide("<a>5 mg</a>")), "<a>5 mg</a>");
        assert_eq!(decode(&[&[0xff, 0xfe][..], &wide("ж")].concat()), "ж");
        let turned: Vec<u8> =
            wide("<a/>").as_chunks::<2>().0.iter().flat_map(|pair| [pair[1], pair[0]]).collect();
        assert_eq!(decode(&turned), "<a/>");
    }
}
