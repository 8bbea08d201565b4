//! Terms as a document for keeping: typesets the operator's HTML.

mod html;

use chrono::NaiveDateTime;

use crate::typeset::{Face, Ink, Look, Piece, Setting, Sheet, Typesetter};
use html::Block;

/// Terms as they were shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    pub title: String,
    /// Line below the title: owner and version.
    pub about: String,
    /// Sanitized HTML texts, in order.
    pub texts: Vec<String>,
    /// Time of writing, UTC.
    pub at: NaiveDateTime,
}

const TITLE: Look = Look::new(Face::SansBold, 18.0);
const TEXT: Look = Look::new(Face::Sans, 10.0);
const SMALL: Look = Look::new(Face::Sans, 9.0).ink(Ink::GREY);
/// Indent of lists and quotations, in points, and the maximum number of indents.
const STEP: f32 = 18.0;
const STEPS: usize = 6;

impl Terms {
    /// The terms with page numbers. `None` if the fonts cannot be used.
    pub fn to_pdf(&self) -> Option<Vec<u8>> {
        let mut page = Typesetter::new(Sheet::LETTER).with_running_head(self.title.as_str());
        page.heading(&self.title, TITLE, 0.0, 0.0);
        let below = Setting { after: 12.0, ..Setting::new(SMALL) };
        page.paragraph(&[Piece::new(self.about.as_str(), SMALL)], below);
        for block in self.texts.iter().flat_map(|text| html::blocks(text)) {
            set(&mut page, &block);
        }
        page.finish_to_keep(&self.title, Some(&self.title), self.at)
    }
}

fn set(page: &mut Typesetter, block: &Block) {
    let look = html::look_of(block.heading);
    if block.heading.is_some() {
        page.space(6.0);
        // Keeps a heading from the end of a page.
        page.need(look.size * 1.3 + 40.0);
    }
    let setting = Setting {
        indent: block.depth.min(STEPS) as f32 * STEP,
        marker: block.marker.as_deref(),
        after: if block.marker.is_some() { 3.0 } else { 6.0 },
        ..Setting::new(look)
    };
    page.paragraph(&block.pieces, setting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf;

    #[test]
    fn headings_paragraphs_and_lists_stand_on_the_pages() {
        let text = "<h2>1. The <i>service</i></h2><p>Fish &amp;\n chips<br>and <a href=\"https://a.example\">tea</a></p>\
                    <ul><li>One</li><li><p>Two</p></li></ul><ol start=\"3\"><li>Three</li></ol>Last";
        let terms = Terms { title: "Terms".into(), texts: vec![text.into()], ..Terms::default() };
        let bytes = terms.to_pdf().unwrap();
        let page = pdf::text(&bytes).unwrap().remove(0);
        for words in ["1. The service", "Fish & chips", "tea", "Two", "3.", "Last", "Page 1 of 1"] {
            assert!(page.contains(words), "{words}: {page}");
        }
        let mark = b"<pdfaid:part>2</pdfaid:part>";
        assert!(bytes.windows(mark.len()).any(|part| part == mark), "a file to keep");
    }
}
