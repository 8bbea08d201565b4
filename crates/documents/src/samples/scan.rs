//! Scanned and faxed versions of documents.

use crate::bilevel::Bilevel;
use crate::fax;
use crate::pdf::{self, GreyPage};
use crate::typeset::{Face, Look, Sheet, Typesetter};

/// Pixels per line at fax resolutions (ITU-T T.4).
const LINE: u32 = 1728;

/// Scanning properties of a machine.
#[derive(Clone, Copy)]
struct Machine {
    /// Pixels per inch.
    dpi: (u32, u32),
    /// Maximum skew of a page on the glass, in radians, to either side.
    skew: f32,
}

/// A well-maintained machine at fine resolution.
const FINE: Machine = Machine { dpi: (204, 196), skew: 0.006 };
/// A hand-fed machine at standard resolution.
const STANDARD: Machine = Machine { dpi: (204, 98), skew: 0.012 };

/// Scans a PDF: a TIFF with one Group 4 page per page, slightly skewed and speckled. Empty if the PDF cannot
/// be read.
pub fn scanned_tiff(pdf: &[u8]) -> Vec<u8> {
    scan(pdf, FINE, |_, _| None)
}

/// As [`scanned_tiff`], at 204 by 98 pixels per inch and with more skew.
pub fn standard_fax_tiff(pdf: &[u8]) -> Vec<u8> {
    scan(pdf, STANDARD, |_, _| None)
}

/// As [`scanned_tiff`], with the line that fax machines print at the top of each page: the given time and
/// sender, and page numbers.
pub fn fax_tiff(pdf: &[u8], time: &str, sender: &str) -> Vec<u8> {
    scan(pdf, FINE, |page, pages| tag_line(time, sender, page, pages))
}

fn scan(pdf: &[u8], machine: Machine, tag_line: impl Fn(usize, usize) -> Option<GreyPage>) -> Vec<u8> {
    let resolution = (LINE as f32 / 8.5, machine.dpi.1 as f32);
    let skew = machine.skew;
    let Ok(pages) = pdf::render_grey(pdf, resolution) else {
        return Vec::new();
    };
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let count = pages.len();
    let scanned = pages.iter().enumerate().map(|(index, page)| {
        let mut scanned =
            skewed(page, machine.dpi, if index % 2 == 0 { skew } else { -skew * 0.6 }, &mut noise);
        if let Some(line) = tag_line(index + 1, count) {
            overprint(&mut scanned, &line);
        }
        scanned
    });
    fax::write(&scanned.collect::<Vec<_>>(), machine.dpi).unwrap_or_default()
}

/// A small deterministic generator of uniform noise (xorshift).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Rotates the page about its centre, adds noise, and converts it to black and white.
fn skewed(page: &GreyPage, dpi: (u32, u32), angle: f32, noise: &mut Noise) -> Bilevel {
    let (sin, cos) = angle.sin_cos();
    let aspect = dpi.1 as f32 / dpi.0 as f32;
    let (middle_x, middle_y) = (LINE as f32 / 2.0, page.height as f32 / 2.0);
    let mut black = Vec::with_capacity((LINE * page.height) as usize);
    for y in 0..page.height {
        let across = (y as f32 - middle_y) / aspect;
        for x in 0..LINE {
            let along = x as f32 - middle_x;
            let from_x = along * cos + across * sin + page.width as f32 / 2.0;
            let from_y = (across * cos - along * sin) * aspect + middle_y;
            let random = noise.next();
            let grain = (random & 0x3f) as f32 - 32.0;
            let speckle = random >> 40 == 7 || random >> 49 == 3;
            black.push(speckle || sample(page, from_x, from_y) + grain < 185.0);
        }
    }
    Bilevel { width: LINE, height: page.height, black }
}

/// Interpolated grey of four pixels; white outside the page.
fn sample(page: &GreyPage, x: f32, y: f32) -> f32 {
    let at = |x: i64, y: i64| {
        let inside = (0..i64::from(page.width)).contains(&x) && (0..i64::from(page.height)).contains(&y);
        if inside { f32::from(page.pixels[(y * i64::from(page.width) + x) as usize]) } else { 255.0 }
    };
    let (left, top) = (x.floor(), y.floor());
    let (dx, dy) = (x - left, y - top);
    let (left, top) = (left as i64, top as i64);
    let upper = at(left, top) * (1.0 - dx) + at(left + 1, top) * dx;
    let lower = at(left, top + 1) * (1.0 - dx) + at(left + 1, top + 1) * dx;
    upper * (1.0 - dy) + lower * dy
}

/// The receiver's machine prints the line, so it is not skewed.
fn tag_line(time: &str, sender: &str, page: usize, pages: usize) -> Option<GreyPage> {
    let mut typesetter = Typesetter::new(Sheet::LETTER);
    let look = Look::new(Face::Mono, 9.0);
    let number = format!("P. {page}/{pages}");
    for (x, text) in [(24.0, time), (216.0, sender), (540.0, &number)] {
        typesetter.text(text, x, 20.0, look);
    }
    let pdf = typesetter.finish("", None)?.pdf;
    pdf::render_grey(&pdf, (LINE as f32 / 8.5, FINE.dpi.1 as f32)).ok()?.into_iter().next()
}

fn overprint(page: &mut Bilevel, line: &GreyPage) {
    let width = line.width.min(page.width);
    for y in 0..line.height.min(page.height) {
        for x in 0..width {
            if line.pixels[(y * line.width + x) as usize] < 128 {
                page.black[(y * page.width + x) as usize] = true;
            }
        }
    }
}
