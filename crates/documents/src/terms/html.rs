//! Splits HTML into blocks for typesetting.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use super::TEXT;
use crate::typeset::{Face, Ink, Look, Piece};

/// A paragraph, a heading or a list item.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub pieces: Vec<Piece>,
    /// Level 1 to 6.
    pub heading: Option<u8>,
    /// Marker of a list item.
    pub marker: Option<String>,
    /// Number of enclosing lists and quotations.
    pub depth: usize,
}

pub(super) fn look_of(heading: Option<u8>) -> Look {
    match heading {
        None => TEXT,
        Some(1) => Look::new(Face::SansBold, 15.0),
        Some(2) => Look::new(Face::SansBold, 12.0),
        Some(_) => Look::new(Face::SansBold, 10.0),
    }
}

/// The blocks of a text, in order.
pub(super) fn blocks(html: &str) -> Vec<Block> {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut reader = tokenizer.sink.0.take();
    reader.close();
    reader.blocks
}

#[derive(Default)]
struct Sink(RefCell<Reader>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reader = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(words) => reader.words(&words),
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => reader.begin(&tag),
            Token::TagToken(tag) => reader.end(&tag.name),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

/// State of the parser.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    open: Block,
    /// Enclosing lists and quotations, with the number of the next item of a numbered list.
    around: Vec<Option<u32>>,
    heading: Option<u8>,
    bold: usize,
    italic: usize,
    link: Option<String>,
}

impl Reader {
    fn words(&mut self, text: &str) {
        let mut words = String::with_capacity(text.len());
        let mut is_behind_blank = self.is_behind_blank();
        for c in text.chars() {
            let is_blank = c.is_ascii_whitespace();
            if !is_blank {
                words.push(c);
            } else if !is_behind_blank {
                words.push(' ');
            }
            is_behind_blank = is_blank;
        }
        if !words.is_empty() {
            let (look, link) = (self.look(), self.link.clone());
            self.open.pieces.push(Piece::Text { text: words, look, link });
        }
    }

    fn is_behind_blank(&self) -> bool {
        match self.open.pieces.last() {
            None | Some(Piece::Break) => true,
            Some(Piece::Text { text, .. }) => text.ends_with(' '),
        }
    }

    fn look(&self) -> Look {
        let plain = look_of(self.heading);
        let face = match plain.face {
            Face::Sans if self.bold > 0 => Face::SansBold,
            Face::Sans if self.italic > 0 => Face::SansItalic,
            face => face,
        };
        let look = Look { face, ..plain };
        if self.link.is_some() { Look { ink: Ink::LINK, underline: true, ..look } } else { look }
    }

    fn begin(&mut self, tag: &Tag) {
        match &*tag.name {
            "br" => self.open.pieces.push(Piece::Break),
            "b" | "strong" | "th" => self.bold += 1,
            "i" | "em" => self.italic += 1,
            "a" => self.link = attribute(tag, "href").filter(|url| is_absolute(url)),
            _ => {}
        }
        match &*tag.name {
            // Joins the cells of a row.
            "td" | "th" => self.words(" "),
            name if is_block(name) => self.close(),
            _ => return,
        }
        match &*tag.name {
            "ul" | "blockquote" | "dd" => self.around.push(None),
            "ol" => {
                let first = attribute(tag, "start").and_then(|number| number.parse::<u32>().ok());
                self.around.push(Some(first.unwrap_or(1)));
            }
            "li" => self.open.marker = Some(self.next_marker()),
            name => self.heading = heading(name),
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "b" | "strong" | "th" => self.bold = self.bold.saturating_sub(1),
            "i" | "em" => self.italic = self.italic.saturating_sub(1),
            "a" => self.link = None,
            _ => {}
        }
        if is_block(name) {
            self.close();
            self.heading = None;
        }
        if name == "li" {
            // An item without words leaves its marker behind.
            self.open.marker = None;
        }
        if matches!(name, "ul" | "ol" | "blockquote" | "dd") {
            self.around.pop();
        }
    }

    fn next_marker(&mut self) -> String {
        match self.around.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}.");
                *number = number.saturating_add(1);
                marker
            }
            _ => "\u{2022}".into(),
        }
    }

    /// Ends the current block. A marker is kept for the first words of its item.
    fn close(&mut self) {
        while matches!(self.open.pieces.last(), Some(Piece::Break)) {
            self.open.pieces.pop();
        }
        let has_words = self
            .open
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text { text, .. } if !text.trim().is_empty()));
        let mut block = std::mem::take(&mut self.open);
        if has_words {
            block.heading = self.heading;
            block.depth = self.around.len();
            self.blocks.push(block);
        } else {
            self.open.marker = block.marker.take();
        }
    }
}

fn heading(name: &str) -> Option<u8> {
    name.strip_prefix('h')?.parse::<u8>().ok().filter(|level| (1..=6).contains(level))
}

/// Whether a URL is absolute. Relative ones are useless on paper.
fn is_absolute(url: &str) -> bool {
    ["https://", "http://", "mailto:"].iter().any(|start| url.starts_with(start))
}

fn attribute(tag: &Tag, name: &str) -> Option<String> {
    tag.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| attr.value.to_string())
}

/// Whether an element begins on a new line.
fn is_block(name: &str) -> bool {
    const BLOCKS: &[&str] = &[
        "article",
        "aside",
        "blockquote",
        "caption",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hgroup",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tr",
        "ul",
    ];
    heading(name).is_some() || BLOCKS.contains(&name)
}
