//! Reading PDF files: pages, pictures of pages, text. Call it inside the [`crate::worker`] process only.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use pdf_extract::{Document, PlainTextOutput, output_doc_page};

/// Largest picture of a page, in pixels; larger pages are drawn at a lower resolution.
pub const MAX_PIXELS: f32 = 40_000_000.0;
/// Longest side of a picture of a page, in pixels.
pub const MAX_SIDE: f32 = 16_000.0;

/// Why a PDF cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The file asks for a password.
    #[error("the PDF is protected by a password")]
    Encrypted,
    /// The file is damaged or no PDF.
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
        /// Page asked for, counted from 1.
        page: u32,
        /// Pages there are.
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

/// A page as grey pixels, 0 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GreyPage {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

pub(crate) fn open(content: &[u8]) -> Result<Pdf, PdfError> {
    Pdf::new(content.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => PdfError::Encrypted,
        _ => PdfError::Broken,
    })
}

/// Number of pages, at least 1.
pub fn page_count(content: &[u8]) -> Result<u32, PdfError> {
    match open(content)?.pages().len() {
        0 => Err(PdfError::NoPages),
        pages => Ok(pages as u32),
    }
}

/// Draws one page on white. `page` counts from 1, `dpi` is pixels per inch of the page's own size.
pub fn render_page(content: &[u8], page: u32, dpi: u32) -> Result<PagePng, PdfError> {
    let pdf = open(content)?;
    let scale = dpi.max(1) as f32 / 72.0;
    let pixmap = draw(&pdf, page, scale, scale)?;
    let (width, height) = (pixmap.width().into(), pixmap.height().into());
    let png = encode(pixmap.data_as_u8_slice(), width, height).ok_or(PdfError::Broken)?;
    Ok(PagePng { png, width, height })
}

/// Opaque pixels as PNG: one byte per pixel where the page has no colour, for most of these pages have none.
fn encode(rgba: &[u8], width: u32, height: u32) -> Option<Vec<u8>> {
    let colourless = rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    let (bytes, colour): (Vec<u8>, _) = if colourless {
        (rgba.as_chunks::<4>().0.iter().map(|pixel| pixel[0]).collect(), ExtendedColorType::L8)
    } else {
        let opaque = rgba.as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        (opaque.collect(), ExtendedColorType::Rgb8)
    };
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Level(3), FilterType::NoFilter);
    encoder.write_image(&bytes, width, height, colour).ok()?;
    Some(png)
}

/// Draws all pages in grey at a resolution that may differ in both directions, as on fax pages.
pub(crate) fn render_grey(content: &[u8], dpi: (f32, f32)) -> Result<Vec<GreyPage>, PdfError> {
    let pdf = open(content)?;
    let pages = 1..=pdf.pages().len() as u32;
    pages
        .map(|page| {
            let pixmap = draw(&pdf, page, dpi.0 / 72.0, dpi.1 / 72.0)?;
            let pixels = grey(pixmap.data_as_u8_slice());
            Ok(GreyPage { width: pixmap.width().into(), height: pixmap.height().into(), pixels })
        })
        .collect()
}

/// How bright an opaque pixel is (ITU-R BT.601), with weights of which eight pixels are reckoned at once.
pub(crate) fn luma(rgba: &[u8; 4]) -> u8 {
    ((u16::from(rgba[0]) * 77 + u16::from(rgba[1]) * 150 + u16::from(rgba[2]) * 29) >> 8) as u8
}

/// How bright opaque pixels are, of which most are white.
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

fn draw(pdf: &Pdf, page: u32, x_scale: f32, y_scale: f32) -> Result<hayro::vello_cpu::Pixmap, PdfError> {
    let pages = pdf.pages();
    let index = (page as usize).checked_sub(1);
    let missing = PdfError::NoSuchPage { page, pages: pages.len() as u32 };
    let page = index.and_then(|index| pages.get(index)).ok_or(missing)?;
    let (width, height) = page.render_dimensions();
    let (wanted_width, wanted_height) = (width * x_scale, height * y_scale);
    if !(wanted_width.is_finite() && wanted_height.is_finite() && width > 0.0 && height > 0.0) {
        return Err(PdfError::Broken);
    }
    let by_area = (MAX_PIXELS / (wanted_width * wanted_height)).sqrt();
    let shrink = by_area.min(MAX_SIDE / wanted_width.max(wanted_height)).min(1.0);
    let at_least_one_pixel = |scale: f32, side: f32| scale.max(1.0 / side) * 1.000_001;
    let settings = PixmapSettings {
        x_scale: at_least_one_pixel(x_scale * shrink, width),
        y_scale: at_least_one_pixel(y_scale * shrink, height),
        bg_color: WHITE,
    };
    let cache = RenderCache::new();
    Ok(render(page, &cache, &InterpreterSettings::default(), &RenderSettings::default(), &settings))
}

/// Text of each page. A page whose text cannot be read is empty; a file of which no page can be read is an error.
pub fn text(content: &[u8]) -> Result<Vec<String>, PdfError> {
    let pages = page_count(content)?;
    let loaded = catch_unwind(|| Document::load_mem(content)).map_err(|_| PdfError::NoText)?;
    let mut document = loaded.map_err(|_| PdfError::NoText)?;
    // The pages could be counted, so no password is asked for; the text reader knows fewer ciphers, that is all.
    if document.is_encrypted() {
        let decrypted = catch_unwind(AssertUnwindSafe(|| document.decrypt("")));
        decrypted.map_err(|_| PdfError::NoText)?.map_err(|_| PdfError::NoText)?;
    }
    let texts: Vec<_> = (1..=pages).map(|page| page_text(&document, page)).collect();
    if texts.iter().all(Option::is_none) {
        return Err(PdfError::NoText);
    }
    Ok(texts.into_iter().map(Option::unwrap_or_default).collect())
}

/// The library panics on fonts and streams that it does not expect, so a page may be lost, not the document.
fn page_text(document: &Document, page: u32) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| {
        let mut text = String::new();
        let mut output = PlainTextOutput::new(&mut text);
        output_doc_page(document, &mut output, page).ok()?;
        Some(text)
    }))
    .ok()
    .flatten()
}
