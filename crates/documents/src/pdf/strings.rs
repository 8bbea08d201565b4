//! Text strings of PDF files (ISO 32000-1 section 7.9.2.2).

/// Codes 0x18 to 0x1f of PDFDocEncoding.
const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
/// Codes 0x80 to 0xa0 of PDFDocEncoding.
const SIGNS: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ',
    'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
];

/// Decodes by byte order mark, else as PDFDocEncoding.
pub(super) fn decode(bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.decode(bytes).0.into_owned(),
        None => bytes.iter().copied().map(character).collect(),
    }
}

fn character(code: u8) -> char {
    match code {
        0x18..=0x1f => ACCENTS[usize::from(code - 0x18)],
        0x80..=0xa0 => SIGNS[usize::from(code - 0x80)],
        _ => code.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_by_their_mark_or_as_pdf_doc_encoding() {
        assert_eq!(decode(b"\xfe\xff\x01\x41ukasz"[..4].as_ref()), "Ł");
        assert_eq!(decode(b"\xef\xbb\xbf\xc5\x81"), "Ł");
        assert_eq!(decode(b"\x95ukasz \x85 5\xb0"), "Łukasz – 5°");
    }
}
