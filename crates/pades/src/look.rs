//! How a signature and its page look.

use crate::{CANVAS, Faces, Mark, Problem, Signing, faces::Type, values::plain};
use std::fmt::Write;

/// Size of a signature page, in points (US Letter).
pub const PAGE: (f64, f64) = (612.0, 792.0);
/// Size of one signature.
pub const PLACE: (f64, f64) = (504.0, 98.0);
/// Signatures on a page.
pub const PLACES: usize = 6;

const MARGIN: f64 = 54.0;
const TOP: f64 = 664.0;
/// Space between signatures.
const GAP: f64 = 6.0;
/// Width of the drawn or typed signature.
const MARK: f64 = 216.0;
const PADDING: f64 = 12.0;
/// Dark blue ink of the signature.
const INK: &str = "0.05 0.12 0.42";
const GREY: &str = "0.35 0.35 0.35";

/// The fonts of a signature, in their order in the resources: `/F0`, `/F1`, `/F2`.
pub struct Types<'a> {
    pub text: Type<'a>,
    pub bold: Type<'a>,
    pub script: Type<'a>,
}

impl<'a> Types<'a> {
    pub fn new(faces: &Faces<'a>) -> Result<Self, Problem> {
        let (text, bold, script) = (Type::new(faces.text)?, Type::new(faces.bold)?, Type::new(faces.script)?);
        Ok(Self { text, bold, script })
    }
}

/// Where a signature is on its page: left, bottom, right, top.
pub fn place(index: usize) -> [f64; 4] {
    let top = TOP - index as f64 * (PLACE.1 + GAP);
    [MARGIN, top - PLACE.1, MARGIN + PLACE.0, top]
}

/// Content of a signature page.
pub fn page(types: &mut Types<'_>, pages: usize) -> String {
    let mut out = String::new();
    let title = types.bold.show("Electronic signatures");
    line(&mut out, "F1", 18.0, "0 0 0", (MARGIN, 716.0), &title);
    let before = if pages == 1 { "page".to_owned() } else { format!("{pages} pages") };
    let lines = [
        format!("This page was added when the document was signed. The {before} before it did not change."),
        "A PDF reader shows for each signature whether the document changed afterwards.".into(),
    ];
    for (index, text) in lines.iter().enumerate() {
        let shown = types.text.show(text);
        line(&mut out, "F0", 10.0, GREY, (MARGIN, 692.0 - index as f64 * 14.0), &shown);
    }
    out
}

/// Content of a signature.
pub fn signature(types: &mut Types<'_>, what: &Signing) -> String {
    let mut out = String::new();
    // White first, so that nothing of the page is seen through it.
    _ = writeln!(out, "q 1 1 1 rg 0 0 {} {} re f Q", PLACE.0, PLACE.1);
    _ = writeln!(out, "q 0.75 0.75 0.75 RG 0.75 w 0.5 0.5 {} {} re S Q", PLACE.0 - 1.0, PLACE.1 - 1.0);
    match &what.mark {
        Mark::Drawn(strokes) => drawn(&mut out, strokes),
        Mark::Typed(name) => typed(&mut out, types, name),
    }
    _ = writeln!(out, "q {GREY} RG 0.5 w {PADDING} 34 m {} 34 l S Q", PADDING + MARK);
    let name = types.bold.fitted(&what.name, 10.0, MARK);
    let name = types.bold.show(&name);
    line(&mut out, "F1", 10.0, "0 0 0", (PADDING, 22.0), &name);
    let role = types.text.fitted(&what.role, 9.0, MARK);
    let role = types.text.show(&role);
    line(&mut out, "F0", 9.0, GREY, (PADDING, 10.0), &role);
    let left = PADDING + MARK + 24.0;
    let title = types.bold.show("Signed electronically");
    line(&mut out, "F1", 11.0, "0 0 0", (left, 82.0), &title);
    let details = [("Time", &what.at_text), ("Reason", &what.reason), ("Certificate of", &what.organization)];
    for (index, (label, text)) in details.into_iter().enumerate() {
        let y = 68.0 - index as f64 * 23.0;
        let label = types.text.show(label);
        line(&mut out, "F0", 8.0, GREY, (left, y), &label);
        let text = types.text.fitted(text, 10.0, PLACE.0 - left - PADDING);
        let text = types.text.show(&text);
        line(&mut out, "F0", 10.0, "0 0 0", (left, y - 11.0), &text);
    }
    out
}

fn line(out: &mut String, font: &str, size: f64, colour: &str, (x, y): (f64, f64), shown: &str) {
    _ = writeln!(out, "BT {colour} rg /{font} {size} Tf {} {} Td {shown} Tj ET", plain(x), plain(y));
}

/// A name that fills the place for the signature, but is not larger than people write.
fn typed(out: &mut String, types: &mut Types<'_>, name: &str) {
    const LARGEST: f64 = 30.0;
    let width = types.script.width(name, 1.0).max(0.1);
    let size = (MARK / width).clamp(8.0, LARGEST);
    let name = types.script.fitted(name, size, MARK);
    let shown = types.script.show(&name);
    line(out, "F2", (size * 10.0).floor() / 10.0, INK, (PADDING, 46.0), &shown);
}

/// Lines, in the shape in which they were drawn, as large as the place allows.
fn drawn(out: &mut String, strokes: &[Vec<[u16; 2]>]) {
    const HEIGHT: f64 = 52.0;
    let points = || strokes.iter().flatten().map(|[x, y]| ((*x).min(CANVAS), (*y).min(CANVAS)));
    let (Some(left), Some(top)) = (points().map(|p| p.0).min(), points().map(|p| p.1).min()) else { return };
    let right = points().map(|p| p.0).max().unwrap_or(left);
    let bottom = points().map(|p| p.1).max().unwrap_or(top);
    let across = MARK / f64::from((right - left).max(1));
    let scale = across.min(HEIGHT / f64::from((bottom - top).max(1))).min(MARK / 500.0);
    let at = |[x, y]: &[u16; 2]| {
        let (x, y) = (f64::from((*x).min(CANVAS) - left), f64::from(bottom - (*y).min(CANVAS)));
        format!("{:.2} {:.2}", PADDING + x * scale, 40.0 + y * scale)
    };
    _ = writeln!(out, "q {INK} RG 1.4 w 1 J 1 j");
    for stroke in strokes {
        let Some((first, others)) = stroke.split_first() else { continue };
        _ = write!(out, "{} m ", at(first));
        // A dot is a line to where it begins.
        for point in if others.is_empty() { std::slice::from_ref(first) } else { others } {
            _ = write!(out, "{} l ", at(point));
        }
        out.push_str("S\n");
    }
    out.push_str("Q\n");
}
