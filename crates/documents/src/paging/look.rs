//! Appearance of pages: thumbnails, blank pages and separator sheets.

use image::{GrayImage, RgbImage, imageops};
use serde::{Deserialize, Serialize};

use super::separator::{self, Separator};
use crate::pdf::{self, Document, PdfError};

/// Width and height of a thumbnail on a contact sheet, in pixels. Pages are centred on white.
pub const THUMBNAIL: (u32, u32) = (180, 234);
/// Thumbnails per row of a contact sheet.
pub const SHEET_COLUMNS: u32 = 5;
/// Pixels per inch of a page that is examined.
const DPI: f32 = 100.0;
/// Longest side of a page that is examined, in pixels: posters have a lower resolution.
const MAX_SIDE: f32 = 1_600.0;
/// Background of a contact sheet.
const GROUND: u8 = 255;

/// Appearance of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageLook {
    /// Width in points, after rotation.
    pub width: f32,
    /// Height in points, after rotation.
    pub height: f32,
    /// Whether the page is empty and complete.
    pub is_blank: bool,
    /// Whether data of the page is truncated or unreadable.
    #[serde(default)]
    pub is_damaged: bool,
    /// The separator, if the page is a separator sheet.
    pub separator: Option<Separator>,
}

/// Examines up to `count` pages from page `from` (counted from 1). The PNG contains a thumbnail of each, of
/// size [`THUMBNAIL`], with [`SHEET_COLUMNS`] per row.
pub fn contact_sheet(content: &[u8], from: u32, count: u32) -> Result<(Vec<PageLook>, Vec<u8>), PdfError> {
    let document = Document::open(content)?;
    let pages = document.len()?;
    if from == 0 || from > pages {
        return Err(PdfError::NoSuchPage { page: from, pages });
    }
    let last = pages.min(from.saturating_add(count.max(1)) - 1);
    let cache = document.cache();
    let rows = (last - from + 1).div_ceil(SHEET_COLUMNS);
    let size = (THUMBNAIL.0 * SHEET_COLUMNS, THUMBNAIL.1 * rows);
    let mut sheet = RgbImage::from_pixel(size.0, size.1, image::Rgb([GROUND; 3]));
    let mut looks = Vec::new();
    for (index, page) in (from..=last).enumerate() {
        let (width, height) = document.size(page)?;
        let scale = (DPI / 72.0).min(MAX_SIDE / width.max(height));
        let pixels = pdf::draw(&document, &cache, page, (scale, scale))?;
        let (across, down) = (u32::from(pixels.width()), u32::from(pixels.height()));
        let rgba = pixels.data_as_u8_slice();
        let grey = GrayImage::from_raw(across, down, pdf::grey(rgba)).ok_or(PdfError::Broken)?;
        let survey = document.survey(page)?;
        let is_damaged = survey.is_damaged;
        let is_blank = !is_damaged && !survey.has_text && is_blank(&grey);
        // The search for codes may panic on an unusual picture. The page then counts as having no code.
        let separator = if is_blank { None } else { pdf::guarded(|| separator::found_on(&grey)).flatten() };
        looks.push(PageLook { width, height, is_blank, is_damaged, separator });
        let index = index as u32;
        let corner = (index % SHEET_COLUMNS * THUMBNAIL.0, index / SHEET_COLUMNS * THUMBNAIL.1);
        place(&mut sheet, corner, rgba, (across, down)).ok_or(PdfError::Broken)?;
    }
    let png = pdf::encode_rgb(sheet.as_raw(), size.0, size.1).ok_or(PdfError::Broken)?;
    Ok((looks, png))
}

/// Draws a page as a thumbnail at its place on the sheet.
fn place(sheet: &mut RgbImage, corner: (u32, u32), rgba: &[u8], (across, down): (u32, u32)) -> Option<()> {
    let opaque = rgba.as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let page = RgbImage::from_raw(across, down, opaque)?;
    let shrink = (THUMBNAIL.0 as f32 / across as f32).min(THUMBNAIL.1 as f32 / down as f32);
    let size = |side: u32, most: u32| ((side as f32 * shrink) as u32).clamp(1, most);
    let (width, height) = (size(across, THUMBNAIL.0), size(down, THUMBNAIL.1));
    let small = imageops::thumbnail(&page, width, height);
    let (x, y) = (corner.0 + (THUMBNAIL.0 - width) / 2, corner.1 + (THUMBNAIL.1 - height) / 2);
    imageops::replace(sheet, &small, x.into(), y.into());
    Some(())
}

/// Whether a page has nothing on it but specks, and the shadows of scanners along the edges. Averages squares
/// of pixels: a square with a speck remains pale, one with a stroke does not.
fn is_blank(page: &GrayImage) -> bool {
    const SQUARE: u32 = 4;
    const PALE: u32 = 222;
    const MARKED_SQUARES: usize = 8;
    let (width, height) = page.dimensions();
    let (left, top) = (width / 25, height / 25);
    let squares = |from: u32, side: u32| (from..side.saturating_sub(from + SQUARE)).step_by(SQUARE as usize);
    let marked =
        squares(top, height).flat_map(|y| squares(left, width).map(move |x| (x, y))).filter(|&(x, y)| {
            let pixels = (0..SQUARE).flat_map(|dy| (0..SQUARE).map(move |dx| (dx, dy)));
            let sum: u32 = pixels.map(|(dx, dy)| u32::from(page.get_pixel(x + dx, y + dy).0[0])).sum();
            sum / (SQUARE * SQUARE) < PALE
        });
    marked.take(MARKED_SQUARES + 1).count() <= MARKED_SQUARES
}
