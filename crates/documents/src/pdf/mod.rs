//! Reads PDF files: pages, pictures of pages, text. Call it inside the [`crate::worker`] process only.

mod fonts;
mod groups;
mod overlay;
mod stamp;
mod strings;
mod survey;
mod words;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro::hayro_interpret::InterpreterCache;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_syntax::object::Dict;
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources as VelloResources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

use crate::Flaws;
use crate::places::PlacedText;
use overlay::Overlay;
pub use stamp::stamped;
use survey::Survey;
use words::Collector;

/// Maximum size of a page picture, in pixels; larger pages are drawn at a lower resolution.
pub const MAX_PIXELS: f32 = 40_000_000.0;
/// Maximum side of a page picture, in pixels.
pub const MAX_SIDE: f32 = 16_000.0;

/// Reason why a PDF cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The file requires a password.
    #[error("the PDF is protected by a password")]
    Encrypted,
    /// The file is damaged or is not a PDF.
    #[error("the PDF is damaged")]
    Broken,
    /// The file has no pages.
    #[error("the PDF has no pages")]
    NoPages,
    /// The file can be shown, but its text cannot be read.
    #[error("the text of the PDF cannot be read")]
    NoText,
    /// The page does not exist.
    #[error("the PDF has no page {page}, only {pages}")]
    NoSuchPage {
        /// Requested page, counted from 1.
        page: u32,
        /// Number of pages.
        pages: u32,
    },
}

/// A page as a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePng {
    /// PNG file.
    pub png: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A page as grey pixels; 0 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GreyPage {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

/// Reads the structure of a file.
pub(crate) fn load(content: Vec<u8>) -> Result<Pdf, PdfError> {
    Pdf::new(content).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => PdfError::Encrypted,
        _ => PdfError::Broken,
    })
}

/// A file ready for drawing, with everything that a viewer would show.
pub(crate) struct Document {
    pdf: Pdf,
    /// Pages drawn over those of the file.
    overlay: Option<Pdf>,
    /// Characters of form values and annotations that no font has. The pages show their code points instead.
    pub missing: BTreeSet<char>,
}

/// Fonts and pictures cached between the pages of a [`Document`].
pub(crate) struct Cache<'a> {
    pdf: RenderCache<'a>,
    overlay: RenderCache<'a>,
}

impl Document {
    pub fn open(content: &[u8]) -> Result<Self, PdfError> {
        let mut pdf = load(content.to_vec())?;
        if let Some(dissolved) = groups::dissolved(&pdf) {
            pdf = load(dissolved)?;
        }
        let Some(Overlay { pdf: pages, missing, .. }) = overlay::overlay(&pdf) else {
            return Ok(Self { pdf, overlay: None, missing: BTreeSet::new() });
        };
        Ok(Self { pdf, overlay: Some(load(pages)?), missing })
    }

    /// Number of pages, at least 1.
    pub fn len(&self) -> Result<u32, PdfError> {
        match self.pdf.pages().len() {
            0 => Err(PdfError::NoPages),
            pages => Ok(pages as u32),
        }
    }

    pub fn cache(&self) -> Cache<'_> {
        Cache { pdf: RenderCache::new(), overlay: RenderCache::new() }
    }

    /// Size of a page in points after rotation; `page` counts from 1.
    pub fn size(&self, page: u32) -> Result<(f32, f32), PdfError> {
        let (width, height) = self.page(page)?.render_dimensions();
        let usable = width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0;
        if usable { Ok((width, height)) } else { Err(PdfError::Broken) }
    }

    fn page(&self, page: u32) -> Result<&Page<'_>, PdfError> {
        let pages = self.pdf.pages();
        let index = (page as usize).checked_sub(1);
        let missing = PdfError::NoSuchPage { page, pages: pages.len() as u32 };
        index.and_then(|index| pages.get(index)).ok_or(missing)
    }

    /// Content of a page. A page that cannot be examined counts as damaged.
    pub fn survey(&self, page: u32) -> Result<Survey, PdfError> {
        let page = self.page(page)?;
        Ok(guarded(|| Survey::of(page)).unwrap_or_else(Survey::damaged))
    }

    /// Draws a page; `placed` maps points, from the upper left corner of the page, to pixels.
    pub fn draw<'a>(
        &'a self,
        page: u32,
        cache: &Cache<'a>,
        context: &mut RenderContext,
        placed: Affine,
    ) -> Result<(), PdfError> {
        let over = self.overlay.as_ref().and_then(|overlay| overlay.pages().get(page as usize - 1));
        let layers = [Some((self.page(page)?, &cache.pdf)), over.map(|over| (over, &cache.overlay))];
        for (page, cache) in layers.into_iter().flatten() {
            let upright = placed * page.initial_transform(true).to_kurbo();
            render_into(page, cache, &fonts::settings(), &RenderSettings::default(), context, upright);
        }
        Ok(())
    }
}

