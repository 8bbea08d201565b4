//! Fax pages: one bit per pixel, 1728 pixels per line (ITU-T T.4), in TIFF files of class F with Group 4
//! compression (ITU-T T.6) and one directory per page (RFC 2306).
//!
//! Drawing documents and sheets must happen in the [`crate::worker`] process. [`assemble`], [`stamp`],
//! [`select`] and [`pdf`] only read files written by this module.

mod draw;
mod header;
mod sheet;
mod tiff_file;

use std::io::{self, Seek, Write};

use serde::{Deserialize, Serialize};

use crate::bilevel::PdfFile;

pub(crate) use draw::{document, draw_sheet};
pub use header::Header;
pub use sheet::{Attachment, Cover, Sheet};
pub(crate) use tiff_file::write;
use tiff_file::{Page, Writer, read};

/// Pixels per line.
pub const WIDTH: u32 = 1728;

/// Resolution of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Resolution {
    /// 204 by 98 pixels per inch.
    Standard,
    /// 204 by 196 pixels per inch.
    #[default]
    Fine,
}

impl Resolution {
    /// Pixels per inch, horizontally and vertically.
    pub fn dpi(self) -> (u32, u32) {
        match self {
            Self::Standard => (204, 98),
            Self::Fine => (204, 196),
        }
    }

    /// Number of lines of a page of 11 inches.
    pub(crate) fn height(self) -> u32 {
        self.dpi().1 * 11
    }

    /// Number of lines at the top of a page that are reserved for the header.
    pub(crate) fn header_height(self) -> u32 {
        match self {
            Self::Standard => 19,
            Self::Fine => 38,
        }
    }

    fn of_dpi(down: u32) -> Self {
        if down < 150 { Self::Standard } else { Self::Fine }
    }
}

/// Reason why pages could not be combined.
#[derive(Debug, thiserror::Error)]
pub enum FaxFileError {
    /// The file is not a TIFF of class F as written by this module.
    #[error("the fax pages are damaged")]
    Damaged,
    /// The file could not be written.
    #[error("the fax pages could not be written")]
    Io(#[from] io::Error),
}

/// Number of pages in a file.
pub fn page_count(tiff: &[u8]) -> Result<u32, FaxFileError> {
    Ok(read(tiff)?.len() as u32)
}

/// Joins files without recompressing their pages. Returns the number of pages.
pub fn assemble(parts: &[impl AsRef<[u8]>], out: impl Write + Seek) -> Result<u32, FaxFileError> {
    let parts: Vec<_> = parts.iter().map(|part| read(part.as_ref())).collect::<Result<_, _>>()?;
    let pages: Vec<_> = parts.into_iter().flatten().collect();
    let mut writer = Writer::new(out, pages.len())?;
    for page in &pages {
        writer.page(page)?;
    }
    writer.finish()?;
    Ok(pages.len() as u32)
}

/// Copies pages `first` to `last` (from 1) of a file. Returns the number of copied pages.
pub fn select(tiff: &[u8], first: u32, last: u32, out: impl Write + Seek) -> Result<u32, FaxFileError> {
    let pages = read(tiff)?;
    let (skip, upto) = (first.saturating_sub(1) as usize, (last as usize).min(pages.len()));
    let chosen = pages.get(skip..upto.max(skip)).unwrap_or_default();
    let mut writer = Writer::new(out, chosen.len())?;
    for page in chosen {
        writer.page(page)?;
    }
    writer.finish()?;
    Ok(chosen.len() as u32)
}

/// The pages of a file as PDF, each in its paper size.
pub fn pdf(tiff: &[u8]) -> Result<Vec<u8>, FaxFileError> {
    let mut pdf = PdfFile::new();
    for page in read(tiff)? {
        let points = |pixels: u32, per_inch: u32| pixels as f32 * 72.0 / per_inch.max(1) as f32;
        let size = (points(page.width, page.dpi.0), points(page.height, page.dpi.1));
        pdf.compressed((page.width, page.height), page.data, size);
    }
    Ok(pdf.finish())
}

/// Prints the header at the top of every page. Returns the number of pages.
pub fn stamp(tiff: &[u8], header: &Header, out: impl Write + Seek) -> Result<u32, FaxFileError> {
    let pages = read(tiff)?;
    let mut writer = Writer::new(out, pages.len())?;
    for (index, page) in pages.iter().enumerate() {
        let mut bits = page.decode()?;
        header.print(&mut bits, Resolution::of_dpi(page.dpi.1), index + 1, pages.len());
        let data = bits.group4().ok_or(FaxFileError::Damaged)?;
        writer.page(&Page { data: &data, ..*page })?;
    }
    writer.finish()?;
    Ok(pages.len() as u32)
}
