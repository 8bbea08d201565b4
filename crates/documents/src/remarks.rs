//! Missing parts of a document, as remarks on its pages and as text for people.

use serde::{Deserialize, Serialize};

/// On an incomplete page.
pub(crate) const PART: &str = "A part of this page is missing in the file.";
/// Instead of an unreadable page.
pub(crate) const PAGE: &str = "This page cannot be read: the file is damaged.";
/// On the last page of a file that may have had further pages.
pub(crate) const END: &str = "The file is damaged behind this page: further pages may be missing.";

/// Height of the band for a remark above a page, in points.
pub(crate) const BAND: f32 = 24.0;
/// Position of the text in the band, from the left and from the top, in points.
pub(crate) const PLACE: (f32, f32) = (18.0, 16.0);
/// Size of the text, in points.
pub(crate) const SIZE: f32 = 10.0;

/// Missing parts of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flaws {
    /// Incomplete or damaged pages, counted from 1.
    pub parts: Vec<u32>,
    /// Unreadable pages, counted from 1.
    pub pages: Vec<u32>,
    /// Whether pages may be missing at the end.
    pub is_cut: bool,
}

impl Flaws {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.pages.is_empty() && !self.is_cut
    }

    /// The same flaws for a document that follows `pages` other pages. Pages missing after its end are not
    /// reported.
    pub(crate) fn behind(&self, pages: u32) -> Self {
        let moved = |list: &[u32]| list.iter().map(|page| page + pages).collect();
        Self { parts: moved(&self.parts), pages: moved(&self.pages), is_cut: self.is_cut }
    }

    /// Adds the flaws of another part of the same document.
    pub(crate) fn append(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.pages.extend(other.pages);
        self.is_cut |= other.is_cut;
    }

    /// Text for people; `None` if nothing is missing.
    pub fn words(&self) -> Option<String> {
        let part = |pages: &[u32]| match pages {
            [] => None,
            [page] => Some(format!("A part of page {page} is missing in the file.")),
            pages => Some(format!("Parts of pages {} are missing in the file.", list(pages))),
        };
        let page = |pages: &[u32]| match pages {
            [] => None,
            [page] => Some(format!("Page {page} cannot be read.")),
            pages => Some(format!("Pages {} cannot be read.", list(pages))),
        };
        let end = self.is_cut.then(|| "The file is damaged: pages at its end may be missing.".to_owned());
        let said: Vec<_> = [part(&self.parts), page(&self.pages), end].into_iter().flatten().collect();
        (!said.is_empty()).then(|| said.join(" "))
    }
}

/// A list such as "1, 2 and 5" of at most ten pages.
fn list(pages: &[u32]) -> String {
    const MOST: usize = 10;
    let shown = pages.len().min(MOST);
    let names: Vec<_> = pages[..shown].iter().map(u32::to_string).collect();
    match (pages.len() - shown, names.split_last()) {
        (0, Some((last, before))) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        (0, _) => names.join(", "),
        (more, _) => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_in_a_sentence() {
        let of = |parts: &[u32], pages: &[u32], is_cut| {
            Flaws { parts: parts.to_vec(), pages: pages.to_vec(), is_cut }.words().unwrap_or_default()
        };
        assert_eq!(of(&[2], &[], false), "A part of page 2 is missing in the file.");
        assert_eq!(
            of(&[1, 2, 5], &[4], false),
            "Parts of pages 1, 2 and 5 are missing in the file. Page 4 cannot be read."
        );
        let many: Vec<u32> = (1..=12).collect();
        assert_eq!(of(&[], &many, false), "Pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more cannot be read.");
        assert_eq!(of(&[], &[], true), "The file is damaged: pages at its end may be missing.");
        assert_eq!(of(&[], &[], false), "");
    }
}
