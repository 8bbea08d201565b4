//! A small typesetter: running text, lists and tables on pages, written as PDF.
//!
//! Content is laid out as marks and written when all pages are known, so that footers can contain the number
//! of pages. All lengths are in points; y grows downwards from the top of the page.

mod fonts;
mod lines;
pub(crate) mod system;
mod table;
mod write;

use std::collections::BTreeSet;

use chrono::NaiveDateTime;
use krilla::image::Image;

use crate::{Flaws, remarks};

pub(crate) use fonts::Face;
pub(crate) use lines::{Line, Look, Paragraph, Piece, Run};
pub(crate) use system::font_with;
pub(crate) use table::{Cell, Table};
pub(crate) use write::pdf as write_pages;

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ink(pub u8, pub u8, pub u8);

impl Ink {
    pub const BLACK: Self = Self(0x1a, 0x1a, 0x1a);
    pub const GREY: Self = Self(0x59, 0x61, 0x66);
    pub const HAIRLINE: Self = Self(0x9a, 0xa2, 0xa6);
    pub const SHADE: Self = Self(0xf0, 0xf1, 0xf2);
    pub const LINK: Self = Self(0x0a, 0x50, 0x8a);
}

/// A mark on a page.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// Text; `y` is the baseline.
    Text {
        x: f32,
        y: f32,
        run: Run,
    },
    Stroke {
        from: (f32, f32),
        to: (f32, f32),
        width: f32,
        ink: Ink,
    },
    Fill {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        ink: Ink,
    },
    /// A colour that leaves the content below readable, like a highlighter.
    Tint {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        ink: Ink,
    },
    Link {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        url: String,
    },
    Picture {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        image: Image,
        turn: Turn,
    },
}

/// Wraps a finished PDF without missing characters or flaws.
impl From<Vec<u8>> for Typeset {
    fn from(pdf: Vec<u8>) -> Self {
        Self { pdf, missing: BTreeSet::new(), flaws: Flaws::default() }
    }
}

/// Rotation and mirroring that put a picture upright (Exif orientation).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Quarter turns clockwise, 0 to 3.
    pub quarters: u8,
    /// Whether it is mirrored left to right, before the rotation.
    pub mirrored: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub width: f32,
    pub height: f32,
    pub marks: Vec<Mark>,
}

impl Page {
    /// Moves the page below a band with a remark.
    pub fn with_remark(mut self, words: &str) -> Self {
        let down = |y: &mut f32| *y += remarks::BAND;
        for mark in &mut self.marks {
            match mark {
                Mark::Stroke { from, to, .. } => [&mut from.1, &mut to.1].into_iter().for_each(down),
                Mark::Text { y, .. }
                | Mark::Fill { y, .. }
                | Mark::Tint { y, .. }
                | Mark::Link { y, .. }
                | Mark::Picture { y, .. } => down(y),
            }
        }
        let ((x, y), look) = (remarks::PLACE, Look::new(Face::SansBold, remarks::SIZE));
        let lines = Paragraph::new(&[Piece::new(words, look)], look).lines(f32::MAX);
        let runs = lines.into_iter().flat_map(|line| line.runs);
        self.marks.extend(runs.map(|run| Mark::Text { x: x + run.x, y, run }));
        Self { height: self.height + remarks::BAND, ..self }
    }
}

/// Size and margins of pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sheet {
    pub width: f32,
    pub height: f32,
    pub left: f32,
    pub right: f32,
    pub top: f32,
    pub bottom: f32,
}

impl Sheet {
    /// US Letter with margins for reading.
    pub const LETTER: Self =
        Self { width: 612.0, height: 792.0, left: 54.0, right: 54.0, top: 54.0, bottom: 60.0 };

    pub fn text_width(&self) -> f32 {
        self.width - self.left - self.right
    }
}

/// Settings of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setting<'a> {
    /// Look of empty lines and markers.
    pub look: Look,
    /// Line spacing as a multiple of the font size.
    pub leading: f32,
    /// Distance from the left margin.
    pub indent: f32,
    /// Marker left of the first line.
    pub marker: Option<&'a str>,
    /// Space below.
    pub after: f32,
}