/// A picture of this size on white.
pub(crate) fn pixels<E>(
    (width, height): (u16, u16),
    draw: impl FnOnce(&mut RenderContext) -> Result<(), E>,
) -> Result<Pixmap, E> {
    let mut context = RenderContext::new(width, height);
    draw(&mut context)?;
    context.flush();
    let mut pixels = Pixmap::new(context.width(), context.height());
    let settings =
        RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixels, &mut VelloResources::default(), settings);
    Ok(pixels)
}

/// Number of pages, at least 1.
pub fn page_count(content: &[u8]) -> Result<u32, PdfError> {
    match load(content.to_vec())?.pages().len() {
        0 => Err(PdfError::NoPages),
        pages => Ok(pages as u32),
    }
}

/// Draws one page on white. `page` counts from 1, `dpi` is in pixels per inch of the page's own size.
pub fn render_page(content: &[u8], page: u32, dpi: u32) -> Result<PagePng, PdfError> {
    let document = Document::open(content)?;
    let scale = dpi.max(1) as f32 / 72.0;
    let pixmap = draw(&document, &document.cache(), page, (scale, scale))?;
    let (width, height) = (pixmap.width().into(), pixmap.height().into());
    let png = encode(pixmap.data_as_u8_slice(), width, height).ok_or(PdfError::Broken)?;
    Ok(PagePng { png, width, height })
}

/// A page in its scanned resolution if a picture fills it, with its pixels per inch, horizontally and
/// vertically. Other pages are drawn at `dpi`, as are pages whose picture has a resolution unlike that of a
/// scan.
pub(crate) fn scanned_page(content: &[u8], page: u32, dpi: f32) -> Result<(PagePng, (f32, f32)), PdfError> {
    const FINENESS: std::ops::RangeInclusive<f32> = 60.0..=620.0;
    let document = Document::open(content)?;
    let grain = document.survey(page)?.grain.map(|(across, down)| (across * 72.0, down * 72.0));
    let dpi = grain
        .filter(|(across, down)| FINENESS.contains(across) && FINENESS.contains(down))
        .unwrap_or((dpi, dpi));
    let pixmap = draw(&document, &document.cache(), page, (dpi.0 / 72.0, dpi.1 / 72.0))?;
    let (width, height) = (pixmap.width().into(), pixmap.height().into());
    let png = encode(pixmap.data_as_u8_slice(), width, height).ok_or(PdfError::Broken)?;
    // Large pages have a lower resolution than requested.
    let size = document.size(page)?;
    let dpi = (width as f32 / size.0 * 72.0, height as f32 / size.1 * 72.0);
    Ok((PagePng { png, width, height }, dpi))
}

/// Missing parts of a file: pages with truncated data, and pages that are counted in the page tree but
/// missing.
pub(crate) fn flaws(content: &[u8]) -> Result<Flaws, PdfError> {
    let document = Document::open(content)?;
    let damaged = |page: &u32| document.survey(*page).is_ok_and(|survey| survey.is_damaged);
    let pages = document.len()?;
    Ok(Flaws {
        parts: (1..=pages).filter(damaged).collect(),
        is_cut: counted(&document.pdf).is_some_and(|counted| counted > pages),
        ..Flaws::default()
    })
}

/// Number of pages that the file states.
fn counted(pdf: &Pdf) -> Option<u32> {
    let root = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
    root.get::<Dict<'_>>(b"Pages".as_ref())?.get::<u32>(b"Count".as_ref())
}

/// Opaque pixels as PNG; one byte per pixel for a page without colour, since most pages have none.
fn encode(rgba: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let colourless = rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    let (bytes, colour): (Vec<u8>, _) = if colourless {
        (rgba.as_chunks::<4>().0.iter().map(|pixel| pixel[0]).collect(), ExtendedColorType::L8)
    } else {
        let opaque = rgba.as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        (opaque.collect(), ExtendedColorType::Rgb8)
    };
    compress(&bytes, width, height, colour)
}

/// RGB pixels as PNG.
pub(crate) fn encode_rgb(bytes: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    compress(bytes, width, height, ExtendedColorType::Rgb8)
}

fn compress(bytes: &[u8], width: u32, height: u32, colour: ExtendedColorType) -> Option<Vec<u8>> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Level(3), FilterType::NoFilter);
    encoder.write_image(bytes, width, height, colour).ok()?;
    Some(png)
}

