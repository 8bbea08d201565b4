//! Decoding of character sets.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mail_parser::decoders::charsets::map::charset_decoder;

/// Decodes bytes in the named character set. If none or an unknown one is named, UTF-8 is tried and then
/// Windows-1252. The flag reports bytes that are invalid in the named set.
pub(crate) fn decode(bytes: &[u8], named: &str) -> (String, bool) {
    let named = named.trim().to_ascii_lowercase();
    if let (true, Some(decode)) = (named.ends_with("utf-7"), charset_decoder(b"utf-7")) {
        return (decode(bytes), false);
    }
    // The WHATWG treats ASCII as Windows-1252, while in mail it is more often unlabelled UTF-8.
    let encoding = Encoding::for_label(named.as_bytes()).filter(|_| !named.ends_with("ascii"));
    let (text, _, broken) = encoding.unwrap_or(UTF_8).decode(bytes);
    match encoding {
        None if broken => (WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(), true),
        _ => (text.into_owned(), broken),
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn texts_of_many_scripts_are_read() {
        for (charset, bytes, text) in [
            ("ISO-2022-JP", &b"\x1B$B45<T\x1B(B 12"[..], "患者 12"),
            ("EUC-JP", b"\xB4\xB5\xBC\xD4", "患者"),
            ("Shift_JIS", b"\x8A\xB3\x8E\xD2", "患者"),
            ("gb18030", b"\xBB\xBC\xD5\xDF", "患者"),
            ("Big5", b"\xB1\x77\xAA\xCC", "患者"),
            ("EUC-KR", b"\xC8\xAF\xC0\xDA", "환자"),
            ("windows-1251", b"\xCF\xE0\xF6\xE8\xE5\xED\xF2", "Пациент"),
            ("koi8-r", b"\xF0\xC1\xC3\xC9\xC5\xCE\xD4", "Пациент"),
            ("iso-8859-1", b"M\xE9ni\xE8re", "Ménière"),
            ("utf-7", b"M+AOk-ni+AOg-re", "Ménière"),
            ("utf-8", "Ménière".as_bytes(), "Ménière"),
            ("", "Ménière".as_bytes(), "Ménière"),
        ] {
            assert_eq!(decode(bytes, charset), (text.to_owned(), false), "{charset}");
        }
    }

    #[test]
    fn bytes_that_do_not_fit_are_read_as_the_likeliest_and_noticed() {
        for charset in ["", "us-ascii", "x-unknown"] {
            assert_eq!(decode(b"M\xE9ni\xE8re", charset), ("Ménière".to_owned(), true), "{charset}");
        }
        assert_eq!(decode(b"caf\xC3\xA9 \xFF", "utf-8"), ("café \u{FFFD}".to_owned(), true));
    }
}
