//! Repairs a file that is not well-formed XML.
//!
//! Entities are never looked up in the file, and nothing is fetched: a document type declaration is dropped.
//! Mismatched tags are closed or dropped as rarely as possible; [`super::parse`] decides whether the result still
//! says what the sender wrote.

use std::collections::BTreeSet;

use quick_xml::escape::{resolve_html5_entity, unescape_with};

use super::limits::MAX_DEPTH;

/// Most open elements: with more the document is refused as too deep.
const MAX_OPEN: usize = MAX_DEPTH + 10;
/// Most attributes of one element.
const MAX_ATTRIBUTES: usize = 100;

/// Kind of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Repair {
    /// The bytes are not in the declared encoding.
    Encoding,
    /// Content before the XML declaration.
    Leading,
    /// A DTD was dropped.
    Doctype,
    /// HTML's named characters, such as `&nbsp;`.
    NamedCharacters,
    /// Characters that are invalid in XML were dropped.
    Characters,
    /// Unescaped `&` and `<`, attributes without quotes or repeated.
    Markup,
    /// End tags are wrong or missing.
    Nesting,
    /// The file ends inside an element.
    Truncated,
    /// Content after the end of the document.
    Trailing,
}

impl Repair {
    /// Part of a sentence: "This document was repaired to be shown: …".
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Encoding => "its characters are not in the encoding that it declares",
            Self::Leading => "it had content before its first line",
            Self::Doctype => "its document type declaration was ignored",
            Self::NamedCharacters => "it uses HTML names of characters",
            Self::Characters => "characters that are not allowed were left out",
            Self::Markup => "some of its markup is not valid",
            Self::Nesting => "its elements are not closed properly",
            Self::Truncated => "it is cut off, so its end is missing",
            Self::Trailing => "what follows its end was left out",
        }
    }

    /// Whether the structure was guessed, so that text may have ended up in a place that is not read.
    pub(super) fn is_guess(self) -> bool {
        matches!(self, Self::Markup | Self::Nesting)
    }
}

/// A file made well-formed, as far as possible.
pub(super) struct Mended {
    pub xml: String,
    pub repairs: BTreeSet<Repair>,
}

/// Repairs a file.
pub(super) fn mend(text: &str) -> Mended {
    let start = text.trim_start_matches('\u{feff}');
    let body = start.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0');
    let hidden = Hidden::new(body);
    let mut mender = Mender {
        rest: body,
        hidden,
        out: String::with_capacity(text.len() + 64),
        open: Vec::new(),
        repairs: BTreeSet::new(),
    };
    if body.len() != start.len() {
        mender.repairs.insert(Repair::Leading);
    }
    mender.document();
    Mended { xml: mender.out, repairs: mender.repairs }
}

/// Finds comments and processing instructions. Unclosed ones hide nothing, since text may follow.
struct Hidden {
    /// Remaining bytes at the last end of a comment, and of an instruction.
    last: [usize; 2],
}

impl Hidden {
    const KINDS: [(&str, &str); 2] = [("<!--", "-->"), ("<?", "?>")];

    fn new(text: &str) -> Self {
        Self { last: Self::KINDS.map(|(_, end)| text.rfind(end).map_or(usize::MAX, |at| text.len() - at)) }
    }

    /// Length of the comment or instruction at the start of `rest`, the remainder of the text.
    fn length(&self, rest: &str) -> Option<usize> {
        let (index, (_, end)) =
            Self::KINDS.iter().enumerate().find(|(_, (start, _))| rest.starts_with(start))?;
        if rest.len() < self.last[index] {
            return None;
        }
        rest.find(end).map(|at| at + end.len())
    }
}

struct Mender<'a> {
    rest: &'a str,
    hidden: Hidden,
    out: String,
    /// Names of the open elements.
    open: Vec<&'a str>,
    repairs: BTreeSet<Repair>,
}

impl<'a> Mender<'a> {
    fn document(&mut self) {
        self.prolog();
        while !self.rest.is_empty() {
            let at = self.rest.find('<').unwrap_or(self.rest.len());
            let text = self.take(at);
            self.text(text);
            if !self.rest.is_empty() {
                self.markup();
            }
            if self.open.is_empty() && !self.out.is_empty() {
                return self.epilog();
            }
            if self.open.len() > MAX_OPEN {
                break;
            }
        }
        if !self.open.is_empty() {
            self.repairs.insert(Repair::Truncated);
            self.close_down_to(0);
        }
    }

