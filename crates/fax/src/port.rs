//! The interface of fax providers.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
pub use documents::fax::Resolution;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::number::FaxNumber;
use crate::outcome::Outcome;

/// A fax to be sent by one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingFax {
    /// Idempotency key of this call: the same key never makes two calls, and [`Provider::find`] finds the job by it.
    pub key: Uuid,
    /// Number of the sender; the provider account must own it.
    pub from: FaxNumber,
    /// Number to call.
    pub to: FaxNumber,
    /// The sender as the recipient reads it.
    pub sender_name: String,
    /// Station id of our machine (T.30 TSI): at most 20 ASCII characters, usually the number.
    pub station_id: String,
    /// TIFF of class F, one directory per page, as [`crate::pages`] writes it.
    pub tiff: PathBuf,
    /// Pages in the TIFF.
    pub pages: u32,
    /// First page to send, counted from 1; above 1 only where [`Provider::can_resume`].
    pub first_page: u32,
    /// Resolution of the TIFF.
    pub resolution: Resolution,
}

/// A fax that a provider accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderJob {
    /// The provider's id for it.
    pub id: String,
}

/// Why a provider did not accept a fax. The text is the provider's own, or says in plain English what happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The provider refused; nothing was sent.
    #[error("refused: {1}")]
    Refused(Outcome, String),
    /// The provider may have accepted it. It must not be submitted again unless [`Provider::find`] confirms that it was
    /// not.
    #[error("it is not known whether the fax was accepted: {0}")]
    Uncertain(String),
    /// The provider could not be reached; nothing was sent, and the fax can be submitted again.
    #[error("not reached: {0}")]
    Unreachable(String),
}

/// Why a request to a provider failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No connection, timeout, or the provider is down, in a sentence. Try again later.
    #[error("{0}")]
    Unreachable(String),
    /// The provider does not accept the credentials, or refuses the request.
    #[error("refused: {0}")]
    Refused(String),
    /// The provider does not know the job or reception, or no longer does.
    #[error("the provider does not know it")]
    Unknown,
    /// The provider's answer cannot be read.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
}

/// What a provider knows about a fax by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It was accepted.
    Job(ProviderJob),
    /// It was never accepted, so submitting it sends it once.
    Nothing,
    /// The provider cannot tell, so a submission without an answer stays uncertain.
    CannotTell,
}

/// State of a fax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Waiting for a line.
    Queued,
    /// Calling.
    Dialling,
    /// Sending pages.
    Sending {
        /// Page being sent, counted from 1 in the whole TIFF.
        page: u32,
        /// Pages of the TIFF.
        of: u32,
    },
    /// The call is over.
    Finished(Finished),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The result.
    pub outcome: Outcome,
    /// Pages that the other machine confirmed, counted from the first page of the TIFF.
    pub confirmed_pages: u32,
    /// The provider's own description; empty when it has none.
    pub words: String,
    /// Bits per second, where known.
    pub rate: Option<u32>,
    /// Time on the line, where known.
    pub duration: Option<Duration>,
    /// Station id of the other machine (T.30 CSI), where known.
    pub remote_id: Option<String>,
    /// T.30 log of the call, for own modems.
    pub log: Option<String>,
}

/// Progress of a fax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// State of the fax.
    pub state: State,
    /// The line that makes the call, where known.
    pub line: Option<String>,
}

/// A fax that arrived at a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reception {
    /// The provider's id for it, the same whenever it is listed.
    pub id: String,
    /// When it arrived, where known.
    pub received_at: Option<DateTime<Utc>>,
    /// Number that was dialled (DID, DNIS), as the provider writes it.
    pub called: Option<String>,
    /// Number of the caller, as the provider writes it.
    pub caller: Option<String>,
    /// Name of the caller from the telephone network (CNAM).
    pub caller_name: Option<String>,
    /// Station id of the other machine (T.30 TSI).
    pub station_id: Option<String>,
    /// Pages received, where known before the file is fetched.
    pub pages: Option<u32>,
    /// Resolution, where known.
    pub resolution: Option<Resolution>,
    /// Bits per second, where known.
    pub rate: Option<u32>,
    /// Time on the line, where known.
    pub duration: Option<Duration>,
    /// Why the fax is incomplete, if the call broke off.
    pub partial: Option<String>,
    /// The line that took the call, where known.
    pub line: Option<String>,
    /// Whether the provider has marked it as fetched. It may not be stored here yet, since fetching may set the mark.
    pub is_marked: bool,
}

/// Formats of received pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// TIFF of class F.
    Tiff,
    /// PDF.
    Pdf,
}

/// Pages of a fax that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedFile {
    /// Detected from the file's first bytes; the provider's word does not count.
    pub format: FileFormat,
    /// The file; empty when the call broke off before the first row of pixels.
    pub content: Bytes,
}

/// Sends and receives faxes.
///
/// Every method may be called repeatedly. Implementations never retry a fax: the caller decides about that.
#[async_trait]
pub trait Provider: Send + Sync + Debug {
    /// Submits a fax for one call.
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError>;

    /// Looks for a fax that may have been submitted, by its key.
    async fn find(&self, fax: &OutgoingFax) -> Result<Found, ProviderError>;

    /// Progress of a job; `fax` is what was submitted.
    async fn follow(&self, job: &ProviderJob, fax: &OutgoingFax) -> Result<Progress, ProviderError>;

    /// Asks to cancel a fax, or fails where that is impossible. [`Self::follow`] tells whether it was in time.
    async fn cancel(&self, job: &ProviderJob) -> Result<(), ProviderError>;

    /// Received faxes that are not acknowledged, oldest first. With `after`, the provider may leave out earlier ones. May
    /// include faxes that are marked as fetched.
    async fn received(&self, after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError>;

    /// Fetches the pages of a received fax.
    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError>;

    /// Confirms that the fax is stored here and need not be listed again.
    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError>;

    /// Problems of the account in plain English for an administrator; empty when there are none.
    async fn test(&self) -> Vec<String>;

    /// Whether a fax can resume at a page other than the first.
    fn can_resume(&self) -> bool;
}
