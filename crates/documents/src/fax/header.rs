//! The line at the top of each page that identifies the sender (47 CFR 68.318(d)).

use chrono::NaiveDateTime;
use hayro::kurbo::Affine;

use super::draw::bilevel;
use super::{Resolution, WIDTH};
use crate::bilevel::Bilevel;
use crate::pdf::Document;
use crate::typeset::{Face, Look, Sheet, Typesetter};

/// Text at the top of each page, besides the page number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name of the sender; shortened if too long.
    pub sender: String,
    /// Fax number of the sender, as displayed.
    pub number: String,
    /// Time of the call, by the sender's clock.
    pub time: NaiveDateTime,
}

const LOOK: Look = Look::new(Face::Sans, 9.0);
/// Left and right edge, in points.
const EDGES: (f32, f32) = (24.0, 588.0);
/// Baseline, in points.
const BASE: f32 = 10.5;
const GAP: f32 = 14.0;

impl Header {
    /// Prints the header over the top of the page. Pages of another width are left unchanged.
    pub(super) fn print(&self, page: &mut Bilevel, resolution: Resolution, number: usize, pages: usize) {
        let height = resolution.header_height().min(page.height);
        let Some(line) = self.draw(resolution, number, pages) else { return };
        let size = (WIDTH * height) as usize;
        if page.width == WIDTH && line.black.len() >= size {
            page.black[..size].copy_from_slice(&line.black[..size]);
        }
    }

    fn draw(&self, resolution: Resolution, number: usize, pages: usize) -> Option<Bilevel> {
        let document = Document::open(&self.to_pdf(resolution, number, pages)?).ok()?;
        let scale = (f64::from(WIDTH) / 612.0, f64::from(resolution.height()) / 792.0);
        let placed = Affine::scale_non_uniform(scale.0, scale.1);
        let draw = |context: &mut _| document.draw(1, &document.cache(), context, placed);
        bilevel(resolution.header_height(), draw).ok()
    }

    fn to_pdf(&self, resolution: Resolution, number: usize, pages: usize) -> Option<Vec<u8>> {
        let width = |text: &str| LOOK.width(text);
        let page = format!("Page {number} of {pages}");
        let time = self.time.format("%m/%d/%Y %I:%M %p").to_string();
        let page_at = EDGES.1 - width(&page);
        let time_at = (page_at - GAP - width(&time)).min(380.0);
        let room = time_at - GAP - EDGES.0 - GAP - width(&self.number);
        let sender = shortened(&self.sender, room);
        let number_at = EDGES.0 + width(&sender) + if sender.is_empty() { 0.0 } else { GAP };
        let height = 792.0 * resolution.header_height() as f32 / resolution.height() as f32;
        let mut typesetter = Typesetter::new(Sheet { height, ..Sheet::LETTER });
        let texts = [(EDGES.0, &sender), (number_at, &self.number), (time_at, &time), (page_at, &page)];
        for (x, text) in texts {
            typesetter.text(text, x, BASE, LOOK);
        }
        Some(typesetter.finish("", None)?.pdf)
    }
}

/// The text, shortened to this width.
fn shortened(text: &str, room: f32) -> String {
    let mut text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    if LOOK.width(&text) <= room {
        return text;
    }
    let shown = |text: &str| format!("{}...", text.trim_end());
    while !text.is_empty() && LOOK.width(&shown(&text)) > room {
        text.pop();
    }
    shown(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf;

    fn header(sender: &str) -> Header {
        let time = chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap().and_hms_opt(15, 4, 0).unwrap();
        Header { sender: sender.to_owned(), number: "312-555-0123".to_owned(), time }
    }

    #[test]
    fn a_header_names_sender_number_time_and_page() {
        let pdf = header("Lakeside Clinic").to_pdf(Resolution::Fine, 2, 12).unwrap();
        let text = pdf::text(&pdf).unwrap().remove(0);
        for words in ["Lakeside Clinic", "312-555-0123", "11/21/2026 03:04 PM", "Page 2 of 12"] {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
    }

    #[test]
    fn a_long_name_leaves_room_for_the_rest() {
        let pdf = header(&"Internal Medicine ".repeat(20)).to_pdf(Resolution::Fine, 999, 999).unwrap();
        let text = pdf::text(&pdf).unwrap().remove(0);
        assert!(
            text.contains("...") && text.contains("312-555-0123") && text.contains("Page 999 of 999"),
            "{text}"
        );
    }

    #[test]
    fn only_the_top_of_a_page_changes() {
        let blank = Bilevel { width: WIDTH, height: 2156, black: vec![false; WIDTH as usize * 2156] };
        let mut page = blank.clone();
        header("Lakeside Clinic").print(&mut page, Resolution::Fine, 1, 1);
        let top = WIDTH as usize * 38;
        assert!(page.black[..top].iter().filter(|&&black| black).count() > 1_000);
        assert_eq!(page.black[top..], blank.black[top..]);
    }
}