impl Setting<'_> {
    pub const fn new(look: Look) -> Self {
        Self { look, leading: 1.35, indent: 0.0, marker: None, after: 6.0 }
    }
}

/// Lays out content from top to bottom, page after page.
pub(crate) struct Typesetter {
    pub sheet: Sheet,
    pages: Vec<Page>,
    /// Top of the next content.
    pub y: f32,
    /// Small text on the right of all pages after the first.
    running_head: Option<String>,
    /// Characters that no font has.
    missing: BTreeSet<char>,
}

/// A finished PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Typeset {
    pub pdf: Vec<u8>,
    /// Characters of the text that no font has. The pages show their code points instead.
    pub missing: BTreeSet<char>,
    /// Missing parts of the original document.
    pub flaws: Flaws,
}

impl Typesetter {
    pub fn new(sheet: Sheet) -> Self {
        let mut typesetter =
            Self { sheet, pages: Vec::new(), y: 0.0, running_head: None, missing: BTreeSet::new() };
        typesetter.new_page();
        typesetter
    }

    /// Sets a small text at the top of all pages except the first.
    pub fn with_running_head(mut self, words: impl Into<String>) -> Self {
        self.running_head = Some(words.into());
        self
    }

    pub fn new_page(&mut self) {
        let Sheet { width, height, .. } = self.sheet;
        let first = self.pages.is_empty();
        self.pages.push(Page { width, height, marks: Vec::new() });
        self.y = self.sheet.top;
        if let Some(words) = self.running_head.clone().filter(|_| !first) {
            self.right_text(&words, self.sheet.top - 14.0, Look::new(Face::Sans, 8.0).ink(Ink::GREY));
        }
    }

    pub fn mark(&mut self, mark: Mark) {
        if let Some(page) = self.pages.last_mut() {
            page.marks.push(mark);
        }
    }

    /// Remaining height of this page.
    pub fn room(&self) -> f32 {
        self.sheet.height - self.sheet.bottom - self.y
    }

    /// Height of an empty page.
    pub fn page_room(&self) -> f32 {
        self.sheet.height - self.sheet.bottom - self.sheet.top
    }

    /// Begins a new page unless this much height remains.
    pub fn need(&mut self, height: f32) {
        if self.room() < height.min(self.page_room()) {
            self.new_page();
        }
    }

    pub fn space(&mut self, height: f32) {
        self.y += height;
    }

    /// Adds running text.
    pub fn paragraph(&mut self, pieces: &[Piece], setting: Setting<'_>) {
        let left = self.sheet.left + setting.indent;
        let lines = self.lines(pieces, self.sheet.width - self.sheet.right - left, setting.look);
        for (index, line) in lines.iter().enumerate() {
            let height = line.size * setting.leading;
            self.need(height);
            if let Some(marker) = setting.marker.filter(|_| index == 0) {
                let look = setting.look;
                let x = left - look.width(marker) - look.size * 0.5;
                self.text(marker, x, self.y + baseline(line, height), look);
            }
            self.line(line, left, height);
            self.y += height;
        }
        self.y += setting.after;
    }

    /// Breaks text into lines of at most this width.
    fn lines(&mut self, pieces: &[Piece], width: f32, base: Look) -> Vec<Line> {
        let mut paragraph = Paragraph::new(pieces, base);
        let lines = paragraph.lines(width);
        self.missing.append(&mut paragraph.missing);
        lines
    }

    /// Adds text on one line, from `x` on the baseline `y`, without moving the current position.
    pub fn text(&mut self, text: &str, x: f32, y: f32, look: Look) {
        for line in self.lines(&[Piece::new(text, look)], f32::MAX, look) {
            for run in line.runs {
                self.mark(Mark::Text { x: x + run.x, y, run });
            }
        }
    }

    /// Adds one line with its left edge at `x`, at the current position.
    pub(crate) fn line(&mut self, line: &Line, x: f32, height: f32) {
        let base = self.y + baseline(line, height);
        for run in &line.runs {
            let (x, look) = (x + line.start + run.x, run.look);
            let y = base - look.rise;
            self.mark(Mark::Text { x, y, run: run.clone() });
            let mut rule = |at: f32| {
                let width = look.size * 0.06;
                self.mark(Mark::Stroke { from: (x, at), to: (x + run.width, at), width, ink: look.ink });
            };
            if look.underline {
                rule(y + look.size * 0.13);
            }
            if look.struck {
                rule(y - look.size * 0.28);
            }
            if let Some(url) = &run.link {
                let top = y - look.size * 0.8;
                self.mark(Mark::Link { x, y: top, width: run.width, height: look.size, url: url.clone() });
            }
        }
    }

