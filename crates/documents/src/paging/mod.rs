//! Pages as units: counts, examines, selects and rotates them, and assembles them to new PDF files without
//! redrawing. Call it inside the [`crate::worker`] process only, except for [`separator_sheet`], which reads
//! no file.

mod annotations;
mod copy;
mod look;
mod separator;

use hayro::hayro_syntax::Pdf;
use image::{GrayImage, imageops};
use serde::{Deserialize, Serialize};

use crate::deskew;
use crate::pdf::{self, Document, PdfError};
pub use look::{PageLook, SHEET_COLUMNS, THUMBNAIL, contact_sheet};
pub use separator::{LABEL_MAX, Separator, separator_sheet};

/// Maximum number of pages of an assembled file.
pub const MAX_PAGES: usize = 500;

/// A page of one of several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickedPage {
    /// Index of the file, counted from 0.
    pub file: usize,
    /// Page, counted from 1.
    pub page: u32,
    /// Quarter turns clockwise, in addition to the page's own rotation.
    pub turn: u8,
    /// Whether to straighten a skewed page. A page with annotations or form fields is not straightened.
    #[serde(default)]
    pub straighten: bool,
}

/// Reason why pages cannot be assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AssemblyError {
    /// No page was selected.
    #[error("no page was picked")]
    Empty,
    /// More than [`MAX_PAGES`] were selected.
    #[error("too many pages were picked")]
    TooMany,
    /// The file does not exist.
    #[error("a page of an unknown file was picked")]
    NoSuchFile,
    /// One of the files cannot be used, or does not have the page.
    #[error(transparent)]
    Pdf(#[from] PdfError),
}

/// Pixels per inch for measuring the skew of a page.
const LEAN_DPI: f32 = 100.0;
/// Longest side of the picture used for measuring, in pixels.
const LEAN_SIDE: f32 = 1_600.0;

/// The angle at which the lines of a page fall to the right, in radians; `None` for a straight page or one
/// without lines.
pub fn lean(content: &[u8], page: u32) -> Result<Option<f32>, PdfError> {
    lean_of_turned(content, page, 0)
}

/// As [`lean`], for a page that is rotated by quarter turns first: before, its lines may run vertically.
fn lean_of_turned(content: &[u8], page: u32, turn: u8) -> Result<Option<f32>, PdfError> {
    let document = Document::open(content)?;
    let (width, height) = document.size(page)?;
    let scale = LEAN_DPI / 72.0;
    let scale = scale.min(LEAN_SIDE / width.max(height));
    let pixels = pdf::draw(&document, &document.cache(), page, (scale, scale))?;
    let (across, down) = (u32::from(pixels.width()), u32::from(pixels.height()));
    let grey = GrayImage::from_raw(across, down, pdf::grey(pixels.data_as_u8_slice()));
    let grey = grey.ok_or(PdfError::Broken)?;
    Ok(deskew::lean(&match turn % 4 {
        0 => grey,
        1 => imageops::rotate90(&grey),
        2 => imageops::rotate180(&grey),
        _ => imageops::rotate270(&grey),
    }))
}

/// The selected pages as a new PDF, in order. Text, pictures and form values are kept; objects that belong to
/// other pages only are left out.
pub fn assemble(files: &[&[u8]], pages: &[PickedPage]) -> Result<Vec<u8>, AssemblyError> {
    match pages.len() {
        0 => return Err(AssemblyError::Empty),
        count if count > MAX_PAGES => return Err(AssemblyError::TooMany),
        _ => {}
    }
    if pages.iter().any(|picked| picked.file >= files.len()) {
        return Err(AssemblyError::NoSuchFile);
    }
    let needed = |file: usize| pages.iter().any(|picked| picked.file == file);
    let opened: Vec<Option<Pdf>> = files
        .iter()
        .enumerate()
        .map(|(index, content)| if needed(index) { pdf::load(content.to_vec()).map(Some) } else { Ok(None) })
        .collect::<Result<_, _>>()?;
    let mut file = copy::NewFile::new(pages.len());
    for (index, source) in opened.iter().enumerate() {
        let Some(source) = source else { continue };
        let mut chosen = Vec::new();
        for (place, picked) in pages.iter().enumerate().filter(|(_, picked)| picked.file == index) {
            // A page that cannot be drawn is not straightened.
            let lean = picked
                .straighten
                .then(|| pdf::guarded(|| lean_of_turned(files[index], picked.page, picked.turn)));
            let lean = lean.flatten().and_then(Result::ok).flatten();
            chosen.push((place, picked, lean));
        }
        file.take(source, chosen)?;
    }
    Ok(file.finish())
}

/// Encodes files and selected pages as one byte string for the worker.
pub(crate) fn packed(files: &[impl AsRef<[u8]>], pages: &[PickedPage]) -> Vec<u8> {
    let lengths: Vec<usize> = files.iter().map(|file| file.as_ref().len()).collect();
    let head = serde_json::to_vec(&Order { lengths, pages: pages.to_vec() }).unwrap_or_default();
    let mut out = (head.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&head);
    for file in files {
        out.extend_from_slice(file.as_ref());
    }
    out
}

#[derive(Serialize, Deserialize)]
struct Order {
    lengths: Vec<usize>,
    pages: Vec<PickedPage>,
}

/// Decodes the result of [`packed`] and assembles the pages.
pub(crate) fn assemble_packed(content: &[u8]) -> Result<Vec<u8>, AssemblyError> {
    let (order, mut rest) = unpacked(content).ok_or(AssemblyError::NoSuchFile)?;
    let mut files = Vec::new();
    for length in order.lengths {
        let (file, behind) = rest.split_at_checked(length).ok_or(AssemblyError::NoSuchFile)?;
        files.push(file);
        rest = behind;
    }
    assemble(&files, &order.pages)
}

fn unpacked(content: &[u8]) -> Option<(Order, &[u8])> {
    let (length, rest) = content.split_first_chunk::<4>()?;
    let (head, files) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((serde_json::from_slice(head).ok()?, files))
}
