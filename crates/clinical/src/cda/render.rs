//! One safe HTML page of a document.
//!
//! The page needs no scripts, other files or network. It is made for a sandboxed frame under `default-src 'none';
//! style-src 'unsafe-inline'; img-src data:`. All text is escaped and every element is written here, so none of the
//! sender's markup reaches the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::model::narrative::{Align, Block, Cell, Inline, List, Marker, Style, Table};
use super::model::*;
use crate::record_number::Kind;

const STYLES: &str = include_str!("render.css");

/// The whole page, UTF-8.
pub fn html(document: &ClinicalDocument) -> String {
    let mut page = Page { out: String::with_capacity(16 * 1024), media: &document.media };
    let title = document.display_title();
    page.raw("<!DOCTYPE html>\n<html lang=\"");
    page.text(document.language.as_deref().unwrap_or("en"));
    page.raw("\"><head><meta charset=\"utf-8\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.embedded(&document.body);
    page.raw("<title>");
    page.text(&title);
    page.raw("</title><style>");
    page.raw(STYLES);
    page.raw("</style></head><body><h1>");
    page.text(&title);
    page.raw("</h1>");
    for warning in warnings(document) {
        page.warning(&warning);
    }
    page.header(document);
    let people = people(document);
    page.body(&document.body, people.is_some());
    if let Some(table) = people {
        page.people(&table);
    }
    page.raw("</body></html>\n");
    page.out
}

/// Warnings for readers: defects of the file, and several patients.
pub fn warnings(document: &ClinicalDocument) -> Vec<String> {
    let several = match document.patients().count() {
        0 | 1 => None,
        count => Some(format!(
            "This document names {count} patients. Find out which of them it is about before you file it or act on it."
        )),
    };
    document.notice.iter().cloned().chain(several).collect()
}

/// HTML of one section's narrative, without its title and sub-sections: a fragment for one of our pages.
pub fn section_html(section: &Section, media: &[Media]) -> String {
    let mut page = Page { out: String::new(), media };
    page.blocks(&section.narrative);
    page.out
}

struct Page<'a> {
    out: String,
    media: &'a [Media],
}

