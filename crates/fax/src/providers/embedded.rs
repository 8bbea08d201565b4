//! Faxes between numbers of one installation, without a line: for demonstrations.
//!
//! The last digits of the called number choose how a call ends: `555-0197` is busy, `555-0198` does not answer, and
//! `555-0199` hangs up after half of the pages; a fax that resumes there gets through.

use std::fmt::Debug;
use std::io::{Cursor, Error, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::number::FaxNumber;
use crate::outcome::Outcome;
use crate::port::{
    FileFormat, Finished, Found, OutgoingFax, Progress, Provider, ProviderError, ProviderJob, ReceivedFile,
    Reception, Resolution, State, SubmitError,
};

/// A call between two numbers. Its outcome is known at once, but shown only after [`Call::ends_at`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Key of the fax.
    pub key: Uuid,
    /// Caller.
    pub from: FaxNumber,
    /// Called number.
    pub to: FaxNumber,
    /// Station id of the caller's machine.
    pub station_id: String,
    /// Name of the sender.
    pub sender_name: String,
    /// Resolution of the pages.
    pub resolution: Resolution,
    /// Pages of the whole fax.
    pub pages: u32,
    /// First page of this call.
    pub first_page: u32,
    /// Pages that arrive in this call.
    pub arriving_pages: u32,
    /// Its outcome.
    pub outcome: Outcome,
    /// When it was placed.
    pub placed_at: DateTime<Utc>,
    /// When it is answered.
    pub answered_at: DateTime<Utc>,
    /// When it ends.
    pub ends_at: DateTime<Utc>,
    /// Whether it was cancelled before it was answered.
    pub withdrawn: bool,
}

/// Stores the calls between numbers of the installation, so that they survive restarts and every node sees them. Changes
/// are durable when a method returns.
#[async_trait]
pub trait Exchange: Send + Sync + Debug {
    /// The time.
    fn now(&self) -> DateTime<Utc>;

    /// Whether the number belongs to this installation and accepts calls.
    async fn takes_calls(&self, number: &FaxNumber) -> Result<bool, ProviderError>;

    /// Stores a call with the pages that arrive (TIFF of class F; empty when none does), unless its key is already there.
    async fn place(&self, call: &Call, content: Bytes) -> Result<(), ProviderError>;

    /// The call with this key.
    async fn call(&self, key: Uuid) -> Result<Option<Call>, ProviderError>;

    /// Marks a call as cancelled.
    async fn withdraw(&self, key: Uuid) -> Result<(), ProviderError>;

    /// Calls that have ended with pages and are neither cancelled nor acknowledged, oldest first.
    async fn arrived(&self) -> Result<Vec<Call>, ProviderError>;

    /// The pages of a call.
    async fn content(&self, key: Uuid) -> Result<Option<Bytes>, ProviderError>;

    /// Removes a call from [`Self::arrived`]; its pages may be deleted.
    async fn acknowledge(&self, key: Uuid) -> Result<(), ProviderError>;
}

/// Time from dialling to the answer.
const RINGING: Duration = Duration::from_secs(3);
/// Simulated duration of a page.
const PAGE_TIME: Duration = Duration::from_secs(2);

/// Last digits of numbers that are always busy.
pub const BUSY: &str = "5550197";
/// Last digits of numbers that are never answered.
pub const NO_ANSWER: &str = "5550198";
/// Last digits of numbers that hang up in the middle of a fax.
pub const CUT: &str = "5550199";

/// Simulated bits per second.
const RATE: u32 = 14_400;

/// The provider of one account, whose faxes are sent and received through an exchange.
#[derive(Debug, Clone)]
pub struct Embedded {
    exchange: Arc<dyn Exchange>,
}

impl Embedded {
    /// A provider on this exchange.
    pub fn new(exchange: Arc<dyn Exchange>) -> Self {
        Self { exchange }
    }

    /// Decides the outcome of a call, and how many pages arrive.
    async fn decide(&self, fax: &OutgoingFax) -> Result<(Outcome, u32), ProviderError> {
        let to = fax.to.without_extension();
        let pages = (fax.pages + 1).saturating_sub(fax.first_page);
        Ok(if to.digits().ends_with(BUSY) {
            (Outcome::Busy, 0)
        } else if to.digits().ends_with(NO_ANSWER) {
            (Outcome::NoAnswer, 0)
        } else if !self.exchange.takes_calls(&to).await? {
            (Outcome::BadNumber, 0)
        } else if to.digits().ends_with(CUT) && fax.first_page == 1 {
            (Outcome::RemoteHangUp, pages / 2)
        } else {
            (Outcome::Delivered, pages)
        })
    }

