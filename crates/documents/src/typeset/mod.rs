//! A small typesetter: running text, lists and tables on pages, written as PDF.
//!
//! Content is laid out to marks first and written when all pages are known, so that footers can say how many pages
//! there are. All lengths are points; y grows downwards from the top of the page.

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

/// Something on a page.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// Text; `y` is the base line.
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
    /// A colour under which what is below stays readable, as that of a highlighter.
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

/// Pages without text of their own.
impl From<Vec<u8>> for Typeset {
    fn from(pdf: Vec<u8>) -> Self {
        Self { pdf, missing: BTreeSet::new(), flaws: Flaws::default() }
    }
}

/// How a picture is turned and mirrored to stand upright (Exif orientation).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Quarter turns clockwise, 0 to 3.
    pub quarters: u8,
    /// Mirrored left to right, before turning.
    pub mirrored: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Page {
    pub width: f32,
    pub height: f32,
    pub marks: Vec<Mark>,
}

impl Page {
    /// The page below a band that holds a remark.
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

/// How a paragraph stands on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setting<'a> {
    /// Look of empty lines and markers.
    pub look: Look,
    /// Distance of base lines as a multiple of the size.
    pub leading: f32,
    /// From the left margin.
    pub indent: f32,
    /// Printed left of the first line.
    pub marker: Option<&'a str>,
    /// Room below.
    pub after: f32,
}

impl Setting<'_> {
    pub const fn new(look: Look) -> Self {
        Self { look, leading: 1.35, indent: 0.0, marker: None, after: 6.0 }
    }
}

/// Lays content out from top to bottom, page after page.
pub(crate) struct Typesetter {
    pub sheet: Sheet,
    pages: Vec<Page>,
    /// Where the next content begins.
    pub y: f32,
    /// Printed small on the right of pages after the first.
    running_head: Option<String>,
    /// Characters that no font has.
    missing: BTreeSet<char>,
}

/// A finished PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Typeset {
    pub pdf: Vec<u8>,
    /// Characters of the text that no font has; the pages show their numbers instead.
    pub missing: BTreeSet<char>,
    /// What is missing of the document itself.
    pub flaws: Flaws,
}

impl Typesetter {
    pub fn new(sheet: Sheet) -> Self {
        let mut typesetter =
            Self { sheet, pages: Vec::new(), y: 0.0, running_head: None, missing: BTreeSet::new() };
        typesetter.new_page();
        typesetter
    }

    /// Prints a line on top of all pages but the first.
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

    /// Room left on this page.
    pub fn room(&self) -> f32 {
        self.sheet.height - self.sheet.bottom - self.y
    }

    /// Room on an empty page.
    pub fn page_room(&self) -> f32 {
        self.sheet.height - self.sheet.bottom - self.sheet.top
    }

    /// Begins a new page unless there is this much room.
    pub fn need(&mut self, height: f32) {
        if self.room() < height.min(self.page_room()) {
            self.new_page();
        }
    }

    pub fn space(&mut self, height: f32) {
        self.y += height;
    }

    /// Running text; a single word of it is never left alone below a page break by headings.
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

    /// Breaks text into lines that are no wider than `width`.
    fn lines(&mut self, pieces: &[Piece], width: f32, base: Look) -> Vec<Line> {
        let mut paragraph = Paragraph::new(pieces, base);
        let lines = paragraph.lines(width);
        self.missing.append(&mut paragraph.missing);
        lines
    }

    /// Text on one line that begins at `x` on the base line `y`; does not move the current height.
    pub fn text(&mut self, text: &str, x: f32, y: f32, look: Look) {
        for line in self.lines(&[Piece::new(text, look)], f32::MAX, look) {
            for run in line.runs {
                self.mark(Mark::Text { x: x + run.x, y, run });
            }
        }
    }

    /// One line with its left edge at `x` and its top at the current height.
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

    /// A heading; what follows keeps at least `room` below it.
    pub fn heading(&mut self, text: &str, look: Look, before: f32, room: f32) {
        if self.y > self.sheet.top {
            self.y += before;
        }
        self.need(look.size * 1.3 + room);
        self.paragraph(&[Piece::new(text, look)], Setting { leading: 1.3, after: 3.0, ..Setting::new(look) });
    }

    /// A line over the width of the text.
    pub fn rule(&mut self, width: f32, ink: Ink) {
        let (left, right) = (self.sheet.left, self.sheet.width - self.sheet.right);
        self.mark(Mark::Stroke { from: (left, self.y), to: (right, self.y), width, ink });
    }

    /// Text that ends at the right margin, on a base line of its own; does not move the current height.
    pub fn right_text(&mut self, text: &str, y: f32, look: Look) {
        let x = self.sheet.width - self.sheet.right - look.width(text);
        self.text(text, x, y, look);
    }

    /// A picture at the left margin, at most this high and as wide as the text.
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

    /// A page of its own size for a picture; replaces an untouched first page.
    pub fn picture_page(&mut self, page: Page) {
        if let [only] = &self.pages[..]
            && only.marks.is_empty()
        {
            self.pages.clear();
        }
        self.pages.push(page);
    }

    /// Writes the PDF. `footer` is printed at the left of each page beside "Page n of m"; None prints neither. No
    /// result when the fonts or pictures cannot be written.
    pub fn finish(self, title: &str, footer: Option<&str>) -> Option<Typeset> {
        self.finish_at(title, footer, None)
    }

    /// As [`Self::finish`], as a file that is kept for many years.
    pub fn finish_to_keep(self, title: &str, footer: Option<&str>, at: NaiveDateTime) -> Option<Vec<u8>> {
        Some(self.finish_at(title, footer, Some(at))?.pdf)
    }

    /// As [`Self::finish`], and with the time at which it is made as a file that is kept.
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
            // Pages of pictures have a size of their own.
            self.sheet.width = page.width;
            self.pages.push(std::mem::take(page));
            self.text(words, self.sheet.left, y, look);
            self.right_text(&format!("Page {} of {count}", index + 1), y, look);
        }
    }
}

/// Base line below the top of a line: text sits so that ascenders and descenders share the rest evenly.
fn baseline(line: &Line, height: f32) -> f32 {
    height / 2.0 + line.size * 0.35
}