    /// Adds a heading, and keeps at least `room` below it on the page.
    pub fn heading(&mut self, text: &str, look: Look, before: f32, room: f32) {
        if self.y > self.sheet.top {
            self.y += before;
        }
        self.need(look.size * 1.3 + room);
        self.paragraph(&[Piece::new(text, look)], Setting { leading: 1.3, after: 3.0, ..Setting::new(look) });
    }

    /// Adds a horizontal line of the text width.
    pub fn rule(&mut self, width: f32, ink: Ink) {
        let (left, right) = (self.sheet.left, self.sheet.width - self.sheet.right);
        self.mark(Mark::Stroke { from: (left, self.y), to: (right, self.y), width, ink });
    }

    /// Adds text that ends at the right margin, on the baseline `y`, without moving the current position.
    pub fn right_text(&mut self, text: &str, y: f32, look: Look) {
        let x = self.sheet.width - self.sheet.right - look.width(text);
        self.text(text, x, y, look);
    }

    /// Adds a picture at the left margin, at most this high and at most as wide as the text.
    pub fn picture(&mut self, image: Image, most: f32) {
        let (width, height) = image.size();
        let (width, height) = (width.max(1) as f32, height.max(1) as f32);
        let scale = (self.sheet.text_width() / width).min(most / height).min(1.0);
        let (width, height) = (width * scale, height * scale);
        self.need(height);
        let (x, y) = (self.sheet.left, self.y);
        self.mark(Mark::Picture { x, y, width, height, image, turn: Turn::default() });
        self.y += height + 8.0;
    }

    /// Adds a page of its own size for a picture; replaces an empty first page.
    pub fn picture_page(&mut self, page: Page) {
        if let [only] = &self.pages[..]
            && only.marks.is_empty()
        {
            self.pages.clear();
        }
        self.pages.push(page);
    }

    /// Writes the PDF. `footer` is printed at the left of each page, next to "Page n of m"; without it,
    /// neither is printed. `None` if the fonts or pictures cannot be written.
    pub fn finish(self, title: &str, footer: Option<&str>) -> Option<Typeset> {
        self.finish_at(title, footer, None)
    }

    /// As [`Self::finish`], as a file for archiving.
    pub fn finish_to_keep(self, title: &str, footer: Option<&str>, at: NaiveDateTime) -> Option<Vec<u8>> {
        Some(self.finish_at(title, footer, Some(at))?.pdf)
    }

    /// As [`Self::finish`]; with a creation time `at`, as a file for archiving.
    pub fn finish_at(
        mut self,
        title: &str,
        footer: Option<&str>,
        made: Option<NaiveDateTime>,
    ) -> Option<Typeset> {
        if let Some(footer) = footer {
            self.footers(footer);
        }
        let pdf = match made {
            Some(at) => write::pdf_to_keep(&self.pages, title, at)?,
            None => write::pdf(self.pages, title)?,
        };
        Some(Typeset { pdf, missing: self.missing, flaws: Flaws::default() })
    }

    fn footers(&mut self, words: &str) {
        let look = Look::new(Face::Sans, 8.0).ink(Ink::GREY);
        let mut pages = std::mem::take(&mut self.pages);
        let count = pages.len();
        for (index, page) in pages.iter_mut().enumerate() {
            let y = page.height - self.sheet.bottom + 26.0;
            // Picture pages have their own size.
            self.sheet.width = page.width;
            self.pages.push(std::mem::take(page));
            self.text(words, self.sheet.left, y, look);
            self.right_text(&format!("Page {} of {count}", index + 1), y, look);
        }
    }
}

/// Distance of the baseline from the top of a line. The remaining height is shared evenly above ascenders and
/// below descenders.
fn baseline(line: &Line, height: f32) -> f32 {
    height / 2.0 + line.size * 0.35
}