    async fn place(&self, fax: &OutgoingFax) -> Result<(), SubmitError> {
        let unreachable = |error: ProviderError| SubmitError::Unreachable(error.to_string());
        if self.exchange.call(fax.key).await.map_err(unreachable)?.is_some() {
            return Ok(());
        }
        let (outcome, arriving_pages) = self.decide(fax).await.map_err(unreachable)?;
        let content = match arriving_pages {
            0 => Bytes::new(),
            _ => pages(fax.tiff.clone(), fax.first_page, arriving_pages, fax.pages)
                .await
                .map_err(|error| SubmitError::Refused(Outcome::LocalFault, error.to_string()))?,
        };
        let placed_at = self.exchange.now();
        let answered_at = placed_at + RINGING;
        let call = Call {
            key: fax.key,
            from: fax.from.clone(),
            to: fax.to.without_extension(),
            station_id: fax.station_id.clone(),
            sender_name: fax.sender_name.clone(),
            resolution: fax.resolution,
            pages: fax.pages,
            first_page: fax.first_page,
            arriving_pages,
            outcome,
            placed_at,
            answered_at,
            ends_at: answered_at + PAGE_TIME * arriving_pages,
            withdrawn: false,
        };
        self.exchange.place(&call, content).await.map_err(|error| SubmitError::Uncertain(error.to_string()))
    }
}

/// Copies `count` pages of a file, unchanged.
async fn pages(tiff: PathBuf, first: u32, count: u32, of: u32) -> std::io::Result<Bytes> {
    let content = tokio::fs::read(tiff).await?;
    if count == of {
        return Ok(content.into());
    }
    let mut part = Cursor::new(Vec::new());
    documents::fax::select(&content, first, first + count - 1, &mut part)
        .map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
    Ok(part.into_inner().into())
}

fn key(id: &str) -> Result<Uuid, ProviderError> {
    id.parse().map_err(|_| ProviderError::Unknown)
}

impl Call {
    fn state(&self, now: DateTime<Utc>) -> State {
        if self.withdrawn || now >= self.ends_at {
            return State::Finished(self.finished());
        }
        if now < self.answered_at {
            return State::Dialling;
        }
        let passed = (now - self.answered_at).to_std().unwrap_or_default().as_millis();
        let sent = passed / PAGE_TIME.as_millis();
        let page = self.first_page + u32::try_from(sent).unwrap_or(u32::MAX).min(self.arriving_pages - 1);
        State::Sending { page, of: self.pages }
    }

    fn finished(&self) -> Finished {
        let before = self.first_page - 1;
        if self.withdrawn {
            return Finished {
                outcome: Outcome::Cancelled,
                confirmed_pages: before,
                words: String::new(),
                rate: None,
                duration: None,
                remote_id: None,
                log: None,
            };
        }
        let answered = matches!(self.outcome, Outcome::Delivered | Outcome::RemoteHangUp);
        Finished {
            outcome: self.outcome,
            confirmed_pages: before + self.arriving_pages,
            words: self.words().to_owned(),
            rate: answered.then_some(RATE),
            duration: answered.then(|| (self.ends_at - self.answered_at).to_std().unwrap_or_default()),
            remote_id: answered.then(|| self.to.station_id()),
            log: None,
        }
    }

    fn words(&self) -> &'static str {
        match self.outcome {
            Outcome::Busy => "Busy signal detected",
            Outcome::NoAnswer => "No answer from remote",
            Outcome::BadNumber => "No number of this installation",
            Outcome::RemoteHangUp => "The line was cut",
            _ => "",
        }
    }

    fn reception(self) -> Reception {
        let cut = self.outcome != Outcome::Delivered;
        Reception {
            id: self.key.to_string(),
            received_at: Some(self.ends_at),
            called: Some(self.to.to_string()),
            caller: Some(self.from.to_string()),
            caller_name: Some(self.sender_name),
            station_id: Some(self.station_id),
            pages: Some(self.arriving_pages),
            resolution: Some(self.resolution),
            rate: Some(RATE),
            duration: (self.ends_at - self.answered_at).to_std().ok(),
            partial: cut.then(|| "The line was cut.".to_owned()),
            line: None,
            is_marked: false,
        }
    }
}

#[async_trait]
impl Provider for Embedded {
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError> {
        self.place(fax).await?;
        Ok(ProviderJob { id: fax.key.to_string() })
    }

    async fn find(&self, fax: &OutgoingFax) -> Result<Found, ProviderError> {
        let call = self.exchange.call(fax.key).await?;
        Ok(call.map_or(Found::Nothing, |call| Found::Job(ProviderJob { id: call.key.to_string() })))
    }

    async fn follow(&self, job: &ProviderJob, _fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let call = self.exchange.call(key(&job.id)?).await?.ok_or(ProviderError::Unknown)?;
        Ok(Progress { state: call.state(self.exchange.now()), line: None })
    }

    async fn cancel(&self, job: &ProviderJob) -> Result<(), ProviderError> {
        let call = self.exchange.call(key(&job.id)?).await?.ok_or(ProviderError::Unknown)?;
        if self.exchange.now() < call.answered_at {
            self.exchange.withdraw(call.key).await
        } else {
            Err(ProviderError::Refused("The call was answered already.".to_owned()))
        }
    }

    async fn received(&self, _after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError> {
        Ok(self.exchange.arrived().await?.into_iter().map(Call::reception).collect())
    }

    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError> {
        let content = self.exchange.content(key(&reception.id)?).await?.ok_or(ProviderError::Unknown)?;
        Ok(ReceivedFile { format: FileFormat::Tiff, content })
    }

    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError> {
        self.exchange.acknowledge(key(&reception.id)?).await
    }

    async fn test(&self) -> Vec<String> {
        Vec::new()
    }

    fn can_resume(&self) -> bool {
        true
    }
}