impl Page<'_> {
    fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            self.raw(&rest[..at]);
            self.raw(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'"' => "&quot;",
                _ => "&#39;",
            });
            rest = &rest[at + 1..];
        }
        self.raw(rest);
    }

    fn header(&mut self, document: &ClinicalDocument) {
        self.raw("<table class=\"header\"><tbody>");
        for row in header_rows(document).chunks(2) {
            self.raw("<tr>");
            for (label, value) in row {
                self.raw("<th scope=\"row\">");
                self.text(label);
                self.raw(if row.len() == 1 { "</th><td colspan=\"3\">" } else { "</th><td>" });
                self.lines(value);
                self.raw("</td>");
            }
            self.raw("</tr>");
        }
        self.raw("</tbody></table>");
    }

    /// Marks the page of a document with an embedded file, so that a viewer may show the file instead.
    fn embedded(&mut self, body: &Body) {
        if let Body::Unstructured(Unstructured::Embedded { media_type, .. }) = body {
            self.raw("<meta name=\"embedded-file\" content=\"");
            self.text(media_type);
            self.raw("\">");
        }
    }

    fn lines(&mut self, value: &str) {
        for (index, line) in value.lines().enumerate() {
            if index > 0 {
                self.raw("<br>");
            }
            self.text(line);
        }
    }

    fn body(&mut self, body: &Body, people: bool) {
        match body {
            Body::Structured(sections) if sections.is_empty() => self.note("This document has no sections."),
            Body::Structured(sections) => {
                self.contents(sections, people);
                self.sections(sections, "s", 2);
            }
            Body::Unstructured(file) => self.note(&unstructured_note(file)),
            Body::Missing => self.note("This document has no content that can be shown."),
        }
    }

    fn note(&mut self, text: &str) {
        self.raw("<p class=\"note\">");
        self.text(text);
        self.raw("</p>");
    }

    fn people(&mut self, table: &Table) {
        self.raw(&format!("<section id=\"people\"><h2>{PEOPLE}</h2>"));
        self.table(table);
        self.raw("</section>");
    }

    fn warning(&mut self, text: &str) {
        self.raw("<p class=\"warning\" role=\"note\">");
        self.text(text);
        self.raw("</p>");
    }

    fn contents(&mut self, sections: &[Section], people: bool) {
        self.raw("<nav aria-label=\"Contents\"><h2>Contents</h2><ol>");
        for (index, section) in sections.iter().enumerate() {
            self.raw(&format!("<li><a href=\"#s{}\">", index + 1));
            self.text(&section.title);
            self.raw("</a></li>");
        }
        if people {
            self.raw(&format!("<li><a href=\"#people\">{PEOPLE}</a></li>"));
        }
        self.raw("</ol></nav>");
    }

    fn sections(&mut self, sections: &[Section], prefix: &str, level: usize) {
        for (index, section) in sections.iter().enumerate() {
            let id = format!("{prefix}{}", index + 1);
            let tag = format!("h{}", level.min(6));
            self.raw(&format!("<section id=\"{id}\"><{tag}>"));
            self.text(&section.title);
            self.raw(&format!("</{tag}>"));
            if section.narrative.is_empty() && section.sections.is_empty() {
                self.note("No text.");
            }
            self.blocks(&section.narrative);
            self.sections(&section.sections, &format!("{id}."), level + 1);
            self.raw("</section>");
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Paragraph(inlines) => {
                    self.raw("<p>");
                    self.inlines(inlines);
                    self.raw("</p>");
                }
                Block::List(list) => self.list(list),
                Block::Table(table) => self.table(table),
                Block::Picture(id) => self.picture(id),
            }
        }
    }

    fn list(&mut self, list: &List) {
        self.caption(&list.caption);
        let (tag, kind) = match list.marker {
            Marker::Disc => ("ul", "disc"),
            Marker::Circle => ("ul", "circle"),
            Marker::Square => ("ul", "square"),
            Marker::Arabic => ("ol", "decimal"),
            Marker::LittleRoman => ("ol", "lower-roman"),
            Marker::BigRoman => ("ol", "upper-roman"),
            Marker::LittleAlpha => ("ol", "lower-alpha"),
            Marker::BigAlpha => ("ol", "upper-alpha"),
        };
        self.raw(&format!("<{tag} style=\"list-style-type:{kind}\">"));
        for item in &list.items {
            self.raw("<li>");
            self.cell_content(item);
            self.raw("</li>");
        }
        self.raw(&format!("</{tag}>"));
    }

    fn caption(&mut self, caption: &[Inline]) {
        if !caption.is_empty() {
            self.raw("<p class=\"caption\">");
            self.inlines(caption);
            self.raw("</p>");
        }
    }

    fn table(&mut self, table: &Table) {
        self.raw("<div class=\"scroll\"><table>");
        if !table.caption.is_empty() {
            self.raw("<caption>");
            self.inlines(&table.caption);
            self.raw("</caption>");
        }
        self.rows("thead", &table.head);
        self.rows("tbody", &table.rows);
        self.raw("</table></div>");
    }

    fn rows(&mut self, group: &str, rows: &[Vec<Cell>]) {
        if rows.is_empty() {
            return;
        }
        self.raw(&format!("<{group}>"));
        for row in rows {
            self.raw("<tr>");
            row.iter().for_each(|cell| self.cell(cell));
            self.raw("</tr>");
        }
        self.raw(&format!("</{group}>"));
    }

    fn cell(&mut self, cell: &Cell) {
        let tag = if cell.heading { "th" } else { "td" };
        self.raw("<");
        self.raw(tag);
        if cell.columns > 1 {
            self.raw(&format!(" colspan=\"{}\"", cell.columns));
        }
        if cell.rows > 1 {
            self.raw(&format!(" rowspan=\"{}\"", cell.rows));
        }
        match cell.align {
            Align::Start => {}
            Align::Center => self.raw(" style=\"text-align:center\""),
            Align::End => self.raw(" style=\"text-align:right\""),
        }
        self.raw(">");
        self.cell_content(&cell.content);
        self.raw("</");
        self.raw(tag);
        self.raw(">");
    }

    /// Content of a cell or item, in which a single paragraph needs no element of its own.
    fn cell_content(&mut self, content: &[Block]) {
        match content {
            [Block::Paragraph(inlines)] => self.inlines(inlines),
            blocks => self.blocks(blocks),
        }
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        for inline in inlines {
            match inline {
                Inline::Break => self.raw("<br>"),
                Inline::Run { text, style, link } => self.run(text, *style, link.as_deref()),
            }
        }
    }

    fn run(&mut self, text: &str, style: Style, link: Option<&str>) {
        let tags = [
            (style.bold, "b"),
            (style.italic, "i"),
            (style.underline, "u"),
            (style.struck, "s"),
            (style.subscript, "sub"),
            (style.superscript, "sup"),
        ];
        let tags: Vec<_> = tags.into_iter().filter(|(on, _)| *on).map(|(_, tag)| tag).collect();
        if let Some(href) = link {
            self.raw("<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"");
            self.text(href);
            self.raw("\">");
        }
        tags.iter().for_each(|tag| self.raw(&format!("<{tag}>")));
        self.text(text);
        tags.iter().rev().for_each(|tag| self.raw(&format!("</{tag}>")));
        if link.is_some() {
            self.raw("</a>");
        }
    }

    fn picture(&mut self, id: &str) {
        match self.media.iter().find(|media| media.id == id) {
            Some(media) => {
                let data = STANDARD.encode(&media.content);
                self.raw(&format!("<img alt=\"Picture\" src=\"data:{};base64,{data}\">", media.media_type));
            }
            None => self.note("A picture that is not part of this document cannot be shown."),
        }
    }
}

/// The note shown in place of an embedded or referenced file.
pub fn unstructured_note(file: &Unstructured) -> String {
    match file {
        Unstructured::Embedded { media_type, content } => {
            format!("This document carries a file of type {media_type}, {} bytes.", content.len())
        }
        Unstructured::Referenced { reference, .. } => {
            format!("This document refers to a file that is sent beside it: {reference}.")
        }
        Unstructured::Unreadable { media_type } => {
            format!("This document carries a file of type {media_type} that cannot be read.")
        }
    }
}

