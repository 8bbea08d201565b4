//! Annotations without an appearance: comments, marked text and drawings (ISO 32000-1 section 12.5.6).

use hayro::hayro_syntax::object::{Array, Dict, String as PdfString};
use hayro::kurbo::{Point, Rect};

use super::super::strings;
use super::{Align, Sheet, colour, default_look, numbers};
use crate::typeset::Ink;

/// Maximum number of points of a drawing.
const MAX_POINTS: usize = 100_000;
const BLACK: Ink = Ink(0, 0, 0);

/// Draws an annotation of a kind that is printed. Notes behind an icon, links and the like are not.
pub(super) fn draw(kind: &str, annotation: &Dict<'_>, area: Rect, sheet: &mut Sheet<'_>) {
    let ink = colour(&numbers(annotation, "C"));
    let pen = Pen { width: pen_width(annotation), ink: ink.unwrap_or(BLACK) };
    match kind {
        "FreeText" => remark(annotation, area, ink, sheet),
        "Highlight" => quads(annotation, area, sheet, |sheet, quad| {
            let [a, b, c, d] = quad;
            let corner = Rect::from_points(a, b).union(Rect::from_points(c, d));
            sheet.tint(corner, ink.unwrap_or(Ink(255, 255, 0)));
        }),
        "Underline" | "Squiggly" => {
            quads(annotation, area, sheet, |sheet, [_, _, c, d]| pen.draw(sheet, [c, d]))
        }
        "StrikeOut" => {
            quads(annotation, area, sheet, |sheet, [a, b, c, d]| {
                pen.draw(sheet, [a.midpoint(c), b.midpoint(d)])
            });
        }
        "Ink" => {
            for stroke in
                annotation.get::<Array<'_>>("InkList").iter().flat_map(|list| list.iter::<Array<'_>>())
            {
                pen.draw(sheet, points(sheet, stroke.iter::<f32>()));
            }
        }
        "Line" => pen.draw(sheet, points(sheet, numbers(annotation, "L"))),
        "PolyLine" => pen.draw(sheet, points(sheet, numbers(annotation, "Vertices"))),
        "Polygon" => {
            let mut points = points(sheet, numbers(annotation, "Vertices"));
            points.extend(points.first().copied());
            pen.draw(sheet, points);
        }
        "Square" => {
            inside(annotation, area, sheet);
            let Rect { x0, y0, x1, y1 } = area;
            pen.draw(sheet, [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)].map(Point::from));
        }
        "Circle" => {
            let (centre, rx, ry) = (area.center(), area.width() / 2.0, area.height() / 2.0);
            let around = (0..=64).map(|step| f64::from(step) / 64.0 * std::f64::consts::TAU);
            let points =
                around.map(|angle| Point::new(centre.x + rx * angle.cos(), centre.y + ry * angle.sin()));
            pen.draw(sheet, points.collect::<Vec<_>>());
        }
        _ => {}
    }
}

struct Pen {
    width: f32,
    ink: Ink,
}

impl Pen {
    fn draw(&self, sheet: &mut Sheet<'_>, points: impl IntoIterator<Item = Point>) {
        if self.width > 0.0 {
            sheet.line(points.into_iter().map(|point| (point.x, point.y)), self.width, self.ink);
        }
    }
}

fn pen_width(annotation: &Dict<'_>) -> f32 {
    let style = annotation.get::<Dict<'_>>("BS").and_then(|style| style.get::<f32>("W"));
    style.or_else(|| numbers(annotation, "Border").get(2).copied()).unwrap_or(1.0).clamp(0.0, 50.0)
}

fn remark(annotation: &Dict<'_>, area: Rect, paper: Option<Ink>, sheet: &mut Sheet<'_>) {
    let words = |key| annotation.get::<PdfString<'_>>(key).map(|text| strings::decode(text.as_bytes()));
    if let Some(paper) = paper {
        sheet.tint(area, paper);
    }
    let mut look = default_look(&words("DA").unwrap_or_default());
    if look.size == 0.0 {
        look.size = 12.0;
    }
    let align = match annotation.get::<u32>("Q") {
        Some(1) => Align::Centre,
        Some(2) => Align::Right,
        _ => Align::Left,
    };
    sheet.text(&words("Contents").unwrap_or_default(), area, look, align, true);
}

fn inside(annotation: &Dict<'_>, area: Rect, sheet: &mut Sheet<'_>) {
    if let Some(ink) = colour(&numbers(annotation, "IC")) {
        sheet.tint(area, ink);
    }
}

/// Corners of the marked stretches of text: upper left, upper right, lower left, lower right. The whole area
/// if there are none.
fn quads(
    annotation: &Dict<'_>,
    area: Rect,
    sheet: &mut Sheet<'_>,
    mut draw: impl FnMut(&mut Sheet<'_>, [Point; 4]),
) {
    let corners = points(sheet, numbers(annotation, "QuadPoints"));
    let Rect { x0, y0, x1, y1 } = area;
    let whole = [[(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map(Point::from)];
    let quads = corners.as_chunks::<4>().0;
    for quad in if quads.is_empty() { &whole } else { quads } {
        draw(sheet, *quad);
    }
}

fn points(sheet: &Sheet<'_>, numbers: impl IntoIterator<Item = f32>) -> Vec<Point> {
    let numbers: Vec<f32> = numbers.into_iter().take(MAX_POINTS * 2).collect();
    numbers.as_chunks::<2>().0.iter().map(|&[x, y]| sheet.upright * Point::new(x.into(), y.into())).collect()
}