    /// Drops content before the root element.
    fn prolog(&mut self) {
        loop {
            let at = self.rest.find('<').unwrap_or(self.rest.len());
            let before = self.take(at);
            if !before.trim().is_empty() {
                self.repairs.insert(Repair::Leading);
            }
            if !self.instruction() {
                if self.rest.is_empty() || start_tag(self.rest).is_some() {
                    return;
                }
                self.repairs.insert(Repair::Leading);
                self.take(1);
            }
        }
    }

    /// Drops content after the root element.
    fn epilog(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if !self.instruction() {
                break;
            }
        }
        if !self.rest.is_empty() {
            self.repairs.insert(Repair::Trailing);
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (head, rest) = self.rest.split_at(length);
        self.rest = rest;
        head
    }

    /// Skips a comment, a processing instruction or a document type.
    fn instruction(&mut self) -> bool {
        if let Some(length) = self.hidden.length(self.rest) {
            self.take(length);
        } else if self.rest.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("<!DOCTYPE")) {
            // A document has one at most; for further ones only the shortest match is skipped.
            let first = self.repairs.insert(Repair::Doctype);
            let length = if first { doctype_length(self.rest) } else { shortest(self.rest) };
            self.take(length);
        } else {
            return false;
        }
        true
    }

    fn markup(&mut self) {
        if self.instruction() {
            return;
        }
        if let Some(rest) = self.rest.strip_prefix("<![CDATA[") {
            let (content, behind) = rest.split_once("]]>").unwrap_or((rest, ""));
            self.rest = behind;
            return self.characters(content);
        }
        if let Some(tag) = start_tag(self.rest) {
            self.take(tag.length);
            return self.start(&tag);
        }
        match end_tag(self.rest) {
            Some((name, length)) => {
                self.take(length);
                self.end(name);
            }
            None if self.rest.starts_with("</") && !self.rest.contains('>') => {
                self.repairs.insert(Repair::Truncated);
                self.rest = "";
            }
            None => {
                self.repairs.insert(Repair::Markup);
                self.take(1);
                self.out.push_str("&lt;");
            }
        }
    }

    fn start(&mut self, tag: &Tag<'a>) {
        self.out.push('<');
        self.out.push_str(tag.name);
        self.attributes(tag.attributes);
        // HTML elements without an end tag.
        if tag.empty || matches!(tag.name, "br" | "hr" | "col" | "img") {
            self.out.push_str("/>");
            if !tag.empty {
                self.repairs.insert(Repair::Nesting);
            }
        } else {
            self.out.push('>');
            self.open.push(tag.name);
        }
    }

    fn attributes(&mut self, mut rest: &'a str) {
        let mut seen: Vec<&str> = Vec::new();
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/')).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            let Some(value) = behind.trim_start().strip_prefix('=').map(str::trim_start) else {
                if !name.is_empty() {
                    self.repairs.insert(Repair::Markup);
                    rest = behind;
                    continue;
                }
                return;
            };
            let (value, behind) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                _ => {
                    self.repairs.insert(Repair::Markup);
                    value.split_at(value.find(char::is_whitespace).unwrap_or(value.len()))
                }
            };
            rest = behind;
            if is_name(name) && seen.len() < MAX_ATTRIBUTES && !seen.contains(&name) {
                seen.push(name);
                self.out.push(' ');
                self.out.push_str(name);
                self.out.push_str("=\"");
                self.text(value);
                self.out.push('"');
            } else {
                self.repairs.insert(Repair::Markup);
            }
        }
    }

    fn end(&mut self, name: &str) {
        match self.open.iter().rposition(|open| *open == name) {
            Some(at) => {
                if at + 1 != self.open.len() {
                    self.repairs.insert(Repair::Nesting);
                }
                self.close_down_to(at);
            }
            None => {
                self.repairs.insert(Repair::Nesting);
            }
        }
    }

    fn close_down_to(&mut self, depth: usize) {
        for name in self.open.drain(depth..).rev() {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
    }

    /// Writes text with references, from between tags or an attribute.
    fn text(&mut self, text: &str) {
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            self.characters(&rest[..at]);
            rest = &rest[at + 1..];
            rest = &rest[self.reference(rest)..];
        }
        self.characters(rest);
    }

    /// Writes the reference after a `&`, and returns its length; 0 if it is not a reference.
    fn reference(&mut self, text: &str) -> usize {
        // The longest name of HTML has 31 letters.
        let name = text.bytes().take(40).position(|byte| byte == b';').and_then(|end| text.get(..end));
        let Some(name) = name else { return self.stray_ampersand() };
        if matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") {
            self.out.push('&');
            self.out.push_str(name);
            self.out.push(';');
        } else if let Some(number) = name.strip_prefix('#') {
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            let Ok(number) = number else { return self.stray_ampersand() };
            self.characters(char::from_u32(number).unwrap_or('\0').encode_utf8(&mut [0; 4]));
        } else if let Some(characters) = resolve_html5_entity(name) {
            self.repairs.insert(Repair::NamedCharacters);
            self.characters(characters);
        } else {
            return self.stray_ampersand();
        }
        name.len() + 1
    }

    fn stray_ampersand(&mut self) -> usize {
        self.repairs.insert(Repair::Markup);
        self.out.push_str("&amp;");
        0
    }

    /// Writes text without references.
    fn characters(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                c if is_allowed(c) => self.out.push(c),
                _ => {
                    self.repairs.insert(Repair::Characters);
                }
            }
        }
    }
}

