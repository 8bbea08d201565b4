//! Shapes running text and breaks it into lines. The text library handles reading direction, ligatures,
//! combining marks and the choice of fonts.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use krilla::text::{Font, GlyphId, KrillaGlyph};
use parley::Layout;
use parley::layout::{Alignment, AlignmentOptions, Cluster, Line as SetLine, Run as SetRun};
use parley::style::{FontFamily, OverflowWrap, StyleProperty};

use super::Ink;
use super::fonts::{Face, Fonts, with_fonts};

/// Look of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub face: Face,
    /// Font size, in points.
    pub size: f32,
    pub ink: Ink,
    /// Distance above the baseline, in points; negative if below.
    pub rise: f32,
    pub underline: bool,
    pub struck: bool,
}

impl Look {
    pub const fn new(face: Face, size: f32) -> Self {
        Self { face, size, ink: Ink::BLACK, rise: 0.0, underline: false, struck: false }
    }

    pub const fn ink(self, ink: Ink) -> Self {
        Self { ink, ..self }
    }

    /// Width of a text on one line, in points.
    pub fn width(self, text: &str) -> f32 {
        Paragraph::new(&[Piece::new(text, self)], self).natural_widths().0
    }
}

/// Running text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    Text { text: String, look: Look, link: Option<String> },
    Break,
}

impl Piece {
    pub fn new(text: impl Into<String>, look: Look) -> Self {
        Self::Text { text: text.into(), look, link: None }
    }
}

/// Glyphs with one font and look, from left to right.
#[derive(Clone)]
pub(crate) struct Run {
    pub x: f32,
    pub width: f32,
    pub look: Look,
    pub link: Option<String>,
    pub font: Font,
    pub glyphs: Vec<KrillaGlyph>,
    /// Text of the whole paragraph; glyphs refer to ranges of it.
    pub text: Arc<str>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("x", &self.x).field("width", &self.width).finish_non_exhaustive()
    }
}

/// A line with its runs from left to right.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub runs: Vec<Run>,
    /// Distance from the left edge of the paragraph; not 0 for right-to-left text.
    pub start: f32,
    pub width: f32,
    /// Largest font size on the line.
    pub size: f32,
}

/// Shaped text that can be broken into lines of any width.
pub(crate) struct Paragraph<'a> {
    pieces: &'a [Piece],
    base: Look,
    text: Arc<str>,
    layout: Layout<usize>,
    /// Characters that no font has.
    pub missing: BTreeSet<char>,
}

impl<'a> Paragraph<'a> {
    /// Shapes text. `base` is the look of empty lines.
    pub fn new(pieces: &'a [Piece], base: Look) -> Self {
        with_fonts(|fonts| Self::shape(fonts, pieces, base))
    }

    fn shape(fonts: &mut Fonts, pieces: &'a [Piece], base: Look) -> Self {
        let mut missing = BTreeSet::new();
        let mut text = String::new();
        let mut styled = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Break => text.push('\n'),
                Piece::Text { text: words, look, .. } => {
                    let start = text.len();
                    text.push_str(&fonts.printable(words, &mut missing));
                    styled.push((index, *look, start..text.len()));
                }
            }
        }
        let stacks: Vec<_> = styled.iter().map(|(_, look, _)| fonts.stack(look.face)).collect();
        let root = fonts.stack(base.face);
        let mut builder = fonts.layouts.ranged_builder(&mut fonts.context, &text, 1.0, false);
        builder.push_default(StyleProperty::FontFamily(FontFamily::List(root.into())));
        builder.push_default(StyleProperty::FontSize(base.size));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::BreakWord));
        for ((index, look, range), stack) in styled.into_iter().zip(stacks) {
            builder.push(StyleProperty::Brush(index), range.clone());
            builder.push(StyleProperty::FontFamily(FontFamily::List(stack.into())), range.clone());
            builder.push(StyleProperty::FontSize(look.size), range.clone());
            builder.push(StyleProperty::FontWeight(look.face.weight()), range.clone());
            builder.push(StyleProperty::FontStyle(look.face.style()), range);
        }
        let layout = builder.build(&text);
        Self { pieces, base, text: text.into(), layout, missing }
    }

    /// Width of the text without automatic line breaks, and of its widest word.
    pub fn natural_widths(&self) -> (f32, f32) {
        let widths = self.layout.calculate_content_widths();
        (widths.max, widths.min)
    }

    /// Breaks the text into lines of at most this width. Wider words break anywhere.
    pub fn lines(&mut self, width: f32) -> Vec<Line> {
        if self.text.is_empty() {
            return vec![Line { size: self.base.size, ..Line::default() }];
        }
        self.layout.break_all_lines(Some(width.max(1.0)));
        self.layout.align(Alignment::Start, AlignmentOptions::default());
        let mut missing = BTreeSet::new();
        let lines = with_fonts(|fonts| {
            self.layout.lines().map(|line| self.line(fonts, &line, &mut missing)).collect()
        });
        self.missing.append(&mut missing);
        lines
    }

    fn line(&self, fonts: &mut Fonts, set: &SetLine<'_, usize>, missing: &mut BTreeSet<char>) -> Line {
        let metrics = set.metrics();
        let mut line = Line {
            start: metrics.offset,
            width: metrics.advance - metrics.hanging_advance,
            ..Line::default()
        };
        let mut x = 0.0;
        for run in set.runs() {
            self.run(fonts, &run, &mut x, &mut line, missing);
        }
        if line.runs.is_empty() {
            line.size = self.base.size;
        }
        line
    }

    /// Adds a run of one font, split where the look changes.
    fn run(
        &self,
        fonts: &mut Fonts,
        set: &SetRun<'_, usize>,
        x: &mut f32,
        line: &mut Line,
        missing: &mut BTreeSet<char>,
    ) {
        let Some(font) = fonts.drawable(set.font()) else { return };
        let size = set.font_size();
        let mut open: Option<(usize, Run)> = None;
        for cluster in set.visual_clusters() {
            let piece = cluster.style().brush;
            if open.as_ref().is_none_or(|(of, _)| *of != piece) {
                line.runs.extend(open.take().map(|(_, run)| run));
                open = self.begin(piece, *x, &font).map(|run| (piece, run));
            }
            let Some((_, run)) = &mut open else { continue };
            line.size = line.size.max(run.look.size);
            let range = ligature_range(&cluster);
            for glyph in cluster.glyphs() {
                if glyph.id == 0 {
                    missing.extend(self.text[range.clone()].chars().filter(|c| !c.is_control()));
                }
                run.glyphs.push(KrillaGlyph::new(
                    GlyphId::new(glyph.id),
                    glyph.advance / size,
                    glyph.x / size,
                    glyph.y / size,
                    0.0,
                    range.clone(),
                    None,
                ));
                run.width += glyph.advance;
                *x += glyph.advance;
            }
        }
        line.runs.extend(open.map(|(_, run)| run));
    }

    fn begin(&self, piece: usize, x: f32, font: &Font) -> Option<Run> {
        let Some(Piece::Text { look, link, .. }) = self.pieces.get(piece) else { return None };
        let (font, text) = (font.clone(), self.text.clone());
        Some(Run { x, width: 0.0, look: *look, link: link.clone(), font, glyphs: Vec::new(), text })
    }
}

