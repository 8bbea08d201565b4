//! Errors of reading and showing documents.

use std::collections::BTreeSet;

use clinical::cda::CdaError;

use crate::archive::ArchiveError;
use crate::pdf::PdfError;

/// Reason why there is no PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// Files of this kind cannot be shown.
    #[error("documents of this kind cannot be shown")]
    Unsupported,
    /// Too many pages or pixels.
    #[error("the document is too large to be shown")]
    TooLarge,
    /// The file is damaged. The text contains nothing of its content.
    #[error("{0}")]
    Broken(&'static str),
    /// The file requires a password.
    #[error("the document is protected by a password")]
    Locked,
    /// The PDF is damaged or protected.
    #[error(transparent)]
    Pdf(#[from] PdfError),
    /// The CDA document cannot be read.
    #[error(transparent)]
    Cda(#[from] CdaError),
    /// No font has these characters.
    #[error("there is no font for some of the text")]
    Unprintable(BTreeSet<char>),
}

impl From<ArchiveError> for ConversionError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::TooManyEntries | ArchiveError::TooLarge => Self::TooLarge,
            ArchiveError::Broken => Self::Broken("the archive cannot be read"),
            ArchiveError::WrongSize => Self::Broken("the archive lies about the sizes of its entries"),
            ArchiveError::UnsafeName => Self::Broken("the archive has entries with unsafe names"),
            ArchiveError::Link => Self::Broken("the archive has symbolic links"),
            ArchiveError::Encrypted => Self::Locked,
        }
    }
}
