//! Errors of jobs.

use super::{Job, protocol::Failure};
use crate::Kind;
use std::{collections::BTreeSet, fmt, io};

/// Reason why a job has no result.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The file requires a password.
    #[error("the document is protected by a password")]
    Encrypted,
    /// The file is damaged or not of its declared kind. The text contains nothing of its content.
    #[error("the document cannot be read: {0}")]
    Broken(String),
    /// The job is not supported for files of this kind.
    #[error("documents of this kind cannot be converted")]
    Unsupported(Kind),
    /// The page does not exist.
    #[error("the document has no page {page}, only {pages}")]
    NoSuchPage {
        /// Requested page.
        page: u32,
        /// Number of pages.
        pages: u32,
    },
    /// The contained file does not exist.
    #[error("the document has no such part")]
    NoSuchPart,
    /// No font has these characters, so they would be missing on paper.
    #[error("there is no font for {0}")]
    Unprintable(Unprintable),
    /// The file or the result is larger than [`Limits`] allow.
    #[error("the document is too large to be converted")]
    TooLarge,
    /// The job took longer than [`Limits`] allow, in elapsed time: the machine may have been busy.
    #[error("the conversion took too long")]
    TimedOut,
    /// The job needed more processor time than [`Limits`] allow.
    #[error("the document is too complex to be converted")]
    TooComplex,
    /// The job needed more memory than [`Limits`] allow.
    #[error("the conversion needed too much memory")]
    OutOfMemory,
    /// The process ended without an answer.
    #[error("the converter crashed ({0})")]
    Crashed(String),
    /// The queue of waiting jobs is full.
    #[error("too many documents wait to be converted")]
    Busy,
    /// The process could not be started or the file could not be read: nothing is known about the document.
    #[error("the converter could not be run")]
    Io(#[from] io::Error),
}

/// Characters that no font has; shown as `ޓ (U+0793), 🧬 (U+1F9EC)`, at most ten of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprintable(pub BTreeSet<char>);

impl fmt::Display for Unprintable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        let names = self.0.iter().take(MOST).map(|&c| format!("{c} (U+{:04X})", u32::from(c)));
        f.write_str(&names.collect::<Vec<_>>().join(", "))?;
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Broad cause of a failed conversion, for texts shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The file requires a password.
    Protected,
    /// The file is damaged, or made the converter crash.
    Damaged,
    /// The file exceeded a limit on size, memory or processor time: it can be downloaded, but not shown.
    TooHeavy,
    /// Files of this kind cannot be converted.
    Unsupported,
    /// Some of its characters cannot be printed.
    Unprintable,
    /// The machine is to blame, not the file: another attempt may succeed.
    Machine,
}

impl ConvertError {
    /// The broad cause of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Encrypted => Fault::Protected,
            Self::Broken(_) | Self::Crashed(_) | Self::NoSuchPage { .. } | Self::NoSuchPart => Fault::Damaged,
            Self::TooLarge | Self::TooComplex | Self::OutOfMemory => Fault::TooHeavy,
            Self::Unsupported(_) => Fault::Unsupported,
            Self::Unprintable(_) => Fault::Unprintable,
            Self::TimedOut | Self::Busy | Self::Io(_) => Fault::Machine,
        }
    }

    /// Whether the document is the cause, so that retrying is pointless.
    pub fn is_permanent(&self) -> bool {
        self.fault() != Fault::Machine
    }

    pub(super) fn from_failure(failure: Failure, kind: Kind, job: Job) -> Self {
        match failure {
            Failure::Encrypted => Self::Encrypted,
            Failure::Broken(reason) => Self::Broken(reason),
            Failure::Unsupported => Self::Unsupported(kind),
            Failure::NoSuchPage { pages } => {
                let page = if let Job::RenderPage { page, .. } = job { page } else { 0 };
                Self::NoSuchPage { page, pages }
            }
            Failure::NoSuchPart => Self::NoSuchPart,
            Failure::TooLarge => Self::TooLarge,
            Failure::Unprintable(characters) => Self::Unprintable(Unprintable(characters)),
            Failure::Panicked(place) => Self::Crashed(place),
        }
    }
}