/// The text lines of a file that is beyond repair, without its markup. Cells are separated by tabs.
pub(super) fn lines(text: &str) -> Vec<String> {
    let hidden = Hidden::new(text);
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        add_text(&rest[..at], &mut out);
        rest = &rest[at..];
        let length = if let Some(tag) = start_tag(rest) {
            out.push_str(divider(tag.name));
            tag.length
        } else if let Some((name, length)) = end_tag(rest) {
            out.push_str(divider(name));
            length
        } else {
            hidden.length(rest).unwrap_or_else(|| {
                out.push('<');
                1
            })
        };
        rest = &rest[length..];
    }
    add_text(rest, &mut out);
    out.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Appends text with line breaks as spaces, and references resolved if possible.
fn add_text(text: &str, out: &mut String) {
    let resolved = unescape_with(text, resolve_html5_entity);
    for c in resolved.as_deref().unwrap_or(text).chars().filter(|c| is_allowed(*c)) {
        let blank = matches!(c, ' ' | '\t' | '\r' | '\n');
        if !blank {
            out.push(c);
        } else if !out.ends_with([' ', '\t', '\n']) {
            out.push(' ');
        }
    }
}

fn divider(name: &str) -> &'static str {
    match name.rsplit(':').next().unwrap_or(name) {
        "td" | "th" => "\t",
        "content" | "sub" | "sup" | "linkHtml" | "given" | "family" | "prefix" | "suffix" => " ",
        _ => "\n",
    }
}

/// Whether a character is valid in XML 1.0 (section 2.2).
pub(super) fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    empty: bool,
    /// With both brackets.
    length: usize,
}

fn start_tag(text: &str) -> Option<Tag<'_>> {
    let inside = text.strip_prefix('<')?;
    let end = tag_end(inside)?;
    let content = &inside[..end];
    let empty = content.ends_with('/');
    let content = content.strip_suffix('/').unwrap_or(content);
    let (name, attributes) =
        content.split_at(content.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(content.len()));
    is_name(name).then_some(Tag { name, attributes, empty, length: end + 2 })
}

/// End of a tag. A `>` in quotes does not close it, but a quote that spans the next tag is unclosed.
fn tag_end(inside: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at),
            (_, '<') => return inside[..at].find('>'),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    inside.find('>')
}

fn end_tag(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix("</")?;
    let end = inside.find(['>', '<']).filter(|end| inside[*end..].starts_with('>'))?;
    let name = inside[..end].trim();
    is_name(name).then_some((name, end + 3))
}

fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    match name.split_once(':') {
        Some((prefix, local)) => part(prefix) && part(local),
        None => part(name),
    }
}

/// Length of a document type declaration with its internal subset, in which quotes hide brackets.
fn doctype_length(text: &str) -> usize {
    let (mut quote, mut depth) = (None, 0u32);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth = depth.saturating_sub(1),
            (None, '>') if depth == 0 => return at + 1,
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    // Unbalanced: as short as possible, so that no text is lost.
    shortest(text)
}

fn shortest(text: &str) -> usize {
    text.find('>').map_or(text.len(), |at| at + 1)
}
