//! Draws what viewers add because it is not drawn in the file: form values and annotations without an
//! appearance. It is typeset on transparent pages over those of the file.

mod fields;
mod markup;

use std::collections::BTreeSet;

use hayro::hayro_interpret::util::{RectExt, TransformExt};
use hayro::hayro_interpret::{InterpreterCache, RenderContent};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, Name, Object, Rect as PdfRect};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, Rect};

use super::fonts::settings;
use super::words::Collector;
use crate::typeset::{self, Ink, Look, Mark, Paragraph, Piece};
use fields::Form;

/// Flags Hidden and NoView (ISO 32000-1 table 165).
const UNSEEN: u32 = 1 << 1 | 1 << 5;
/// Maximum number of examined annotations of a page.
const MAX_ANNOTATIONS: usize = 10_000;
/// Minimum font size of a text that is shrunk to fit its field.
const SMALLEST: f32 = 4.0;

/// Pages to draw over those of a file, and the characters on them that no font has.
pub(super) struct Overlay {
    pub pdf: Vec<u8>,
    pub missing: BTreeSet<char>,
    /// Covered areas of each page. The file's own content there is outdated.
    pub covered: Vec<Vec<Rect>>,
}

/// The overlay of a file; `None` if the file draws everything itself.
pub(super) fn overlay(pdf: &Pdf) -> Option<Overlay> {
    let form = Form::of(pdf);
    let mut missing = BTreeSet::new();
    let mut empty = true;
    let (mut pages, mut covered) = (Vec::new(), Vec::new());
    for page in pdf.pages().iter() {
        let (marks, over) = match page.raw().get::<Array<'_>>("Annots") {
            Some(annotations) => marks(page, &annotations, &form, &mut missing),
            None => (Vec::new(), Vec::new()),
        };
        covered.push(over);
        empty &= marks.is_empty();
        let (width, height) = page.render_dimensions();
        pages.push(typeset::Page { width, height, marks });
    }
    if empty {
        return None;
    }
    Some(Overlay { pdf: typeset::write_pages(pages, "")?, missing, covered })
}

fn marks<'a>(
    page: &'a Page<'a>,
    annotations: &Array<'a>,
    form: &Form<'a>,
    missing: &mut BTreeSet<char>,
) -> (Vec<Mark>, Vec<Rect>) {
    let upright = page.initial_transform(true).to_kurbo();
    let mut sheet = Sheet { upright, marks: Vec::new(), covered: Vec::new(), missing };
    let mut drawn: Option<Collector> = None;
    for annotation in annotations.iter::<Dict<'_>>().take(MAX_ANNOTATIONS) {
        let (Some(kind), Some(area)) =
            (annotation.get::<Name<'_>>("Subtype"), annotation.get::<PdfRect>("Rect"))
        else {
            continue;
        };
        if annotation.get::<u32>("F").unwrap_or(0) & UNSEEN != 0 {
            continue;
        }
        let area = sheet.upright.transform_rect_bbox(area.to_kurbo());
        match kind.as_str() {
            "Widget" => {
                let drawn = drawn.get_or_insert_with(|| drawn_by_annotations(page));
                form.draw(&annotation, area, drawn, &mut sheet);
            }
            _ if has_appearance(&annotation) => {}
            kind => markup::draw(kind, &annotation, area, &mut sheet),
        }
    }
    (sheet.marks, sheet.covered)
}

fn drawn_by_annotations<'a>(page: &'a Page<'a>) -> Collector {
    let mut drawn = Collector::default();
    let only = hayro::hayro_interpret::InterpreterSettings {
        render_content: RenderContent::ANNOTATIONS,
        ..settings()
    };
    drawn.read(page, &InterpreterCache::new(), only);
    drawn
}

fn has_appearance(annotation: &Dict<'_>) -> bool {
    let normal = annotation.get::<Dict<'_>>("AP").and_then(|appearances| appearances.get::<Object<'_>>("N"));
    matches!(normal, Some(Object::Stream(_) | Object::Dict(_)))
}

/// Overlay of one page, in points from its upper left corner after rotation.
struct Sheet<'m> {
    upright: Affine,
    marks: Vec<Mark>,
    covered: Vec<Rect>,
    missing: &'m mut BTreeSet<char>,
}

/// Alignment of the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Centre,
    Right,
}

