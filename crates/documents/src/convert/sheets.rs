//! Typesets the content of a file, followed by the pages of the files in it.

use chrono::NaiveDateTime;

use super::cda::{SMALL, TEXT, blocks, lines, note};
use super::{ConversionError, typeset_at};
use crate::paging::{self, MAX_PAGES, PickedPage};
use crate::reading::{Block, Part, Reading};
use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet, Table, Typeset, Typesetter};
use crate::{Kind, pdf};

/// Maximum number of contained files whose pages follow.
const MAX_FILES: usize = 20;
/// Nesting depth from which pages of contained files are no longer shown.
const MAX_DEPTH: usize = 2;
/// Maximum length of a file name in a remark.
const NAME_MAX: usize = 200;

/// The pages of a file and of the files in it; for an archive, only a list.
pub(super) fn to_pdf(
    kind: Kind,
    reading: &Reading,
    depth: usize,
    made: Option<NaiveDateTime>,
) -> Result<Typeset, ConversionError> {
    let files =
        if kind == Kind::Zip || depth >= MAX_DEPTH { Vec::new() } else { files(&reading.parts, depth) };
    // A combination of several files is not a file for archiving.
    let mut set = sheets(kind, reading, &files, made.filter(|_| files.is_empty()))?;
    let mut picked = pages(0, &set.pdf)?;
    let mut contents = vec![set.pdf.as_slice()];
    for made in files.iter().filter_map(|file| file.made.as_ref().ok()) {
        let more = pages(contents.len(), &made.pdf)?;
        if picked.len() + more.len() > MAX_PAGES {
            break;
        }
        set.flaws.append(made.flaws.behind(picked.len() as u32));
        picked.extend(more);
        contents.push(&made.pdf);
    }
    if contents.len() > 1 {
        let together = paging::assemble(&contents, &picked);
        // Files that cannot be combined are still listed, and can be opened individually.
        if let Ok(together) = together {
            set.pdf = together;
        }
    }
    files
        .into_iter()
        .filter_map(|file| file.made.ok())
        .for_each(|mut made| set.missing.append(&mut made.missing));
    Ok(set)
}

fn pages(file: usize, content: &[u8]) -> Result<Vec<PickedPage>, ConversionError> {
    Ok((1..=pdf::page_count(content)?)
        .map(|page| PickedPage { file, page, turn: 0, straighten: false })
        .collect())
}

/// A file inside another, with its pages or the reason why there are none.
struct File<'a> {
    part: &'a Part,
    made: Result<Typeset, ConversionError>,
}

fn files(parts: &[Part], depth: usize) -> Vec<File<'_>> {
    let mut left = MAX_PAGES;
    let shown = parts.iter().filter(|part| !part.is_decoration).take(MAX_FILES).map(|part| {
        let kind = part.kind();
        let made = match kind {
            Kind::Zip | Kind::Unknown => Err(ConversionError::Unsupported),
            kind => typeset_at(kind, &part.content, depth + 1, None),
        };
        let made = made.and_then(|made| {
            let pages = pdf::page_count(&made.pdf)? as usize;
            left = left.checked_sub(pages + 1).ok_or(ConversionError::TooLarge)?;
            Ok(made)
        });
        File { part, made }
    });
    shown.collect()
}

fn sheets(
    kind: Kind,
    reading: &Reading,
    files: &[File<'_>],
    made: Option<NaiveDateTime>,
) -> Result<Typeset, ConversionError> {
    let mut page = Typesetter::new(Sheet::LETTER).with_running_head(&reading.title);
    page.heading(&reading.title, Look::new(Face::SansBold, 16.0), 0.0, 0.0);
    page.space(4.0);
    reading.blocks.iter().for_each(|block| set(&mut page, block));
    said(&mut page, files, reading.parts.iter().filter(|part| !part.is_decoration).count());
    let footer = match kind {
        Kind::Hl7 => "HL7 v2",
        Kind::Mail => "E-mail",
        Kind::Tnef => "Outlook message",
        Kind::Zip => "Archive",
        _ => "FHIR",
    };
    page.finish_at(&reading.title, Some(footer), made)
        .ok_or(ConversionError::Broken("the document cannot be set"))
}

/// States for each contained file whether its pages follow.
fn said(page: &mut Typesetter, files: &[File<'_>], all: usize) {
    if files.is_empty() {
        return;
    }
    let rows = files.iter().map(|file| {
        let name: String = file.part.name.chars().take(NAME_MAX).collect();
        let words = match &file.made {
            Ok(_) => "Its pages follow.",
            Err(_) => "It has no pages here. Open it by itself, or download it.",
        };
        vec![plain(&name), plain(words)]
    });
    page.heading("Files in it", Look::new(Face::SansBold, 12.0), 10.0, 24.0);
    page.table(&table(Vec::new(), rows.collect(), vec![1.0, 1.4]));
    if all > files.len() {
        note(page, "Further files open by themselves.");
    }
}

fn set(page: &mut Typesetter, block: &Block) {
    match block {
        Block::Heading(level, text) => {
            let size = [13.0, 11.0, 9.5][usize::from(level.clamp(&1, &3) - 1)];
            page.heading(text, Look::new(Face::SansBold, size), 8.0, 24.0);
        }
        Block::Facts(facts) => {
            let label = |label: &str| Cell::new(vec![Piece::new(label, SMALL.ink(Ink::GREY))]).shaded();
            let rows = facts.iter().map(|(name, value)| vec![label(name), Cell::new(lines(value))]);
            page.table(&table(Vec::new(), rows.collect(), vec![1.0, 2.6]));
        }
        Block::Table { head, rows } => {
            let bold = Look::new(Face::SansBold, SMALL.size);
            let head = head.iter().map(|word| Cell::new(vec![Piece::new(word.as_str(), bold)]).shaded());
            let rows = rows.iter().map(|row| row.iter().map(|cell| Cell::new(lines(cell))).collect());
            page.table(&table(vec![head.collect()], rows.collect(), Vec::new()));
        }
        Block::Text(text) => {
            for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
                let setting = Setting { after: 1.0, ..Setting::new(TEXT) };
                page.paragraph(&[Piece::new(line.trim_end(), TEXT)], setting);
            }
            page.space(6.0);
        }
        Block::Note(text) => note(page, text),
        Block::Narrative(narrative) => blocks(page, narrative, &[], 0.0),
    }
}

fn plain(text: &str) -> Cell {
    Cell::new(vec![Piece::new(text, SMALL)])
}

fn table(head: Vec<Vec<Cell>>, rows: Vec<Vec<Cell>>, shares: Vec<f32>) -> Table {
    Table { head, rows, shares, look: SMALL, padding: 3.0, grid: true, after: 8.0 }
}
