//! Draws documents and sheets as fax pages.

use std::io::Cursor;

use hayro::kurbo::Affine;
use hayro::vello_cpu::RenderContext;

use super::tiff_file::{Page, Writer};
use super::{Resolution, Sheet, WIDTH};
use crate::bilevel::Bilevel;
use crate::convert;
use crate::error::ConversionError;
use crate::pdf::{self, Cache, Document, PdfError};
use crate::typeset::Typeset;
use crate::{Kind, kind};

/// Size of a fax page in points: Letter.
const PAPER: (f64, f64) = (612.0, 792.0);
/// Number of pages that share a cache of fonts and pictures. More would keep all pictures of a document in
/// memory.
const PAGES_PER_CACHE: u32 = 8;
/// Maximum number of pages of a document.
const MAX_PAGES: u32 = 1_000;

/// The document as TIFF, and its number of pages. The top of each page is left free for the header.
pub(crate) fn document(
    kind: Kind,
    content: &[u8],
    resolution: Resolution,
) -> Result<(Vec<u8>, u32), ConversionError> {
    if kind == Kind::Pdf || kind::detect(content) == Kind::Pdf {
        return pages(content, resolution);
    }
    pages(&printable(convert::typeset(kind, content)?)?, resolution)
}

/// A sheet as TIFF, and its number of pages.
pub(crate) fn draw_sheet(sheet: &Sheet, resolution: Resolution) -> Result<(Vec<u8>, u32), ConversionError> {
    pages(&printable(sheet.typeset()?)?, resolution)
}

/// Refuses pages with replaced characters: the reader of a fax cannot look them up.
fn printable(typeset: Typeset) -> Result<Vec<u8>, ConversionError> {
    match typeset.missing.is_empty() {
        true => Ok(typeset.pdf),
        false => Err(ConversionError::Unprintable(typeset.missing)),
    }
}

fn pages(content: &[u8], resolution: Resolution) -> Result<(Vec<u8>, u32), ConversionError> {
    const FAILED: ConversionError = ConversionError::Broken("the pages cannot be written");
    let document = Document::open(content)?;
    if !document.missing.is_empty() {
        return Err(ConversionError::Unprintable(document.missing));
    }
    let count = document.len()?;
    if count > MAX_PAGES {
        return Err(ConversionError::TooLarge);
    }
    let mut writer = Writer::new(Cursor::new(Vec::new()), count as usize).map_err(|_| FAILED)?;
    let mut cache = document.cache();
    for page in 1..=count {
        if page.is_multiple_of(PAGES_PER_CACHE) {
            cache = document.cache();
        }
        let drawn = draw(&document, &cache, page, resolution)?;
        let data = drawn.group4().ok_or(FAILED)?;
        let page = Page { width: WIDTH, height: drawn.height, dpi: resolution.dpi(), data: &data };
        writer.page(&page).map_err(|_| FAILED)?;
    }
    Ok((writer.finish().map_err(|_| FAILED)?.into_inner(), count))
}

fn draw<'a>(
    document: &'a Document,
    cache: &Cache<'a>,
    page: u32,
    resolution: Resolution,
) -> Result<Bilevel, PdfError> {
    let (width, height) = document.size(page)?;
    let placed = place((width.into(), height.into()), resolution);
    bilevel(resolution.height(), |context| document.draw(page, cache, context, placed))
}

/// Maps a page of this size in points to pixels: below the header, landscape pages rotated, large pages
/// shrunk, none enlarged.
fn place((width, height): (f64, f64), resolution: Resolution) -> Affine {
    let lines = f64::from(resolution.height());
    let top = PAPER.1 * f64::from(resolution.header_height()) / lines;
    let turned = width > height && width > PAPER.0;
    // A quarter turn clockwise: x' = height - y, y' = x.
    let (turn, (width, height)) = if turned {
        (Affine::new([0.0, 1.0, -1.0, 0.0, height, 0.0]), (height, width))
    } else {
        (Affine::IDENTITY, (width, height))
    };
    let scale = (PAPER.0 / width).min((PAPER.1 - top) / height).min(1.0);
    let left = (PAPER.0 - width * scale) / 2.0;
    Affine::scale_non_uniform(f64::from(WIDTH) / PAPER.0, lines / PAPER.1)
        * Affine::translate((left, top))
        * Affine::scale(scale)
        * turn
}

/// Draws on white and converts to black and white.
pub(super) fn bilevel(
    height: u32,
    draw: impl FnOnce(&mut RenderContext) -> Result<(), PdfError>,
) -> Result<Bilevel, PdfError> {
    let pixels = pdf::pixels((WIDTH as u16, height as u16), draw)?;
    Ok(Bilevel::from_grey(WIDTH, height, &pdf::grey(pixels.data_as_u8_slice())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(size: (f64, f64)) -> [(i32, i32); 2] {
        let placed = place(size, Resolution::Fine);
        [(0.0, 0.0), size].map(|corner| {
            let at = placed * hayro::kurbo::Point::from(corner);
            (at.x.round() as i32, at.y.round() as i32)
        })
    }

    #[test]
    fn pages_lie_below_the_header_and_inside_the_paper() {
        assert_eq!(corners((612.0, 792.0)), [(15, 38), (1713, 2156)]);
        assert_eq!(corners((792.0, 612.0)), [(1713, 38), (15, 2156)]);
        assert_eq!(corners((595.0, 842.0)), [(88, 38), (1640, 2156)]);
        assert_eq!(corners((288.0, 216.0)), [(457, 38), (1271, 626)]);
        assert_eq!(corners((100.0, 10_000.0))[1].1, 2156);
    }
}
