//! Draws documents and sheets as fax pages.

use std::io::Cursor;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_syntax::page::Page as PdfPage;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};

use super::tiff_file::{Page, Writer};
use super::{Bilevel, Resolution, Sheet, WIDTH};
use crate::convert::{self, ConversionError};
use crate::pdf::{self, PdfError};
use crate::{Kind, kind};

/// Size of a fax page in points: Letter.
const PAPER: (f64, f64) = (612.0, 792.0);
/// Pages that share what was kept of fonts and pictures; more would keep a whole document's pictures in memory.
const PAGES_PER_CACHE: usize = 8;
/// Most pages of one document.
const MAX_PAGES: usize = 1_000;

/// The document as TIFF, and its number of pages. Above each page there is room for the header.
pub(crate) fn document(
    kind: Kind,
    content: &[u8],
    resolution: Resolution,
) -> Result<(Vec<u8>, u32), ConversionError> {
    if kind == Kind::Pdf || kind::detect(content) == Kind::Pdf {
        return pages(content, resolution);
    }
    pages(&convert::to_pdf(kind, content)?, resolution)
}

/// A sheet as TIFF, and its number of pages.
pub(crate) fn draw_sheet(sheet: &Sheet, resolution: Resolution) -> Result<(Vec<u8>, u32), ConversionError> {
    pages(&sheet.to_pdf()?, resolution)
}

fn pages(content: &[u8], resolution: Resolution) -> Result<(Vec<u8>, u32), ConversionError> {
    const FAILED: ConversionError = ConversionError::Broken("the pages cannot be written");
    let pdf = pdf::open(content)?;
    let count = match pdf.pages().len() {
        0 => return Err(PdfError::NoPages.into()),
        count if count > MAX_PAGES => return Err(ConversionError::TooLarge),
        count => count,
    };
    let mut writer = Writer::new(Cursor::new(Vec::new()), count).map_err(|_| FAILED)?;
    for group in pdf.pages().chunks(PAGES_PER_CACHE) {
        let cache = RenderCache::new();
        for page in group {
            let drawn = draw(page, &cache, resolution)?;
            let data = drawn.group4().ok_or(FAILED)?;
            let page = Page { width: WIDTH, height: drawn.height, dpi: resolution.dpi(), data: &data };
            writer.page(&page).map_err(|_| FAILED)?;
        }
    }
    Ok((writer.finish().map_err(|_| FAILED)?.into_inner(), count as u32))
}

fn draw<'a>(
    page: &'a PdfPage<'a>,
    cache: &RenderCache<'a>,
    resolution: Resolution,
) -> Result<Bilevel, PdfError> {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    if !(width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0) {
        return Err(PdfError::Broken);
    }
    let placed = place((width, height), resolution) * page.initial_transform(true).to_kurbo();
    Ok(grey_page(resolution.height(), |context| {
        render_into(
            page,
            cache,
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            context,
            placed,
        );
    }))
}

/// Where a page of this size in points comes to lie, in pixels: below the header, across pages turned, large pages
/// made smaller, none made larger.
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

/// Draws on white and decides between black and white.
pub(super) fn grey_page(height: u32, draw: impl FnOnce(&mut RenderContext)) -> Bilevel {
    let mut context = RenderContext::new(WIDTH as u16, height as u16);
    draw(&mut context);
    context.flush();
    let mut pixels = Pixmap::new(context.width(), context.height());
    let settings =
        RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixels, &mut Resources::default(), settings);
    Bilevel::from_grey(WIDTH, height, &pdf::grey(pixels.data_as_u8_slice()))
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
