//! Plain text as PDF.

use chrono::NaiveDateTime;

use super::ConversionError;
use crate::typeset::{Face, Look, Piece, Setting, Sheet, Typeset, Typesetter};

/// Maximum number of characters; about 3,000 pages.
const MAX_CHARS: usize = 12_000_000;
const TAB: usize = 8;
const MONO: Look = Look::new(Face::Mono, 9.0);

const FAILED: ConversionError = ConversionError::Broken("the text cannot be set");

/// Typesets text in a monospaced font, so that columns made with blanks stay aligned. Form feeds begin new
/// pages.
pub(super) fn text_to_pdf(text: &str, made: Option<NaiveDateTime>) -> Result<Typeset, ConversionError> {
    if text.len() > MAX_CHARS {
        return Err(ConversionError::TooLarge);
    }
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    for (index, page) in text.trim_end().split('\x0c').enumerate() {
        if index > 0 {
            typesetter.new_page();
        }
        for line in page.replace("\r\n", "\n").split(['\n', '\r']) {
            let line = expand_tabs(line.trim_end());
            typesetter.paragraph(
                &[Piece::new(line, MONO)],
                Setting { leading: 1.25, after: 0.0, ..Setting::new(MONO) },
            );
        }
    }
    typesetter.finish_at("Text document", Some(""), made).ok_or(FAILED)
}

fn expand_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for c in line.chars() {
        let blanks = if c == '\t' { TAB - column % TAB } else { 0 };
        match blanks {
            0 => out.push(c),
            _ => out.extend(std::iter::repeat_n(' ', blanks)),
        }
        column += blanks.max(1);
    }
    out
}
