//! Reports: a table with a head over one or more pages, for keeping.

use chrono::NaiveDateTime;

use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet, Table, Typesetter};

/// Content of a report. All texts are ready for display.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    pub title: String,
    /// Lines below the title: organization, period, time of creation.
    pub head: Vec<String>,
    /// Time of creation, UTC.
    pub at: NaiveDateTime,
    pub columns: Vec<String>,
    /// Relative widths of the columns.
    pub shares: Vec<f32>,
    pub rows: Vec<Vec<String>>,
}

const TITLE: Look = Look::new(Face::SansBold, 18.0);
const TEXT: Look = Look::new(Face::Sans, 8.0);
const LABEL: Look = Look::new(Face::SansBold, 8.0);
const SMALL: Look = Look::new(Face::Sans, 9.0).ink(Ink::GREY);

impl Report {
    /// The report with page numbers. `None` if the fonts cannot be used.
    pub fn to_pdf(&self) -> Option<Vec<u8>> {
        let mut page = Typesetter::new(Sheet::LETTER).with_running_head(self.title.as_str());
        page.heading(&self.title, TITLE, 0.0, 0.0);
        for line in &self.head {
            page.paragraph(
                &[Piece::new(line.as_str(), SMALL)],
                Setting { after: 0.0, ..Setting::new(SMALL) },
            );
        }
        page.space(10.0);
        let cell = |text: &String, look| Cell::new(vec![Piece::new(text.as_str(), look)]);
        if !self.rows.is_empty() {
            page.table(&Table {
                head: vec![self.columns.iter().map(|column| cell(column, LABEL).shaded()).collect()],
                rows: self.rows.iter().map(|row| row.iter().map(|text| cell(text, TEXT)).collect()).collect(),
                shares: self.shares.clone(),
                look: TEXT,
                padding: 3.0,
                grid: false,
                after: 0.0,
            });
        }
        page.finish_to_keep(&self.title, Some(&self.title), self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf;

    #[test]
    fn a_long_report_has_its_heads_and_numbers_on_each_page() {
        let row = |number: u32| vec![format!("event {number}"), "Delivered".to_owned()];
        let report = Report {
            title: "Activity report".into(),
            head: vec!["Larkfield Family Medicine".into()],
            columns: vec!["Time".into(), "What".into()],
            shares: vec![1.0, 1.0],
            rows: (1..=200).map(row).collect(),
            ..Report::default()
        };
        let bytes = report.to_pdf().unwrap();
        let pages = pdf::text(&bytes).unwrap();
        assert!(pages.len() > 2);
        for (page, number) in pages.iter().zip(1..) {
            assert!(
                page.contains("What") && page.contains(&format!("Page {number} of {}", pages.len())),
                "{page}"
            );
        }
        assert!(pages.last().unwrap().contains("event 200"));
    }
}