/// Draws all pages in grey. The horizontal and vertical resolution may differ, as on fax pages.
pub(crate) fn render_grey(content: &[u8], dpi: (f32, f32)) -> Result<Vec<GreyPage>, PdfError> {
    let document = Document::open(content)?;
    let cache = document.cache();
    (1..=document.len()?)
        .map(|page| {
            let pixmap = draw(&document, &cache, page, (dpi.0 / 72.0, dpi.1 / 72.0))?;
            let pixels = grey(pixmap.data_as_u8_slice());
            Ok(GreyPage { width: pixmap.width().into(), height: pixmap.height().into(), pixels })
        })
        .collect()
}

/// Brightness of an opaque pixel (ITU-R BT.601). The weights allow computing eight pixels at once.
pub(crate) fn luma(rgba: &[u8; 4]) -> u8 {
    ((u16::from(rgba[0]) * 77 + u16::from(rgba[1]) * 150 + u16::from(rgba[2]) * 29) >> 8) as u8
}

/// Brightness of opaque pixels, optimized for mostly white pages.
pub(crate) fn grey(rgba: &[u8]) -> Vec<u8> {
    const WHITE: [u8; 32] = [255; 32];
    let mut grey = vec![255; rgba.len() / 4];
    for (pixels, grey) in rgba.chunks(WHITE.len()).zip(grey.chunks_mut(WHITE.len() / 4)) {
        if pixels != WHITE {
            for (pixel, grey) in pixels.as_chunks::<4>().0.iter().zip(grey) {
                *grey = luma(pixel);
            }
        }
    }
    grey
}

/// Draws a page at this scale in pixels per point; at a lower one if the picture would become too large.
pub(crate) fn draw<'a>(
    document: &'a Document,
    cache: &Cache<'a>,
    page: u32,
    (x_scale, y_scale): (f32, f32),
) -> Result<Pixmap, PdfError> {
    let (width, height) = document.size(page)?;
    let (wanted_width, wanted_height) = (width * x_scale, height * y_scale);
    if !(wanted_width.is_finite() && wanted_height.is_finite()) {
        return Err(PdfError::Broken);
    }
    let by_area = (MAX_PIXELS / (wanted_width * wanted_height)).sqrt();
    let shrink = by_area.min(MAX_SIDE / wanted_width.max(wanted_height)).min(1.0);
    let at_least_one_pixel = |scale: f32, side: f32| scale.max(1.0 / side) * 1.000_001;
    let (x_scale, y_scale) =
        (at_least_one_pixel(x_scale * shrink, width), at_least_one_pixel(y_scale * shrink, height));
    let size = ((width * x_scale) as u16, (height * y_scale) as u16);
    let placed = Affine::scale_non_uniform(x_scale.into(), y_scale.into());
    pixels(size, |context| document.draw(page, cache, context, placed))
}

/// Text of each page, including form fields and annotations. A page with unreadable text is empty; a file
/// without any readable page is an error.
pub fn text(content: &[u8]) -> Result<Vec<String>, PdfError> {
    Ok(placed_text(content)?.into_iter().map(|page| page.text).collect())
}

/// As [`text`], with the positions of the words.
pub(crate) fn placed_text(content: &[u8]) -> Result<Vec<PlacedText>, PdfError> {
    let pdf = load(content.to_vec())?;
    let overlay = guarded(|| overlay::overlay(&pdf)).flatten();
    let covered = overlay.as_ref().map(|overlay| overlay.covered.clone()).unwrap_or_default();
    let overlay = overlay.and_then(|overlay| load(overlay.pdf).ok());
    let (cache, overlay_cache) = (InterpreterCache::new(), InterpreterCache::new());
    let mut texts = Vec::new();
    for (index, page) in pdf.pages().iter().enumerate() {
        let over = overlay.as_ref().and_then(|overlay| overlay.pages().get(index));
        texts.push(guarded(|| {
            let mut collector = Collector::default();
            collector.read(page, &cache, fonts::settings());
            if let Some(over) = over {
                collector.leave_out(covered.get(index).map_or(&[], Vec::as_slice));
                collector.read(over, &overlay_cache, fonts::settings());
            }
            collector.into_text()
        }));
    }
    match texts.iter().all(Option::is_none) {
        true if texts.is_empty() => Err(PdfError::NoPages),
        true => Err(PdfError::NoText),
        false => Ok(texts.into_iter().map(Option::unwrap_or_default).collect()),
    }
}

/// Runs library code that may panic. A panic on one page costs that page, not the document.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