impl Sheet<'_> {
    /// Adds text in a box, shrunk until it fits, because paper cannot be scrolled.
    fn text(&mut self, text: &str, area: Rect, look: Look, align: Align, wrap: bool) {
        const PADDING: f32 = 2.0;
        const LEADING: f32 = 1.15;
        let mut pieces = Vec::new();
        for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
            pieces.push(Piece::new(line, look));
            pieces.push(Piece::Break);
        }
        pieces.pop();
        let (width, height) = (area.width() as f32 - 2.0 * PADDING, area.height() as f32);
        let mut look = look;
        let lines = loop {
            for piece in &mut pieces {
                if let Piece::Text { look: of, .. } = piece {
                    *of = look;
                }
            }
            let mut paragraph = Paragraph::new(&pieces, look);
            let lines = paragraph.lines(if wrap { width } else { f32::MAX });
            let widest = lines.iter().map(|line| line.width).fold(0.0, f32::max);
            let tall = lines.len() as f32 * look.size * LEADING;
            if look.size <= SMALLEST || (widest <= width.max(1.0) && (lines.len() == 1 || tall <= height)) {
                self.missing.append(&mut paragraph.missing);
                break lines;
            }
            look.size = (look.size * 0.92).max(SMALLEST);
        };
        let step = look.size * LEADING;
        let top = if wrap {
            area.y0 as f32 + PADDING
        } else {
            area.y0 as f32 + (height - lines.len() as f32 * step) / 2.0
        };
        for (index, line) in lines.into_iter().enumerate() {
            let free = (width - line.width).max(0.0);
            let shift = match align {
                Align::Left => 0.0,
                Align::Centre => free / 2.0,
                Align::Right => free,
            };
            let y = top + step * (index as f32 + 0.5) + look.size * 0.35;
            for run in line.runs {
                self.marks.push(Mark::Text { x: area.x0 as f32 + PADDING + shift + run.x, y, run });
            }
        }
    }

    fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>, width: f32, ink: Ink) {
        let points: Vec<_> = points.into_iter().map(|(x, y)| (x as f32, y as f32)).collect();
        for ends in points.windows(2) {
            self.marks.push(Mark::Stroke { from: ends[0], to: ends[1], width, ink });
        }
    }

    fn fill(&mut self, area: Rect, ink: Ink) {
        let (x, y) = (area.x0 as f32, area.y0 as f32);
        self.marks.push(Mark::Fill { x, y, width: area.width() as f32, height: area.height() as f32, ink });
    }

    /// Adds a colour that leaves the content below readable.
    fn tint(&mut self, area: Rect, ink: Ink) {
        let (x, y) = (area.x0 as f32, area.y0 as f32);
        self.marks.push(Mark::Tint { x, y, width: area.width() as f32, height: area.height() as f32, ink });
    }
}

/// Converts a colour array with 1, 3 or 4 entries: grey, RGB or CMYK (ISO 32000-1 table 164); `None` if it is
/// empty.
fn colour(values: &[f32]) -> Option<Ink> {
    let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    match *values {
        [grey] => Some(Ink(byte(grey), byte(grey), byte(grey))),
        [red, green, blue] => Some(Ink(byte(red), byte(green), byte(blue))),
        [cyan, magenta, yellow, black] => {
            let part = |ink: f32| byte((1.0 - ink) * (1.0 - black));
            Some(Ink(part(cyan), part(magenta), part(yellow)))
        }
        _ => None,
    }
}

fn numbers(dict: &Dict<'_>, key: &str) -> Vec<f32> {
    dict.get::<Array<'_>>(key).map(|array| array.iter::<f32>().collect()).unwrap_or_default()
}

/// Parses a default appearance string such as `/Helv 12 Tf 0 g` (ISO 32000-1 section 12.7.3.3). With size 0,
/// the viewer chooses the size.
fn default_look(appearance: &str) -> Look {
    use crate::typeset::Face;
    let mut look = Look::new(Face::Sans, 0.0).ink(Ink(0, 0, 0));
    let mut operands: Vec<&str> = Vec::new();
    for token in appearance.split_ascii_whitespace() {
        let values = || operands.iter().filter_map(|operand| operand.parse().ok()).collect::<Vec<f32>>();
        match token {
            "Tf" => {
                look.size = values().last().copied().unwrap_or(0.0).clamp(0.0, 200.0);
                look.face = face(operands.first().copied().unwrap_or_default());
            }
            "g" | "rg" | "k" => look.ink = colour(&values()).unwrap_or(look.ink),
            _ => {
                operands.push(token);
                continue;
            }
        }
        operands.clear();
    }
    look
}

/// A face similar to a font resource; most are named after the standard fonts (`/Helv`, `/HeBo`, `/TiRo`,
/// `/Cour`).
fn face(name: &str) -> crate::typeset::Face {
    use crate::typeset::Face;
    let name = name.trim_start_matches('/').to_lowercase();
    match () {
        () if name.starts_with("co") => Face::Mono,
        () if name.starts_with("ti") => Face::Serif,
        () if name.contains("bo") => Face::SansBold,
        () => Face::Sans,
    }
}
