//! Texts of which nobody says the encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes that determine the encoding.
pub const HEAD: usize = 64 * 1024;

/// Decodes by byte order mark, else by guess; in doubt as Windows-1252, which cannot fail.
pub fn decode(content: &[u8]) -> Cow<'_, str> {
    evident(content).unwrap_or_else(|| utf_8_or_windows(content)).decode(content).0
}

/// Encoding by byte order mark, or UTF-16 by its zeros; `None` if the text has neither.
pub fn evident(content: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_bom(content).map(|(encoding, _)| encoding).or_else(|| unmarked_utf_16(content))
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
pub fn utf_8_or_windows(content: &[u8]) -> &'static Encoding {
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
    fn utf_16_is_read_with_and_without_its_mark() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert_eq!(decode(&wide("<a>5 mg</a>")), "<a>5 mg</a>");
        assert_eq!(decode(&[&[0xff, 0xfe][..], &wide("ж")].concat()), "ж");
        let turned: Vec<u8> =
            wide("<a/>").as_chunks::<2>().0.iter().flat_map(|pair| [pair[1], pair[0]]).collect();
        assert_eq!(decode(&turned), "<a/>");
    }
}
