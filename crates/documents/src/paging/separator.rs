//! Separator sheets: printed pages placed between documents, identified by a QR code.

use image::GrayImage;
use qrcode::{Color, EcLevel, QrCode};
use serde::{Deserialize, Serialize};

use crate::typeset::{Face, Ink, Look, Mark, Piece, Setting, Sheet, Typesetter};

/// Start of the text in the code; a label may follow after a colon.
const MARK: &str = "carepost:separator";
/// Maximum length of a label, in characters.
pub const LABEL_MAX: usize = 80;
/// Width of the printed code, in points: large enough for the lowest fax resolution.
const CODE_WIDTH: f32 = 234.0;

/// A sheet that separates two documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Separator {
    /// Label for the pages that follow; may be empty.
    pub label: String,
}

/// A sheet to print, as PDF. `None` if the label is too long.
pub fn separator_sheet(label: &str) -> Option<Vec<u8>> {
    let label = label.trim();
    if label.chars().count() > LABEL_MAX {
        return None;
    }
    let words = if label.is_empty() { MARK.to_owned() } else { format!("{MARK}:{label}") };
    let code = QrCode::with_error_correction_level(&words, EcLevel::M).ok()?;
    let mut page = Typesetter::new(Sheet::LETTER);
    let title = Look::new(Face::SansBold, 26.0);
    page.space(24.0);
    page.paragraph(&[Piece::new("Separator sheet", title)], Setting::new(title));
    if !label.is_empty() {
        let look = Look::new(Face::Sans, 20.0);
        page.paragraph(&[Piece::new(label, look)], Setting::new(look));
    }
    page.space(36.0);
    draw(&mut page, &code);
    page.space(CODE_WIDTH + 36.0);
    let small = Look::new(Face::Sans, 12.0).ink(Ink::GREY);
    let help = "Lay this sheet in front of each new document before you scan a stack. The stack is split at the \
                sheets, and the sheets are left out.";
    page.paragraph(&[Piece::new(help, small)], Setting::new(small));
    Some(page.finish("Separator sheet", None)?.pdf)
}

fn draw(page: &mut Typesetter, code: &QrCode) {
    let modules = code.width();
    let side = CODE_WIDTH / modules as f32;
    let (left, top) = ((page.sheet.width - CODE_WIDTH) / 2.0, page.y);
    for (index, colour) in code.to_colors().into_iter().enumerate() {
        if colour == Color::Dark {
            let (x, y) = (left + (index % modules) as f32 * side, top + (index / modules) as f32 * side);
            // The modules overlap slightly, so that no viewer shows seams.
            page.mark(Mark::Fill { x, y, width: side + 0.1, height: side + 0.1, ink: Ink(0, 0, 0) });
        }
    }
}

/// The separator on a page, if there is one.
pub(super) fn found_on(page: &GrayImage) -> Option<Separator> {
    let (width, height) = (page.width() as usize, page.height() as usize);
    let pixels = page.as_raw();
    let mut picture =
        rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| pixels[y * width + x]);
    picture.detect_grids().iter().find_map(|grid| separator(&grid.decode().ok()?.1))
}

fn separator(words: &str) -> Option<Separator> {
    let label = match words.strip_prefix(MARK)? {
        "" => "",
        rest => rest.strip_prefix(':')?,
    };
    let label: String = label.chars().filter(|c| !c.is_control()).take(LABEL_MAX).collect();
    Some(Separator { label: label.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_of_separator_sheets_separate() {
        assert_eq!(separator("carepost:separator"), Some(Separator { label: String::new() }));
        let labelled = Separator { label: "Records, Dr. Marchetti".into() };
        assert_eq!(separator("carepost:separator: Records, Dr. Marchetti"), Some(labelled));
        assert_eq!(separator("https://example.org"), None);
        assert_eq!(separator("carepost:separators"), None);
    }

    #[test]
    fn a_label_that_is_too_long_makes_no_sheet() {
        assert!(separator_sheet(&"ł".repeat(LABEL_MAX)).is_some());
        assert!(separator_sheet(&"ł".repeat(LABEL_MAX + 1)).is_none());
    }
}
