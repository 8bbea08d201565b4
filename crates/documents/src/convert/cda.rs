//! Typesets CDA documents.

use chrono::NaiveDateTime;
use clinical::cda::narrative::{self, Align, Block, Inline, List, Marker, Style};
use clinical::cda::{Body, ClinicalDocument, Media, Section, render};

use super::ConversionError;
use crate::typeset::{Cell, Face, Ink, Look, Piece, Setting, Sheet, Table, Typeset, Typesetter};

pub(super) const TEXT: Look = Look::new(Face::Sans, 9.5);
pub(super) const SMALL: Look = Look::new(Face::Sans, 8.5);

/// The document as PDF: title, header table, sections.
pub(super) fn to_pdf(
    document: &ClinicalDocument,
    made: Option<NaiveDateTime>,
) -> Result<Typeset, ConversionError> {
    let title = document.display_title();
    let who: Vec<_> = document.patients().map(|patient| patient.name.to_string()).collect();
    let who = who.join(", ");
    let running =
        [who.as_str(), title.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let mut typesetter = Typesetter::new(Sheet::LETTER).with_running_head(running.join(" · "));
    typesetter.heading(&title, Look::new(Face::SansBold, 16.0), 0.0, 0.0);
    typesetter.space(4.0);
    for warning in render::warnings(document) {
        note(&mut typesetter, &warning);
    }
    header(&mut typesetter, document);
    match &document.body {
        Body::Structured(list) => sections(&mut typesetter, list, &document.media, 0),
        Body::Unstructured(file) => note(&mut typesetter, &render::unstructured_note(file)),
        Body::Missing => note(&mut typesetter, "This document has no content that can be shown."),
    }
    if let Some(people) = render::people(document) {
        typesetter.heading(render::PEOPLE, Look::new(Face::SansBold, 12.0), 10.0, 24.0);
        set_table(&mut typesetter, &people);
    }
    let footer = document.standard().unwrap_or("CDA");
    typesetter
        .finish_at(&title, Some(footer), made)
        .ok_or(ConversionError::Broken("the document cannot be set"))
}

fn header(typesetter: &mut Typesetter, document: &ClinicalDocument) {
    let facts = render::header_rows(document);
    let rows = facts.chunks(2).map(|pair| {
        let mut row = Vec::new();
        for (label, value) in pair {
            row.push(Cell::new(vec![Piece::new(*label, SMALL.ink(Ink::GREY))]).shaded());
            row.push(Cell::new(lines(value)));
        }
        if let [_, last] = &mut row[..] {
            last.columns = 3;
        }
        row
    });
    typesetter.table(&Table {
        head: Vec::new(),
        rows: rows.collect(),
        shares: vec![1.0, 2.2, 1.0, 2.2],
        look: SMALL,
        padding: 4.0,
        grid: true,
        after: 6.0,
    });
}

/// Lines of a table value.
pub(super) fn lines(value: &str) -> Vec<Piece> {
    let pieces = value.lines().flat_map(|line| [Piece::Break, Piece::new(line, SMALL)]);
    pieces.skip(1).collect()
}

/// Adds a remark.
pub(super) fn note(typesetter: &mut Typesetter, words: &str) {
    let look = Look::new(Face::SansItalic, TEXT.size).ink(Ink::GREY);
    typesetter.paragraph(&[Piece::new(words, look)], Setting::new(look));
}

fn sections(typesetter: &mut Typesetter, list: &[Section], media: &[Media], level: usize) {
    for section in list {
        let size = [12.0, 10.5, 9.5][level.min(2)];
        typesetter.heading(&section.title, Look::new(Face::SansBold, size), 10.0, 24.0);
        if section.narrative.is_empty() && section.sections.is_empty() {
            note(typesetter, "No text.");
        }
        blocks(typesetter, &section.narrative, media, 0.0);
        sections(typesetter, &section.sections, media, level + 1);
    }
}

/// Adds narrative.
pub(super) fn blocks(typesetter: &mut Typesetter, list: &[Block], media: &[Media], indent: f32) {
    for block in list {
        match block {
            Block::Paragraph(inlines) => {
                typesetter.paragraph(&pieces(inlines, TEXT), Setting { indent, ..Setting::new(TEXT) });
            }
            Block::List(list) => set_list(typesetter, list, media, indent),
            Block::Table(table) => set_table(typesetter, table),
            Block::Picture(id) => picture(typesetter, media.iter().find(|media| &media.id == id)),
        }
    }
}

fn set_list(typesetter: &mut Typesetter, list: &List, media: &[Media], indent: f32) {
    caption(typesetter, &list.caption);
    for (index, item) in list.items.iter().enumerate() {
        let (first, rest) = match item.split_first() {
            Some((Block::Paragraph(inlines), rest)) => (pieces(inlines, TEXT), rest),
            _ => (Vec::new(), &item[..]),
        };
        let marker = marker(list.marker, index);
        let setting =
            Setting { indent: indent + 16.0, marker: Some(&marker), after: 2.0, ..Setting::new(TEXT) };
        if !first.is_empty() {
            typesetter.paragraph(&first, setting);
        }
        blocks(typesetter, rest, media, indent + 16.0);
    }
    typesetter.space(4.0);
}

fn marker(kind: Marker, index: usize) -> String {
    let letter = |base: u8| char::from(base + (index % 26) as u8);
    match kind {
        Marker::Disc | Marker::Square => "•".to_owned(),
        Marker::Circle => "o".to_owned(),
        Marker::Arabic => format!("{}.", index + 1),
        Marker::LittleAlpha => format!("{}.", letter(b'a')),
        Marker::BigAlpha => format!("{}.", letter(b'A')),
        Marker::LittleRoman => format!("{}.", roman(index + 1).to_lowercase()),
        Marker::BigRoman => format!("{}.", roman(index + 1)),
    }
}

fn roman(mut number: usize) -> String {
    let digits =
        [(100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")];
    let mut out = String::new();
    for (value, letters) in digits {
        while number >= value {
            out.push_str(letters);
            number -= value;
        }
    }
    out
}

fn caption(typesetter: &mut Typesetter, inlines: &[Inline]) {
    if !inlines.is_empty() {
        let bold = Look::new(Face::SansBold, TEXT.size);
        typesetter.need(30.0);
        typesetter.paragraph(&pieces(inlines, bold), Setting { after: 3.0, ..Setting::new(bold) });
    }
}

fn set_table(typesetter: &mut Typesetter, table: &narrative::Table) {
    caption(typesetter, &table.caption);
    let rows =
        |rows: &[Vec<narrative::Cell>]| rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    typesetter.table(&Table {
        head: rows(&table.head),
        rows: rows(&table.rows),
        shares: Vec::new(),
        look: SMALL,
        padding: 3.0,
        grid: true,
        after: 8.0,
    });
}

fn cell(cell: &narrative::Cell) -> Cell {
    let look = if cell.heading { Look::new(Face::SansBold, SMALL.size) } else { SMALL };
    let mut content = Vec::new();
    flatten(&cell.content, look, &mut content);
    Cell {
        content,
        shaded: cell.heading,
        columns: cell.columns.into(),
        rows: cell.rows.into(),
        right: cell.align == Align::End,
    }
}

/// Converts blocks inside a cell to lines: cells of real documents contain little more than text and short
/// lists.
fn flatten(blocks: &[Block], look: Look, out: &mut Vec<Piece>) {
    for block in blocks {
        match block {
            Block::Paragraph(inlines) => {
                next_line(out);
                out.extend(pieces(inlines, look));
            }
            Block::List(list) => {
                flatten_caption(&list.caption, look, out);
                for (index, item) in list.items.iter().enumerate() {
                    next_line(out);
                    out.push(Piece::new(format!("{} ", marker(list.marker, index)), look));
                    let mut inner = Vec::new();
                    flatten(item, look, &mut inner);
                    out.extend(inner);
                }
            }
            Block::Table(table) => {
                flatten_caption(&table.caption, look, out);
                for row in table.head.iter().chain(&table.rows) {
                    next_line(out);
                    let cells: Vec<_> = row.iter().map(|cell| narrative::plain_text(&cell.content)).collect();
                    out.push(Piece::new(cells.join("  ").replace('\n', " "), look));
                }
            }
            Block::Picture(_) => {
                next_line(out);
                out.push(Piece::new("[picture]", look));
            }
        }
    }
}

fn flatten_caption(caption: &[Inline], look: Look, out: &mut Vec<Piece>) {
    if !caption.is_empty() {
        next_line(out);
        out.extend(pieces(caption, look));
    }
}

fn next_line(out: &mut Vec<Piece>) {
    if !out.is_empty() {
        out.push(Piece::Break);
    }
}

fn pieces(inlines: &[Inline], base: Look) -> Vec<Piece> {
    let piece = |inline: &Inline| match inline {
        Inline::Break => Piece::Break,
        Inline::Run { text, style, link } => {
            Piece::Text { text: text.clone(), look: styled(base, *style, link.is_some()), link: link.clone() }
        }
    };
    inlines.iter().map(piece).collect()
}

fn styled(mut look: Look, style: Style, link: bool) -> Look {
    if style.italic {
        look.face = Face::SansItalic;
    }
    if style.bold {
        look.face = Face::SansBold;
    }
    if style.subscript || style.superscript {
        look.rise = if style.subscript { -look.size * 0.15 } else { look.size * 0.35 };
        look.size *= 0.7;
    }
    if link {
        look.ink = Ink::LINK;
    }
    look.underline |= style.underline || link;
    look.struck |= style.struck;
    look
}

fn picture(typesetter: &mut Typesetter, media: Option<&Media>) {
    let Some(image) = media.and_then(|media| super::images::picture(&media.content)) else {
        return note(typesetter, "A picture that is not part of this document cannot be shown.");
    };
    typesetter.picture(image, 320.0);
}
