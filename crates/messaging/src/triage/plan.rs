//! The plan of a batch: the pages of each document.

use documents::paging::PageLook;
use platform::{Error, Result, fields::FieldErrors, text::Line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;
use uuid::Uuid;

/// Maximum number of pages of a batch.
pub const PAGES_MAX: usize = documents::paging::MAX_PAGES;

/// A page of a file of the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlannedPage {
    /// The position of its file in the batch, from 0.
    pub file: i32,
    /// Counted from 1.
    pub page: i32,
    /// Quarter turns clockwise.
    #[schema(maximum = 3)]
    #[serde(default)]
    pub turn: u8,
    /// Straighten a skewed scan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub straighten: bool,
}

/// A document to create.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PlannedPart {
    /// The subject of its message.
    pub name: Line,
    pub document_type: Option<Line>,
    pub assigned_to: Option<Uuid>,
    pub pages: Vec<PlannedPage>,
}

/// Documents in order, and the excluded pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Plan {
    pub parts: Vec<PlannedPart>,
    pub left_out: Vec<PlannedPage>,
}

/// Data of a file for the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePages {
    pub count: i32,
    /// It has no pages that could be separated or turned.
    pub is_whole: bool,
}

/// The usable files of a batch, by position.
pub type Files = BTreeMap<i32, FilePages>;

/// Pages, by position of the file and page number.
pub type Pages = BTreeSet<(i32, i32)>;

impl Plan {
    /// The plan without empty documents.
    ///
    /// # Errors
    ///
    /// Refused if it loses or repeats a page, or has a page of a filed document.
    pub fn checked(mut self, files: &Files, filed: &Pages) -> Result<Self> {
        self.parts.retain(|part| !part.pages.is_empty());
        let all = || self.parts.iter().flat_map(|part| &part.pages).chain(&self.left_out);
        let named: Pages = all().map(|page| (page.file, page.page)).collect();
        let wanted = files.iter().flat_map(|(file, pages)| (1..=pages.count).map(|page| (*file, page)));
        let wanted: Pages = wanted.filter(|page| !filed.contains(page)).collect();
        if all().count() != named.len() || named != wanted {
            let words =
                "Every page of the batch must be in the plan exactly once. Please load the batch again.";
            return Err(Error::field("parts", words));
        }
        if all().any(|page| page.turn > 3) {
            return Err(Error::field("parts", "A page can be turned by up to three quarter turns."));
        }
        let mut errors = FieldErrors::default();
        for (index, part) in self.parts.iter().enumerate() {
            let whole = |page: &PlannedPage| files.get(&page.file).is_some_and(|file| file.is_whole);
            let is_changed = part
                .pages
                .iter()
                .any(|page| whole(page) && (part.pages.len() > 1 || page.turn > 0 || page.straighten));
            let words = "A file without pages cannot be combined, turned or straightened.";
            errors.require(!is_changed, &format!("parts[{index}].pages"), words);
        }
        errors.check()?;
        Ok(self)
    }

    /// Refuses to file a plan without documents, or with an unnamed one.
    pub fn check_fileable(&self) -> Result<()> {
        if self.parts.is_empty() {
            return Err(Error::Conflict("There is no document in this batch to file.".into()));
        }
        let mut errors = FieldErrors::default();
        for (index, part) in self.parts.iter().enumerate() {
            let words = format!("Please name document {}.", index + 1);
            errors.require(!part.name.is_empty(), &format!("parts[{index}].name"), words);
        }
        errors.check()
    }

    /// Adds the pages of a file: a new document begins after each separator sheet; separator sheets and blank pages are
    /// excluded.
    pub fn add_file(&mut self, file: i32, stem: &str, looks: &[PageLook]) {
        let mut parts: Vec<PlannedPart> = vec![PlannedPart::default()];
        for (index, look) in looks.iter().enumerate() {
            let page = PlannedPage { file, page: index as i32 + 1, turn: 0, straighten: false };
            match &look.separator {
                Some(separator) => {
                    let name = Line::new(&separator.label).unwrap_or_default();
                    parts.push(PlannedPart { name, ..PlannedPart::default() });
                    self.left_out.push(page);
                }
                None if look.is_blank => self.left_out.push(page),
                None => parts.last_mut().into_iter().for_each(|part| part.pages.push(page)),
            }
        }
        parts.retain(|part| !part.pages.is_empty());
        let are_many = parts.len() > 1;
        for (index, part) in parts.iter_mut().enumerate() {
            if part.name.is_empty() {
                let name = if are_many { format!("{stem} ({})", index + 1) } else { stem.to_owned() };
                part.name = Line::new(&name).unwrap_or_default();
            }
        }
        self.parts.extend(parts);
    }
}

impl PlannedPart {
    /// The position of the file, if the document is one complete and unchanged file.
    pub fn whole_file(&self, files: &Files) -> Option<i32> {
        let file = self.pages.first()?.file;
        let is_next = |(index, page): (usize, &PlannedPage)| {
            page.file == file && page.turn == 0 && !page.straighten && page.page == index as i32 + 1
        };
        let count = files.get(&file)?.count as usize;
        (self.pages.len() == count && self.pages.iter().enumerate().all(is_next)).then_some(file)
    }

