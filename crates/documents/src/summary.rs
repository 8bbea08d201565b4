//! Summary of a sent message: its content, and its delivery to each recipient.

use chrono::NaiveDateTime;

use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet, Table, Typesetter};

/// Content of the summary. All texts are ready for display; empty texts are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliverySummary {
    /// Sending organization.
    pub organization: String,
    /// Time of creation, as text.
    pub made: String,
    /// Time of creation, UTC, for the metadata.
    pub at: NaiveDateTime,
    /// Labels and values: subject, sender, patient …
    pub facts: Vec<(String, String)>,
    pub recipients: Vec<Recipient>,
    /// Names of the files, with their descriptions.
    pub files: Vec<(String, String)>,
}

/// Delivery to one recipient.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recipient {
    pub name: String,
    /// Address or fax number.
    pub address: String,
    /// State, such as Delivered or Failed.
    pub state: String,
    /// Events with their times; the reason of a failure last.
    pub course: Vec<String>,
}

const TITLE: Look = Look::new(Face::SansBold, 20.0);
const HEAD: Look = Look::new(Face::SansBold, 12.0);
const TEXT: Look = Look::new(Face::Sans, 10.0);
const LABEL: Look = Look::new(Face::SansBold, 10.0);
const SMALL: Look = Look::new(Face::Sans, 9.0).ink(Ink::GREY);

impl DeliverySummary {
    /// The summary on US Letter pages. `None` if the fonts cannot be used.
    pub fn to_pdf(&self) -> Option<Vec<u8>> {
        let mut page = Typesetter::new(Sheet::LETTER).with_running_head("Delivery summary");
        page.heading("Delivery summary", TITLE, 0.0, 0.0);
        paragraph(&mut page, &self.organization, TEXT);
        paragraph(&mut page, &self.made, SMALL);
        page.space(8.0);
        let facts = self.facts.iter().filter(|(_, value)| !value.trim().is_empty());
        let facts = facts.map(|(label, value)| vec![cell(label, LABEL), cell(value, TEXT)]);
        table(&mut page, vec![], facts.collect(), vec![1.0, 4.0]);
        page.heading("Recipients", HEAD, 6.0, 40.0);
        let rows = self.recipients.iter().map(Recipient::row);
        table(&mut page, head(["Recipient", "Result", "Course"]), rows.collect(), vec![4.6, 1.5, 4.4]);
        if !self.files.is_empty() {
            page.heading("Attachments", HEAD, 6.0, 40.0);
            let rows = self.files.iter().map(|(name, said)| vec![cell(name, TEXT), cell(said, TEXT)]);
            table(&mut page, head(["File", "Document"]), rows.collect(), vec![1.0, 1.0]);
        }
        page.finish_to_keep("Delivery summary", Some(&self.organization), self.at)
    }
}

impl Recipient {
    fn row(&self) -> Vec<Cell> {
        let who = [&self.name, &self.address].into_iter().filter(|text| !text.is_empty());
        vec![lines(who), cell(&self.state, LABEL), lines(self.course.iter())]
    }
}

fn head<const N: usize>(words: [&str; N]) -> Vec<Vec<Cell>> {
    vec![words.map(|word| cell(word, LABEL).shaded()).into()]
}

fn cell(text: &str, look: Look) -> Cell {
    Cell::new(vec![Piece::new(text, look)])
}

fn lines<'a>(texts: impl Iterator<Item = &'a String>) -> Cell {
    let pieces: Vec<_> =
        texts.flat_map(|text| [Piece::Break, Piece::new(text.as_str(), TEXT)]).skip(1).collect();
    Cell::new(pieces)
}

fn table(page: &mut Typesetter, head: Vec<Vec<Cell>>, rows: Vec<Vec<Cell>>, shares: Vec<f32>) {
    if !rows.is_empty() {
        page.table(&Table { head, rows, shares, look: TEXT, padding: 4.0, grid: false, after: 14.0 });
    }
}

fn paragraph(page: &mut Typesetter, text: &str, look: Look) {
    if !text.is_empty() {
        page.paragraph(&[Piece::new(text, look)], Setting { after: 0.0, ..Setting::new(look) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_made_to_be_kept() {
        let row = Recipient { name: "Łucja Żak".into(), state: "Delivered".into(), ..Recipient::default() };
        let summary = DeliverySummary { recipients: vec![row], ..DeliverySummary::default() };
        let pdf = summary.to_pdf().unwrap();
        let has = |words: &str| pdf.windows(words.len()).any(|part| part == words.as_bytes());
        assert!(has("<pdfaid:part>2</pdfaid:part>") && has("/OutputIntents"));
    }
}
