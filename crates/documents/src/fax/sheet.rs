//! Sheets in front of the documents of a fax.

use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};

use crate::convert;
use crate::error::ConversionError;
use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet as Paper, Table, Typeset, Typesetter};

/// A sheet in front of the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sheet {
    /// Cover sheet with sender and recipient.
    Cover(Box<Cover>),
    /// Details of the message: a label and a value per line.
    Details {
        /// Title of the sheet.
        title: String,
        /// Labels and values.
        rows: Vec<(String, String)>,
    },
    /// The sender's message.
    Message {
        /// Subject; may be empty.
        subject: String,
        /// Plain text.
        text: String,
    },
    /// List of attachments.
    Attachments(Vec<Attachment>),
    /// Several sheets, one below the other on as few pages as possible.
    Together(Vec<Sheet>),
}

/// A line of the list of attachments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// File name or title.
    pub name: String,
    /// The sender's description.
    pub description: String,
    /// Number of pages, if known.
    pub pages: Option<u32>,
}

/// A cover sheet. Empty fields are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// Name at the top: the organization or its brand.
    pub brand: String,
    /// Picture at the top (PNG, JPEG, GIF, BMP); left out if it cannot be read.
    pub logo: Option<Vec<u8>>,
    /// Address and telephone lines below the name.
    pub address: Vec<String>,
    /// Recipient.
    pub to_name: String,
    /// Number to call, as displayed.
    pub to_number: String,
    /// Sender.
    pub from_name: String,
    /// Number of the sender, as displayed.
    pub from_number: String,
    /// Date, by the sender's clock.
    pub date: NaiveDateTime,
    /// Number of pages of the whole fax including this sheet; set when the pages are counted.
    pub pages: u32,
    /// Subject.
    pub subject: String,
    /// Remarks; cut to the space on the sheet.
    pub comments: String,
    /// Confidentiality notice.
    pub notice: String,
}

const TITLE: Look = Look::new(Face::SansBold, 30.0).ink(INK);
const HEAD: Look = Look::new(Face::SansBold, 15.0).ink(INK);
const TEXT: Look = Look::new(Face::Sans, 12.0).ink(INK);
const LABEL: Look = Look::new(Face::SansBold, 12.0).ink(INK);
/// Faxes have no grey.
const INK: Ink = Ink(0, 0, 0);
/// Maximum length of the remarks on a cover sheet, in characters.
const MAX_COMMENTS: usize = 1_200;
/// Maximum length of the notice on a cover sheet, in characters.
const MAX_NOTICE: usize = 1_500;
const FAILED: ConversionError = ConversionError::Broken("the sheet cannot be set");

impl Sheet {
    /// The sheet as PDF. A cover is always a single page.
    pub(super) fn typeset(&self) -> Result<Typeset, ConversionError> {
        let mut typesetter = Typesetter::new(Paper { top: 44.0, ..Paper::LETTER });
        self.set(&mut typesetter);
        typesetter.finish("Fax", None).ok_or(FAILED)
    }

    fn set(&self, typesetter: &mut Typesetter) {
        match self {
            Self::Cover(cover) => cover.set(typesetter),
            Self::Details { title, rows } => details(typesetter, title, rows),
            Self::Message { subject, text } => message(typesetter, subject, text),
            Self::Attachments(attachments) => list(typesetter, attachments),
            Self::Together(sheets) => {
                for (place, sheet) in sheets.iter().enumerate() {
                    if place > 0 {
                        typesetter.space(14.0);
                    }
                    sheet.set(typesetter);
                }
            }
        }
    }
}

impl Cover {
    fn set(&self, typesetter: &mut Typesetter) {
        if let Some(logo) = self.logo.as_deref().and_then(convert::picture) {
            typesetter.picture(logo, 70.0);
        }
        typesetter.heading(&cut(&self.brand, 200), HEAD, 0.0, 0.0);
        for line in self.address.iter().take(5) {
            typesetter
                .paragraph(&[Piece::new(cut(line, 120), TEXT)], Setting { after: 0.0, ..Setting::new(TEXT) });
        }
        typesetter.space(16.0);
        typesetter.heading("FAX", TITLE, 0.0, 0.0);
        typesetter.rule(1.5, INK);
        typesetter.space(10.0);
        let pages = if self.pages == 0 { String::new() } else { format!("{} with this cover", self.pages) };
        let rows = [
            ("To", self.to_name.clone()),
            ("Fax", self.to_number.clone()),
            ("From", self.from_name.clone()),
            ("Fax of sender", self.from_number.clone()),
            ("Date", self.date.format("%B %-d, %Y %-I:%M %p").to_string()),
            ("Pages", pages),
            ("Subject", self.subject.clone()),
        ];
        pairs(typesetter, rows.map(|(label, value)| (label.to_owned(), cut(&value, 300))).as_slice());
        paragraphs(typesetter, &cut(&self.comments, MAX_COMMENTS), TEXT);
        if !self.notice.is_empty() {
            typesetter.space(10.0);
            typesetter.rule(0.8, INK);
            typesetter.space(8.0);
            paragraphs(typesetter, &cut(&self.notice, MAX_NOTICE), Look::new(Face::Sans, 10.0).ink(INK));
        }
    }
}

fn details(typesetter: &mut Typesetter, title: &str, rows: &[(String, String)]) {
    typesetter.heading(title, HEAD, 0.0, 40.0);
    typesetter.space(6.0);
    pairs(typesetter, rows);
}

fn message(typesetter: &mut Typesetter, subject: &str, text: &str) {
    if !subject.is_empty() {
        typesetter.heading(subject, HEAD, 0.0, 40.0);
        typesetter.space(6.0);
    }
    paragraphs(typesetter, text, TEXT);
}

fn list(typesetter: &mut Typesetter, attachments: &[Attachment]) {
    typesetter.heading("Attachments", HEAD, 0.0, 40.0);
    typesetter.space(6.0);
    let head = ["Name", "Description", "Pages"].map(|words| Cell::new(vec![Piece::new(words, LABEL)])).into();
    let cell = |text: String| Cell::new(vec![Piece::new(text, TEXT)]);
    let rows = attachments.iter().map(|attachment| {
        let pages = attachment.pages.map(|pages| pages.to_string()).unwrap_or_default();
        vec![cell(attachment.name.clone()), cell(attachment.description.clone()), cell(pages)]
    });
    typesetter.table(&table(vec![head], rows.collect(), vec![5.0, 7.0, 1.5]));
}

/// Adds labels with their values; empty values are left out.
fn pairs(typesetter: &mut Typesetter, rows: &[(String, String)]) {
    let cell = |text: &str, look| Cell::new(vec![Piece::new(text, look)]);
    let filled = rows.iter().filter(|(_, value)| !value.trim().is_empty());
    let rows: Vec<_> = filled.map(|(label, value)| vec![cell(label, LABEL), cell(value, TEXT)]).collect();
    if !rows.is_empty() {
        typesetter.table(&table(vec![], rows, vec![1.0, 3.0]));
    }
}

fn table(head: Vec<Vec<Cell>>, rows: Vec<Vec<Cell>>, shares: Vec<f32>) -> Table {
    Table { head, rows, shares, look: TEXT, padding: 4.0, grid: false, after: 14.0 }
}

fn paragraphs(typesetter: &mut Typesetter, text: &str, look: Look) {
    for line in text.replace("\r\n", "\n").trim_end().split('\n') {
        typesetter
            .paragraph(&[Piece::new(line.trim_end(), look)], Setting { after: 2.0, ..Setting::new(look) });
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    format!("{}...", text.chars().take(most).collect::<String>().trim_end())
}
