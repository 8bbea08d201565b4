//! Files with structured content that carry other files: HL7 v2 messages, mails, FHIR resources, archives.
//! Each is read into the same few blocks, which are typeset as pages, and into its parts. Call it inside the
//! [`crate::worker`] process only.

mod cda;
mod fhir;
mod fhir_standing;
mod fhir_words;
mod hl7;
mod hl7_names;
mod hl7_standing;
mod mail;
mod package;
mod tnef;

use clinical::cda::narrative;
use serde::{Deserialize, Serialize};

use crate::error::ConversionError;
use crate::{Kind, kind};

pub(crate) use fhir::is_fhir_xml;
pub(crate) use hl7::patient as hl7_patient;
pub(crate) use package::patients as patients_of_package;

/// Maximum number of listed parts of a file.
pub const MAX_PARTS: usize = 500;
/// Maximum size of all parts of a file together, in bytes.
pub const MAX_PART_BYTES: usize = 96 << 20;
/// Maximum number of characters in the blocks of a file; about 3,000 pages.
const MAX_CHARS: usize = 12_000_000;
/// Maximum length of a field that is shown in full.
const MAX_FIELD: usize = 20_000;
/// Maximum number of rows of all tables together.
const MAX_ROWS: usize = 20_000;

/// Content of a file, ready for typesetting, and the files in it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub title: String,
    pub blocks: Vec<Block>,
    pub parts: Vec<Part>,
    chars: usize,
    rows: usize,
    part_bytes: usize,
    /// Remarks that are made only once, even if they concern several things.
    remarks: Vec<&'static str>,
}

/// A block of content.
#[derive(Debug, PartialEq)]
pub(crate) enum Block {
    /// A heading of level 1 to 3.
    Heading(u8, String),
    /// Labels and values.
    Facts(Vec<(String, String)>),
    Table {
        head: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    /// Running text with line breaks.
    Text(String),
    /// A remark of ours.
    Note(String),
    Narrative(Vec<narrative::Block>),
}

/// A file inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Name with an extension, without folders.
    pub name: String,
    /// Title in the containing file; may be empty.
    pub title: String,
    pub content: Vec<u8>,
    /// Whether it is decoration of the text, such as the logo of a mail. Decoration gets no pages of its own.
    pub is_decoration: bool,
}

impl Part {
    pub fn kind(&self) -> Kind {
        kind::kind_of(&self.name, &self.content)
    }

    pub fn info(&self) -> PartInfo {
        let kind = self.kind();
        PartInfo {
            name: self.name.clone(),
            title: self.title.clone(),
            kind,
            size: self.content.len() as u64,
            has_parts: kind.has_parts(),
        }
    }
}

/// Properties of a file inside a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartInfo {
    /// Name with an extension, without folders.
    pub name: String,
    /// Title in the containing file; may be empty.
    pub title: String,
    /// Kind of its content.
    pub kind: Kind,
    /// Size in bytes.
    pub size: u64,
    /// Whether it may contain files itself.
    pub has_parts: bool,
}

/// Reads a file of a kind that has blocks; [`ConversionError::Unsupported`] for other kinds.
pub(crate) fn read(kind: Kind, content: &[u8]) -> Result<Reading, ConversionError> {
    match kind {
        Kind::Hl7 => hl7::read(content),
        Kind::Mail => mail::read(content),
        Kind::Tnef => tnef::read(content),
        Kind::Zip => package::read(content),
        Kind::Fhir => fhir::read_json(&crate::text::decode(content)),
        Kind::Xml => fhir::read_xml(&crate::text::decode(content)),
        _ => Err(ConversionError::Unsupported),
    }
}

/// Properties of the files in a file, in order.
pub fn list(kind: Kind, content: &[u8]) -> Result<Vec<PartInfo>, ConversionError> {
    Ok(parts(kind, content)?.iter().map(Part::info).collect())
}

/// The files in a file, in order; empty for a kind without any.
pub(crate) fn parts(kind: Kind, content: &[u8]) -> Result<Vec<Part>, ConversionError> {
    match kind {
        Kind::Xml if !is_fhir_xml(&crate::text::decode(content)) => Ok(Vec::new()),
        _ if !kind.has_parts() => Ok(Vec::new()),
        Kind::Cda => cda::parts(content),
        _ => Ok(read(kind, content)?.parts),
    }
}

impl Reading {
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    pub fn heading(&mut self, level: u8, text: &str) {
        let text = self.counted(text);
        if !text.trim().is_empty() {
            self.blocks.push(Block::Heading(level, text));
        }
    }

    /// Adds facts; those without a value are left out.
    pub fn facts(&mut self, facts: impl IntoIterator<Item = (String, String)>) {
        let mut kept = Vec::new();
        for (label, value) in facts {
            if !value.trim().is_empty() && self.row() {
                kept.push((label, self.counted(value.trim_end())));
            }
        }
        if !kept.is_empty() {
            self.blocks.push(Block::Facts(kept));
        }
    }

