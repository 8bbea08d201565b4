//! What must hold for any bytes from outside: each target panics where it does not. The fuzzers in `fuzz/` call them,
//! and `corpus.rs` replays the files of `tests/corpus/<target>/`.

use documents::convert::{self, ConversionError};
use documents::{Kind, detect, pdf};

/// A TIFF file: it becomes a PDF with pages, or there is a reason.
pub fn tiff(data: &[u8]) {
    match convert::to_pdf(Kind::Tiff, data) {
        Ok(made) => assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0)),
        Err(ConversionError::Broken(reason)) => assert!(reason.starts_with("the ")),
        Err(error) => assert_eq!(error, ConversionError::TooLarge),
    }
}

/// A text in an unknown encoding: it can always be read and typeset, and no character of a valid text is changed.
pub fn text(data: &[u8]) {
    let pages = convert::to_text(Kind::Text, data).expect("a text can always be read");
    if data.len() < 4_096 {
        let made = convert::to_pdf(Kind::Text, data).expect("a text can always be typeset");
        assert!(pdf::page_count(&made).is_ok_and(|pages| pages > 0));
    }
    let valid = std::str::from_utf8(data).ok().filter(|text| !text.contains('\0'));
    if let Some(text) = valid {
        assert_eq!(pages.join("\x0c"), text.strip_prefix('\u{feff}').unwrap_or(text));
        let printable = |c: char| !c.is_ascii_control() || c.is_ascii_whitespace();
        if !text.trim_start_matches('\u{feff}').trim().is_empty() && text.chars().all(printable) {
            assert_ne!(detect(data), Kind::Unknown);
        }
    }
}

/// A PDF file: there is a text for each of its pages, or a reason.
pub fn pdf(data: &[u8]) {
    if let (Ok(texts), Ok(pages)) = (pdf::text(data), pdf::page_count(data)) {
        assert_eq!(texts.len(), pages as usize);
        assert!(texts.iter().all(|text| !text.contains('\0')));
    }
}
