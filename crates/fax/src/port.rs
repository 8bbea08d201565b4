//! The port to whatever makes the call.

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
    /// Names this call: the same key never makes two calls, and [`Provider::find`] finds the job by it.
    pub key: Uuid,
    /// Number of the sender; the provider account must own it.
    pub from: FaxNumber,
    /// Number to call.
    pub to: FaxNumber,
    /// The sender as the recipient reads it.
    pub sender_name: String,
    /// What the own machine says it is (T.30 TSI): at most 20 characters of ASCII, most often the number.
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

/// A fax that a provider has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderJob {
    /// The provider's name for it.
    pub id: String,
}

/// Why a provider did not take a fax. The words are the provider's own, or say in plain words what happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The provider said no; nothing was sent.
    #[error("refused: {1}")]
    Refused(Outcome, String),
    /// The provider may have taken it: it must not be submitted again before [`Provider::find`] has looked for it,
    /// nor where that cannot tell.
    #[error("it is not known whether the fax was taken: {0}")]
    Uncertain(String),
    /// The provider was not reached; nothing was sent, and it can be submitted again.
    #[error("not reached: {0}")]
    Unreachable(String),
}

/// Why a question to a provider has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No connection, time-out, or the provider is out of order, in a sentence: ask again later.
    #[error("{0}")]
    Unreachable(String),
    /// The provider does not accept the credentials, or refuses the request.
    #[error("refused: {0}")]
    Refused(String),
    /// The provider does not know the job or the reception, or forgot it.
    #[error("the provider does not know it")]
    Unknown,
    /// The provider's answer makes no sense.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
}

/// What a provider knows of a fax by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It was taken.
    Job(ProviderJob),
    /// It was never taken: submitting it sends it once.
    Nothing,
    /// The provider cannot say: what was submitted without an answer stays uncertain.
    CannotTell,
}

/// Where a fax is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Waiting for a line.
    Queued,
    /// Calling.
    Dialling,
    /// Pages are under way.
    Sending {
        /// Page under way, counted from 1 in the whole TIFF.
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
    /// The provider's own words; empty when it has none.
    pub words: String,
    /// Bits per second, where known.
    pub rate: Option<u32>,
    /// Time on the line, where known.
    pub duration: Option<Duration>,
    /// What the other machine called itself (T.30 CSI), where known.
    pub remote_id: Option<String>,
    /// T.30 log of the call, of own modems.
    pub log: Option<String>,
}

/// Progress of a fax.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Where it is.
    pub state: State,
    /// The line that makes the call, where known.
    pub line: Option<String>,
}

/// A fax that arrived at a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reception {
    /// The provider's name for it; stays the same when it is listed again.
    pub id: String,
    /// When it arrived, where known.
    pub received_at: Option<DateTime<Utc>>,
    /// Number that was dialled (DID, DNIS), as the provider writes it.
    pub called: Option<String>,
    /// Number of the caller, as the provider writes it.
    pub caller: Option<String>,
    /// Name of the caller by the telephone network.
    pub caller_name: Option<String>,
    /// What the other machine called itself (T.30 TSI).
    pub station_id: Option<String>,
    /// Pages received, where known before the file is fetched.
    pub pages: Option<u32>,
    /// Resolution, where known.
    pub resolution: Option<Resolution>,
    /// Bits per second, where known.
    pub rate: Option<u32>,
    /// Time on the line, where known.
    pub duration: Option<Duration>,
    /// Why the end is missing, when the call broke off.
    pub partial: Option<String>,
    /// The line that took the call, where known.
    pub line: Option<String>,
    /// Whether the provider has it marked as taken. Where fetching it does so, it may not be stored yet.
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
    /// Told by the file's first bytes, not by the provider.
    pub format: FileFormat,
    /// The file; empty when the call broke off before the first row of pixels.
    pub content: Bytes,
}

/// Something that sends and receives faxes.
///
/// Every call may be repeated. Nothing is retried inside: whether a fax is sent again is the caller's decision.
#[async_trait]
pub trait Provider: Send + Sync + Debug {
    /// Hands over a fax for one call.
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError>;

    /// Looks for a fax that may have been submitted, by its key.
    async fn find(&self, fax: &OutgoingFax) -> Result<Found, ProviderError>;

    /// Where a fax is. `fax` is what was submitted.
    async fn follow(&self, job: &ProviderJob, fax: &OutgoingFax) -> Result<Progress, ProviderError>;

    /// Asks that a fax is not sent, or says that this cannot be. Whether it came in time is told by [`Self::follow`].
    async fn cancel(&self, job: &ProviderJob) -> Result<(), ProviderError>;

    /// Faxes that arrived and are not acknowledged, oldest first; with `after`, the provider may leave out what
    /// arrived before. Those that are only marked as taken may be among them.
    async fn received(&self, after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError>;

    /// The pages of a fax that arrived.
    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError>;

    /// Says that the fax is stored here, so that it need not be listed again.
    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError>;

    /// What is wrong with the account, in plain words for an administrator; empty when all is well.
    async fn test(&self) -> Vec<String>;

    /// Whether a fax can go on at a page other than the first.
    fn can_resume(&self) -> bool;
}