    /// Adds a table; columns without any value are left out.
    pub fn table(&mut self, head: &[&str], rows: Vec<Vec<String>>) {
        let used: Vec<bool> = (0..head.len())
            .map(|at| rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.trim().is_empty())))
            .collect();
        let mut kept = Vec::new();
        for row in rows {
            if self.row() {
                let cells = row.iter().zip(&used).filter(|(_, used)| **used);
                kept.push(cells.map(|(cell, _)| self.counted(cell.trim_end())).collect());
            }
        }
        if !kept.is_empty() {
            let head = head.iter().zip(&used).filter(|(_, used)| **used).map(|(word, _)| (*word).to_owned());
            self.blocks.push(Block::Table { head: head.collect(), rows: kept });
        }
    }

    /// Adds running text, cut at the limit of the whole file.
    pub fn text(&mut self, text: &str) {
        let text = text.trim_end();
        if text.trim().is_empty() {
            return;
        }
        let kept: String = text.chars().take(MAX_CHARS.saturating_sub(self.chars)).collect();
        self.chars += kept.len();
        let is_cut = kept.len() < text.len();
        self.blocks.push(Block::Text(kept));
        if is_cut {
            self.note("The rest of the text is not shown here.");
        }
    }

    pub fn note(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Note(text.into()));
    }

    /// Adds a remark unless it was already made.
    pub fn note_once(&mut self, text: &'static str) {
        if !self.remarks.contains(&text) {
            self.remarks.push(text);
            self.note(text);
        }
    }

    pub fn narrative(&mut self, blocks: Vec<narrative::Block>) {
        self.chars += narrative::plain_text(&blocks).len();
        if self.chars > MAX_CHARS {
            self.note_once("The file has more text than is shown here.");
        } else if !blocks.is_empty() {
            self.blocks.push(Block::Narrative(blocks));
        }
    }

    /// Adds a part up to the limits. Returns its number, counted from 1.
    pub fn part(&mut self, part: Part) -> Option<usize> {
        self.part_bytes = self.part_bytes.saturating_add(part.content.len());
        if self.parts.len() >= MAX_PARTS || self.part_bytes > MAX_PART_BYTES {
            return None;
        }
        self.parts.push(part);
        Some(self.parts.len())
    }

    /// Whether another row is allowed; adds a remark at the first one that is not.
    fn row(&mut self) -> bool {
        self.rows += 1;
        if self.rows == MAX_ROWS + 1 {
            self.note("The file has more rows than are shown here.");
        }
        self.rows <= MAX_ROWS
    }

    fn counted(&mut self, text: &str) -> String {
        let room = MAX_FIELD.min(MAX_CHARS.saturating_sub(self.chars));
        let text = shortened(text, room);
        self.chars += text.len();
        text
    }

    /// The text of all blocks, for search and extraction.
    pub fn plain_text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for block in &self.blocks {
            match block {
                Block::Heading(_, text) | Block::Text(text) | Block::Note(text) => {
                    out.push_str(text);
                    out.push('\n');
                }
                Block::Facts(facts) => {
                    facts.iter().for_each(|(label, value)| out.push_str(&format!("{label}: {value}\n")));
                }
                Block::Table { head, rows } => {
                    for row in std::iter::once(head).chain(rows) {
                        out.push_str(&row.join("\t"));
                        out.push('\n');
                    }
                }
                Block::Narrative(blocks) => {
                    out.push_str(&narrative::plain_text(blocks));
                    out.push('\n');
                }
            }
        }
        out
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(60.min(most)).collect();
    let left = text.chars().count() - start.chars().count();
    format!("{start}... ({left} characters left out)")
}

/// A file name without folders and control characters. If it has no extension, that of its content is added.
fn file_name(given: &str, content: &[u8], number: usize) -> String {
    let base = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let base: String = base.chars().filter(|c| !c.is_control()).take(200).collect();
    let base = base.trim();
    let base = if base.is_empty() { format!("document-{number}") } else { base.to_owned() };
    match kind::extension(&base) {
        Some(_) => base,
        None => format!("{base}.{}", kind::kind_of(&base, content).extension()),
    }
}

/// A size as text for people.
fn size_words(bytes: usize) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KB", bytes.div_ceil(1_024)),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_have_no_folders_and_always_an_extension() {
        assert_eq!(file_name("../../etc/x", b"%PDF-1.7", 1), "x.pdf");
        assert_eq!(file_name("", b"hello", 3), "document-3.txt");
        assert_eq!(file_name("C:\\scans\\a.tif", b"", 1), "a.tif");
    }

    #[test]
    fn a_reading_has_an_end() {
        let mut reading = Reading::new("t");
        reading.table(&["a"], (0..MAX_ROWS + 5).map(|at| vec![at.to_string()]).collect());
        let rows = |block: &Block| if let Block::Table { rows, .. } = block { rows.len() } else { 0 };
        assert_eq!(reading.blocks.iter().map(rows).sum::<usize>(), MAX_ROWS);
        assert_eq!(reading.blocks.iter().filter(|block| matches!(block, Block::Note(_))).count(), 1);
        assert!(shortened(&"x".repeat(500), 100).ends_with("(440 characters left out)"));
    }
}
