//! Pages: documents and sheets become a TIFF of class F, and a TIFF that arrived becomes a PDF.
//!
//! [`render`] draws everything in the confined process of crate `documents`, one document at a time, and leaves room
//! for the header; [`stamp`] prints the header when the call is made, since it names the time.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::Duration;

use documents::Kind;
use documents::fax::{self, FaxFileError};
pub use documents::fax::{Attachment, Cover, Header, Resolution, Sheet};
use documents::worker::{ConvertError, Converter, Input, Limits};

/// Most pages of one fax.
pub const MAX_PAGES: u32 = 500;

/// Limits of one document, larger than those of a preview: it may have hundreds of pages.
const LIMITS: Limits = Limits {
    wall: Duration::from_secs(300),
    cpu: Duration::from_secs(240),
    memory: 1 << 30,
    input: 96 << 20,
    output: 128 << 20,
};

/// The contents of a fax, in this order.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// Cover sheet; its number of pages is filled in.
    pub cover: Option<Cover>,
    /// Further sheets: details, message, list of attachments.
    pub sheets: Vec<Sheet>,
    /// Documents.
    pub documents: Vec<Input>,
}

/// Why rendering failed. The text can be shown and reveals nothing of the content.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A document cannot be faxed.
    #[error("{}", reason(.error))]
    Document {
        /// Which one, counted from 0.
        index: usize,
        /// Why.
        error: ConvertError,
    },
    /// A sheet could not be drawn.
    #[error("A sheet of the fax could not be drawn.")]
    Sheet(#[source] ConvertError),
    /// There is nothing to send.
    #[error("There is nothing to fax.")]
    Empty,
    /// More than [`MAX_PAGES`].
    #[error("The fax has {0} pages; at most {MAX_PAGES} can be sent.")]
    TooManyPages(u32),
    /// The pages could not be put together or written.
    #[error("The fax pages could not be written.")]
    File(#[from] FaxFileError),
}

impl RenderError {
    /// Whether another attempt would fail the same way.
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Document { error, .. } | Self::Sheet(error) => error.is_permanent(),
            Self::Empty | Self::TooManyPages(_) | Self::File(FaxFileError::Damaged) => true,
            Self::File(FaxFileError::Io(_)) => false,
        }
    }
}

impl From<io::Error> for RenderError {
    fn from(error: io::Error) -> Self {
        Self::File(error.into())
    }
}

fn reason(error: &ConvertError) -> String {
    match error {
        ConvertError::Encrypted => "The document is protected by a password and cannot be faxed.".to_owned(),
        ConvertError::Broken(why) if why.contains("no pages") => "The document has no pages.".to_owned(),
        ConvertError::Broken(_) | ConvertError::Crashed(_) => {
            "The document is damaged and cannot be faxed.".to_owned()
        }
        ConvertError::Unprintable(characters) => {
            format!("These characters cannot be printed on a fax: {characters}.")
        }
        ConvertError::Unsupported(_) => "Documents of this type cannot be faxed.".to_owned(),
        ConvertError::TooLarge | ConvertError::OutOfMemory | ConvertError::TooComplex => {
            "The document is too large to be faxed.".to_owned()
        }
        ConvertError::TimedOut
        | ConvertError::Busy
        | ConvertError::Io(_)
        | ConvertError::NoSuchPage { .. }
        | ConvertError::NoSuchPart => "The document could not be converted just now.".to_owned(),
    }
}

/// Draws the pages of a fax, without headers, into a file. Returns their number.
pub async fn render(
    converter: &Converter,
    contents: Contents,
    resolution: Resolution,
    out: &Path,
) -> Result<u32, RenderError> {
    let converter = converter.clone().with_limits(LIMITS);
    let mut parts = Parts::default();
    for sheet in &contents.sheets {
        parts.add(converter.fax_sheet(sheet, resolution).await.map_err(RenderError::Sheet)?)?;
    }
    for (index, document) in contents.documents.into_iter().enumerate() {
        let drawn = converter.fax(document, resolution).await;
        parts.add(drawn.map_err(|error| RenderError::Document { index, error })?)?;
    }
    if let Some(cover) = contents.cover {
        let counted = Cover { pages: parts.pages + 1, ..cover };
        let sheet = Sheet::Cover(Box::new(counted));
        let drawn = converter.fax_sheet(&sheet, resolution).await.map_err(RenderError::Sheet)?;
        parts.add(drawn)?;
        parts.files.rotate_right(1);
    }
    if parts.pages == 0 {
        return Err(RenderError::Empty);
    }
    let out = BufWriter::new(File::create(out)?);
    Ok(fax::assemble(&parts.files, out)?)
}

#[derive(Default)]
struct Parts {
    files: Vec<Vec<u8>>,
    pages: u32,
}

impl Parts {
    fn add(&mut self, (tiff, pages): (Vec<u8>, u32)) -> Result<(), RenderError> {
        self.pages += pages;
        self.files.push(tiff);
        if self.pages > MAX_PAGES { Err(RenderError::TooManyPages(self.pages)) } else { Ok(()) }
    }
}

/// Copies pages that [`render`] drew, with the header of a call on each. Returns their number. Takes some milliseconds
/// of processor time per page: call it where blocking is allowed.
pub fn stamp(rendered: &Path, header: &Header, out: &Path) -> Result<u32, RenderError> {
    let out = BufWriter::new(File::create(out)?);
    Ok(fax::stamp(&std::fs::read(rendered)?, header, out)?)
}

/// Number of pages in a file that [`render`] drew.
pub fn page_count(tiff: &[u8]) -> Result<u32, RenderError> {
    Ok(fax::page_count(tiff)?)
}

/// Converts a received TIFF to PDF. A call that broke off may leave an unreadable TIFF.
pub async fn to_pdf(converter: &Converter, tiff: impl Into<bytes::Bytes>) -> Result<Vec<u8>, ConvertError> {
    converter.clone().with_limits(LIMITS).to_pdf(Input::bytes(Kind::Tiff, tiff)).await
}
