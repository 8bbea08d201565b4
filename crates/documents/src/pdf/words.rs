//! The text of pages with its positions: of the page itself, its annotations and form fields.

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};
use hayro::hayro_syntax::object::{Dict, String as PdfString};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Point, Rect};

use super::strings;
use crate::places::{Area, PlacedText};

/// Maximum number of glyphs of a page; a page full of small print has about 20,000.
const MAX_GLYPHS: usize = 1_000_000;

/// A glyph on an upright page. Lengths are in points; y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    pub text: String,
    /// Start and end on the baseline.
    pub start: Point,
    end: Point,
    size: f64,
}

/// Collects the glyphs of pages.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pub words: Vec<Word>,
    /// Width and height of the page.
    page: Option<(f64, f64)>,
    /// Replacement text of each open marked-content sequence, until it is used.
    replacements: Vec<Option<Replacement>>,
}

#[derive(Debug)]
struct Replacement {
    text: String,
    /// Index of the glyph that took the text.
    word: Option<usize>,
}

impl Collector {
    /// Adds the glyphs of a page, or of the parts selected by the settings.
    pub fn read<'a>(
        &mut self,
        page: &'a Page<'a>,
        cache: &InterpreterCache<'a>,
        settings: InterpreterSettings,
    ) {
        let upright = page.initial_transform(true).to_kurbo();
        let (width, height) = page.render_dimensions();
        let area = Rect::new(0.0, 0.0, width.into(), height.into());
        self.page = self.page.or(Some((f64::from(width), f64::from(height))));
        let mut context = Context::new(upright, area, cache, page.xref(), settings);
        interpret_page(page, &mut context, self);
        self.replacements.clear();
    }

    /// Text of the glyphs that begin inside an area, without blanks.
    pub fn inside(&self, area: Rect) -> String {
        let words = self.words.iter().filter(|word| area.contains(word.start));
        words.flat_map(|word| word.text.chars()).filter(|c| !c.is_whitespace()).collect()
    }

    /// Removes the glyphs that begin inside one of these areas, because something else is drawn over them.
    pub fn leave_out(&mut self, areas: &[Rect]) {
        self.words.retain(|word| !areas.iter().any(|area| area.contains(word.start)));
    }

    /// The text line by line, from top to bottom.
    pub fn into_text(self) -> PlacedText {
        let mut upright = Vec::new();
        let mut turned: [Vec<Word>; 3] = Default::default();
        for word in self.words {
            match word.quarter_turns() {
                0 => upright.push(word),
                quarters => turned[quarters - 1].push(word.turned_back(quarters)),
            }
        }
        let upright = lines(upright, self.page);
        let turned = turned.into_iter().flat_map(|words| lines(words, None));
        let mut out = PlacedText::default();
        for (index, line) in upright.into_iter().chain(turned).enumerate() {
            if index > 0 {
                out.text.push('\n');
            }
            line.iter().for_each(|piece| out.push(&piece.text, piece.area, 1.0));
            out.end_line();
        }
        out
    }

    fn glyph(&mut self, glyph: &Glyph<'_>, placed: Affine) {
        let advance = match glyph {
            Glyph::Outline(glyph) => glyph.advance_width(),
            Glyph::Type3(glyph) => glyph.advance_width(),
        };
        let advance = f64::from(advance.unwrap_or(500.0));
        let (start, end) = (placed * Point::ZERO, placed * Point::new(advance, 0.0));
        let size = (placed * Point::new(0.0, 1000.0)).distance(start);
        if !(start.is_finite() && end.is_finite() && size.is_finite()) || self.words.len() >= MAX_GLYPHS {
            return;
        }
        let replacement = self.replacements.iter_mut().flatten().next();
        let word = match replacement {
            Some(Replacement { word: Some(index), .. }) => {
                if let Some(word) = self.words.get_mut(*index) {
                    word.end = end;
                }
                return;
            }
            Some(Replacement { text, word }) => {
                *word = Some(self.words.len());
                Word { text: std::mem::take(text), start, end, size }
            }
            None => match characters(glyph) {
                Some(text) => Word { text, start, end, size },
                None => return,
            },
        };
        self.words.push(word);
    }
}

/// Text of a glyph. Without a Unicode table, character codes of plain letters are used as such, which is
/// right for most fonts.
pub(super) fn characters(glyph: &Glyph<'_>) -> Option<String> {
    let known = match glyph.as_unicode() {
        Some(BfString::Char(c)) => Some(c.to_string()),
        Some(BfString::String(text)) => Some(text),
        None => None,
    };
    let readable =
        |text: &String| !text.is_empty() && !text.chars().any(|c| c.is_control() || c == '\u{fffd}');
    known.filter(readable).or_else(|| {
        let code = char::from_u32(glyph.char_code()).filter(|c| c.is_ascii_graphic() || *c == ' ')?;
        Some(code.to_string())
    })
}

impl Word {
    /// Clockwise rotation of the baseline from left-to-right, in quarter turns.
    fn quarter_turns(&self) -> usize {
        let along = self.end - self.start;
        if along.x.abs() >= along.y.abs() {
            if along.x >= 0.0 { 0 } else { 2 }
        } else if along.y > 0.0 {
            1
        } else {
            3
        }
    }