    /// Its pages of one file, formatted for people: `1-3, 7`.
    pub fn pages_of(&self, file: i32) -> String {
        let pages: Vec<i32> =
            self.pages.iter().filter(|page| page.file == file).map(|page| page.page).collect();
        let runs = pages.chunk_by(|one, next| one + 1 == *next);
        let written = runs.map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        });
        written.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use documents::paging::Separator;

    fn page(file: i32, page: i32) -> PlannedPage {
        PlannedPage { file, page, turn: 0, straighten: false }
    }

    fn part(pages: &[PlannedPage]) -> PlannedPart {
        let name = Line::new("Letter").expect("a name");
        PlannedPart { name, pages: pages.to_vec(), ..PlannedPart::default() }
    }

    fn files() -> Files {
        let letter = FilePages { count: 1, is_whole: true };
        Files::from([(0, FilePages { count: 3, is_whole: false }), (2, letter)])
    }

    #[test]
    fn a_plan_has_every_page_once() {
        let all = [part(&[page(0, 3), page(0, 1)]), part(&[]), part(&[page(2, 1)])];
        let plan = |parts: &[PlannedPart], left_out: &[PlannedPage]| {
            Plan { parts: parts.to_vec(), left_out: left_out.to_vec() }.checked(&files(), &Pages::new())
        };
        assert_eq!(plan(&all, &[page(0, 2)]).expect("whole").parts.len(), 2, "a document without pages goes");
        assert!(plan(&all, &[]).is_err(), "page 2 is lost");
        assert!(plan(&all, &[page(0, 2), page(0, 1)]).is_err(), "page 1 stands there twice");
        assert!(plan(&all, &[page(0, 2), page(1, 1)]).is_err(), "there is no such file");
        assert!(plan(&all, &[page(0, 2), page(0, 4)]).is_err(), "there is no such page");

        let filed = Pages::from([(0, 1), (0, 3)]);
        let rest = |pages: &[PlannedPage]| Plan { parts: vec![part(pages)], left_out: vec![] };
        assert!(rest(&[page(0, 2), page(2, 1)]).checked(&files(), &filed).is_err(), "a file stays by itself");
        let two = Plan { parts: vec![part(&[page(0, 2)]), part(&[page(2, 1)])], left_out: vec![] };
        assert!(two.checked(&files(), &filed).is_ok(), "what is filed stands in no plan any more");
        assert!(
            rest(&[page(0, 2)]).checked(&files(), &Pages::from([(2, 1)])).is_err(),
            "pages 1 and 3 are lost"
        );
    }

    #[test]
    fn a_file_without_pages_is_neither_mixed_nor_turned() {
        let plan = |parts: &[PlannedPart]| {
            Plan { parts: parts.to_vec(), left_out: vec![] }.checked(&files(), &Pages::new())
        };
        let pages = [page(0, 1), page(0, 2), page(0, 3)];
        assert!(plan(&[part(&pages), part(&[page(2, 1)])]).is_ok());
        assert!(plan(&[part(&[pages[0], pages[1], pages[2], page(2, 1)])]).is_err());
        assert!(plan(&[part(&pages), part(&[PlannedPage { turn: 1, ..page(2, 1) }])]).is_err());
        assert!(plan(&[part(&pages), part(&[PlannedPage { straighten: true, ..page(2, 1) }])]).is_err());
    }

    #[test]
    fn separator_sheets_begin_documents_and_blank_pages_are_left_out() {
        let text =
            PageLook { width: 612.0, height: 792.0, is_blank: false, is_damaged: false, separator: None };
        let blank = PageLook { is_blank: true, ..text.clone() };
        let sheet =
            |label: &str| PageLook { separator: Some(Separator { label: label.into() }), ..text.clone() };
        let looks =
            [text.clone(), text.clone(), sheet("Labs"), text.clone(), blank, sheet(""), sheet(""), text];
        let mut plan = Plan::default();
        plan.add_file(4, "Scan", &looks);
        let names: Vec<&str> = plan.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(names, ["Scan (1)", "Labs", "Scan (3)"]);
        let pages: Vec<String> = plan.parts.iter().map(|part| part.pages_of(4)).collect();
        assert_eq!(pages, ["1-2", "4", "8"]);
        assert_eq!(plan.left_out, [page(4, 3), page(4, 5), page(4, 6), page(4, 7)]);
    }

    #[test]
    fn only_an_untouched_file_is_kept_as_it_came() {
        let pages = [page(0, 1), page(0, 2), page(0, 3)];
        assert_eq!(part(&pages).whole_file(&files()), Some(0));
        assert_eq!(part(&pages[..2]).whole_file(&files()), None);
        assert_eq!(part(&[pages[1], pages[0], pages[2]]).whole_file(&files()), None);
        let straight = PlannedPage { straighten: true, ..pages[2] };
        assert_eq!(part(&[pages[0], pages[1], straight]).whole_file(&files()), None);
        let turned = PlannedPage { turn: 2, ..pages[2] };
        assert_eq!(part(&[pages[0], pages[1], turned]).whole_file(&files()), None);
    }

    #[test]
    fn pages_are_written_as_runs() {
        let pages = [page(0, 1), page(0, 2), page(0, 3), page(2, 1), page(0, 9), page(0, 8)];
        assert_eq!(part(&pages).pages_of(0), "1-3, 9, 8");
    }
}