/// Range of the text of a cluster, including the clusters of its ligature.
fn ligature_range(cluster: &Cluster<'_, usize>) -> std::ops::Range<usize> {
    let mut range = cluster.text_range();
    if cluster.is_ligature_start() {
        let mut next = cluster.next_logical();
        while let Some(part) = next.filter(Cluster::is_ligature_continuation) {
            range.end = part.text_range().end;
            next = part.next_logical();
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Look = Look::new(Face::Mono, 10.0);

    /// Text of each line in the visual order of its glyphs, from left to right.
    fn drawn(text: &str, width: f32) -> Vec<String> {
        let pieces = [Piece::new(text, LOOK)];
        let lines = Paragraph::new(&pieces, LOOK).lines(width);
        let glyph = |run: &Run, glyph: &KrillaGlyph| {
            use krilla::text::Glyph;
            run.text[glyph.text_range()].to_owned()
        };
        let line =
            |line: &Line| line.runs.iter().flat_map(|run| run.glyphs.iter().map(|g| glyph(run, g))).collect();
        lines.iter().map(line).collect()
    }

    fn broken(text: &str, columns: f32) -> Vec<String> {
        // Characters of the monospaced face are 0.6 times as wide as the font size.
        drawn(text, columns * 6.01)
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        assert_eq!(broken("take one tablet", 8.0), ["take one ", "tablet"]);
        assert_eq!(broken("0123456789", 4.0), ["0123", "4567", "89"]);
        assert_eq!(Paragraph::new(&[], LOOK).lines(50.0).len(), 1);
    }

    #[test]
    fn leading_blanks_of_a_new_text_are_kept() {
        assert_eq!(broken("  indented", 12.0), ["  indented"]);
    }

    #[test]
    fn arabic_stands_right_of_what_follows_it_and_doses_keep_their_order() {
        assert_eq!(drawn("5 mg", 500.0), ["5 mg"]);
        // The first strong letter is Arabic, so the line reads from right to left, and its Latin words from
        // left to right.
        assert_eq!(drawn("مرحبا Łukasz 12 mg", 500.0), ["Łukasz 12 mg ابحرم"]);
        assert_eq!(drawn("Rx מרים, take 5 mg", 500.0), ["Rx םירמ, take 5 mg"]);
    }

    #[test]
    fn arabic_letters_are_joined() {
        let glyphs = |text: &str| {
            let pieces = [Piece::new(text, LOOK)];
            let runs = Paragraph::new(&pieces, LOOK).lines(500.0).remove(0).runs;
            runs.iter()
                .flat_map(|run| &run.glyphs)
                .map(|glyph| krilla::text::Glyph::glyph_id(glyph).to_u32())
                .collect::<Vec<_>>()
        };
        let (joined, apart) = (glyphs("ببب"), glyphs("ب ب ب"));
        assert!(!joined.iter().any(|glyph| apart.contains(glyph)), "{joined:?} {apart:?}");
    }

    #[test]
    fn what_no_font_has_is_reported_and_shown_by_its_number() {
        let pieces = [Piece::new("Dose \u{F8FFE}\u{200D}\u{301} 5 mg", LOOK)];
        let mut paragraph = Paragraph::new(&pieces, LOOK);
        assert_eq!(paragraph.missing, BTreeSet::from(['\u{F8FFE}']));
        assert_eq!(drawn("a\u{F8FFE}b", 500.0), ["a[U+F8FFE]b"]);
        paragraph.lines(500.0);
        assert_eq!(paragraph.missing.len(), 1);
    }
}