    /// Area of an upright glyph on the page, from the top of its letters to below the line.
    fn area(&self, page: (f64, f64)) -> Option<Area> {
        let (left, right) = (self.start.x.min(self.end.x), self.start.x.max(self.end.x));
        let base = self.start.y;
        Area::between((left, base - 0.8 * self.size), (right, base + 0.2 * self.size), page)
    }

    fn turned_back(self, quarters: usize) -> Self {
        let turn = |point: Point| match quarters {
            1 => Point::new(point.y, -point.x),
            2 => Point::new(-point.x, -point.y),
            _ => Point::new(-point.y, point.x),
        };
        Self { start: turn(self.start), end: turn(self.end), ..self }
    }
}

/// A piece of a line: a glyph, or the gap before one.
#[derive(Debug)]
struct Piece {
    text: String,
    area: Option<Area>,
}

/// Joins glyphs to lines. Positions are included if the size of the page is known.
fn lines(mut words: Vec<Word>, page: Option<(f64, f64)>) -> Vec<Vec<Piece>> {
    words.sort_by(|a, b| a.start.y.total_cmp(&b.start.y));
    let mut lines: Vec<Vec<Word>> = Vec::new();
    for word in words {
        // Raised and lowered characters belong to their line.
        let same_line = |line: &[Word]| {
            line.first().is_some_and(|first| word.start.y - first.start.y < 0.4 * first.size.max(word.size))
        };
        match lines.last_mut().filter(|line| same_line(line)) {
            Some(line) => line.push(word),
            None => lines.push(vec![word]),
        }
    }
    lines.into_iter().map(|words| line(words, page)).collect()
}

fn line(mut words: Vec<Word>, page: Option<(f64, f64)>) -> Vec<Piece> {
    words.sort_by(|a, b| a.start.x.total_cmp(&b.start.x));
    // Bold print is often the same glyph twice.
    words.dedup_by(|next, kept| {
        next.text == kept.text
            && next.start.distance(kept.start) < 0.1 * kept.size
            && !next.text.trim().is_empty()
    });
    let mut parts: Vec<Piece> = Vec::with_capacity(words.len());
    let mut before: Option<&Word> = None;
    for word in &words {
        let blank = |text: &str| text.ends_with(char::is_whitespace);
        let gap = before.map_or(0.0, |before| word.start.x - before.end.x.max(before.start.x));
        if gap > 0.15 * word.size
            && !parts.last().is_none_or(|last| blank(&last.text))
            && !word.text.starts_with(' ')
        {
            // Two blanks keep columns apart.
            let gap = if gap > 1.5 * word.size { "  " } else { " " };
            parts.push(Piece { text: gap.to_owned(), area: None });
        }
        parts.push(Piece { text: word.text.clone(), area: page.and_then(|page| word.area(page)) });
        before = Some(word);
    }
    in_reading_order(parts)
}

/// Converts glyphs from left-to-right to reading order; Hebrew and Arabic are read from right to left.
fn in_reading_order(mut parts: Vec<Piece>) -> Vec<Piece> {
    let strong = |part: &Piece| {
        part.text
            .chars()
            .find_map(|c| if is_right_to_left(c) { Some(true) } else { c.is_alphanumeric().then_some(false) })
    };
    if !parts.iter().any(|part| strong(part) == Some(true)) {
        return parts;
    }
    let rightmost = parts.iter().rev().find_map(strong);
    let reversed = rightmost == Some(true);
    if reversed {
        parts.reverse();
    }
    // Reverses every stretch that runs against the direction of the line.
    let against = |part: &Piece| strong(part).map(|rtl| rtl != reversed);
    let mut start = 0;
    while start < parts.len() {
        if against(&parts[start]) != Some(true) {
            start += 1;
            continue;
        }
        let stretch = parts[start..].iter().take_while(|part| against(part) != Some(false)).count();
        let end = start
            + parts[start..start + stretch].iter().rposition(|part| against(part) == Some(true)).unwrap_or(0)
            + 1;
        parts[start..end].reverse();
        start = end;
    }
    parts
}

/// Whether a letter is Hebrew, Arabic, Syriac, Thaana, N'Ko or one of their presentation forms.
fn is_right_to_left(c: char) -> bool {
    matches!(u32::from(c), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfefc | 0x1_0800..=0x1_0fff | 0x1_e800..=0x1_efff)
        && !matches!(u32::from(c), 0x660..=0x669 | 0x6f0..=0x6f9)
}

impl<'a> Device<'a> for Collector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform());
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let text = properties.and_then(|properties| properties.get::<PdfString<'_>>("ActualText"));
        let text = text.map(|text| strings::decode(text.as_bytes()));
        self.replacements.push(text.map(|text| Replacement { text, word: None }));
    }

    fn end_marked_content(&mut self) {
        self.replacements.pop();
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(parts: &[&str]) -> String {
        let pieces = parts.iter().map(|part| Piece { text: (*part).to_owned(), area: None });
        in_reading_order(pieces.collect()).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn hebrew_is_read_from_right_to_left_and_numbers_are_not() {
        assert_eq!(ordered(&["R", "x", " ", "ם", "י", "ר", "מ", " ", "5"]), "Rx מרים 5");
        assert_eq!(ordered(&["1", "2", " ", "ם", "י", "ר", "מ"]), "מרים 12");
        assert_eq!(ordered(&["5", " ", "m", "g"]), "5 mg");
    }
}