/// Labels and values of the header table, in reading order; values may have several lines.
pub fn header_rows(document: &ClinicalDocument) -> Vec<(&'static str, String)> {
    let mut rows: Vec<_> = document.patients().flat_map(patient_rows).collect();
    if let Some(encounter) = &document.encounter {
        rows.extend(encounter_rows(encounter));
    }
    let authors: Vec<_> =
        document.authors().map(Participant::display).filter(|who| !who.is_empty()).collect();
    rows.push(("Author", dedup(authors).join("\n")));
    if let Some(custodian) = &document.custodian {
        rows.push(("Custodian", custodian.name.clone().unwrap_or_default()));
    }
    rows.push((
        "Document date",
        document.effective_time.as_ref().map(Timestamp::to_string).unwrap_or_default(),
    ));
    if document.confidentiality != Confidentiality::Normal {
        rows.push(("Confidentiality", document.confidentiality.label().to_owned()));
    }
    rows.retain(|(_, value)| !value.is_empty());
    rows
}

/// Heading above [`people`].
pub const PEOPLE: &str = "People and organizations";

/// All participants in the header with their contacts; None if there are none.
pub fn people(document: &ClinicalDocument) -> Option<Table> {
    let custodian = document.custodian.as_ref().map(|custodian| {
        let lines = [custodian.name.clone()].into_iter().flatten().collect();
        [
            vec!["Custodian".to_owned()],
            Vec::new(),
            lines,
            contact(custodian.address.as_ref(), &custodian.telecoms),
        ]
    });
    let rows: Vec<_> = document.people.iter().map(person_row).chain(custodian).collect();
    let cells = |row: &[Vec<String>; 4]| row.iter().map(|lines| Cell::of_lines(lines, false)).collect();
    let head = ["Role", "Name", "Organization", "Contact"].map(|head| Cell::of_lines(&[head], true));
    (!rows.is_empty()).then(|| Table {
        caption: Vec::new(),
        head: vec![head.into()],
        rows: rows.iter().map(cells).collect(),
    })
}

fn person_row(person: &Participant) -> [Vec<String>; 4] {
    let time = person.time.as_ref().map(Timestamp::to_string);
    let who = Some(person.who()).filter(|who| !who.is_empty());
    [
        [person.role.label().to_owned()].into_iter().chain(time).collect(),
        who.into_iter().chain(person.function.clone()).collect(),
        person.organization.iter().cloned().collect(),
        contact(person.address.as_ref(), &person.telecoms),
    ]
}

fn contact(address: Option<&Address>, telecoms: &[Telecom]) -> Vec<String> {
    address
        .map(Address::to_string)
        .into_iter()
        .chain(dedup(telecoms.iter().map(Telecom::display).collect()))
        .collect()
}

fn patient_rows(patient: &Patient) -> Vec<(&'static str, String)> {
    let numbers = patient.record_numbers();
    let lines = |ids: Vec<&InstanceId>| ids.into_iter().filter_map(id_line).collect::<Vec<_>>().join("\n");
    let of_kind = |kind: Kind| lines(patient.ids.iter().filter(|id| id.kind() == kind).collect());
    let telecoms: Vec<_> = patient.telecoms.iter().map(Telecom::display).collect();
    vec![
        ("Patient", patient.name.to_string()),
        (
            "Date of birth",
            patient.birth_date.map(|day| day.format("%m/%d/%Y").to_string()).unwrap_or_default(),
        ),
        ("Sex", patient.gender.map(|gender| gender.label().to_owned()).unwrap_or_default()),
        ("Patient ID", lines(numbers)),
        ("Social security number", of_kind(Kind::SocialSecurity)),
        ("Other identifiers", of_kind(Kind::NoRecord)),
        ("Address", patient.address.as_ref().map(Address::to_string).unwrap_or_default()),
        ("Contact", telecoms.join("\n")),
    ]
}

fn id_line(id: &InstanceId) -> Option<String> {
    let extension = id.extension.clone()?;
    Some(match &id.authority {
        Some(authority) => format!("{extension} ({authority})"),
        None => extension,
    })
}

fn encounter_rows(encounter: &Encounter) -> Vec<(&'static str, String)> {
    let kind = encounter.code.as_ref().and_then(|code| code.display.clone());
    let when = match (&encounter.from, &encounter.to) {
        (Some(from), Some(to)) if from != to => Some(format!("{from} to {to}")),
        (Some(time), _) | (None, Some(time)) => Some(time.to_string()),
        (None, None) => None,
    };
    let lines: Vec<_> = [kind, when, encounter.location.clone()].into_iter().flatten().collect();
    vec![("Encounter", lines.join("\n")), ("Responsible", encounter.responsible.clone().unwrap_or_default())]
}

fn dedup(lines: Vec<String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for line in lines {
        if !seen.contains(&line) {
            seen.push(line);
        }
    }
    seen
}
