//! Faxes between numbers of one installation: no line at all, for demonstrations.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::number::FaxNumber;
use crate::outcome::Outcome;
use crate::port::{ProviderError, Resolution};

/// A call between two numbers. It is known at once how it will end; until [`Call::ends_at`] it is shown as under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Key of the fax.
    pub key: Uuid,
    /// Caller.
    pub from: FaxNumber,
    /// Called number.
    pub to: FaxNumber,
    /// What the caller's machine called itself.
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
    /// How it ends.
    pub outcome: Outcome,
    /// When it was placed.
    pub placed_at: DateTime<Utc>,
    /// When the other side answers.
    pub answered_at: DateTime<Utc>,
    /// When it is over.
    pub ends_at: DateTime<Utc>,
    /// Whether it was cancelled before it was answered.
    pub withdrawn: bool,
}

/// Where calls between numbers of the installation are kept, so that they survive restarts and are seen by every
/// node. What has returned is durable.
#[async_trait]
pub trait Exchange: Send + Sync + Debug {
    /// The time.
    fn now(&self) -> DateTime<Utc>;

    /// Whether the number belongs to this installation and takes calls.
    async fn takes_calls(&self, number: &FaxNumber) -> Result<bool, ProviderError>;

    /// Keeps a call with the pages that arrive by it (TIFF of class F; empty when none does). A call whose key is
    /// there already is left as it is.
    async fn place(&self, call: &Call, content: Bytes) -> Result<(), ProviderError>;

    /// The call of that key.
    async fn call(&self, key: Uuid) -> Result<Option<Call>, ProviderError>;

    /// Marks a call as withdrawn.
    async fn withdraw(&self, key: Uuid) -> Result<(), ProviderError>;

    /// Calls that are over by now, brought pages, were not withdrawn and are not acknowledged, oldest first.
    async fn arrived(&self) -> Result<Vec<Call>, ProviderError>;

    /// The pages of a call.
    async fn content(&self, key: Uuid) -> Result<Option<Bytes>, ProviderError>;

    /// Leaves a call out of [`Self::arrived`] from now on; its pages may be deleted.
    async fn acknowledge(&self, key: Uuid) -> Result<(), ProviderError>;
}

/// How long calls seem to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// From dialling to the answer.
    pub ringing: Duration,
    /// For each page.
    pub page: Duration,
}

impl Default for Pace {
    /// 3 seconds, and 2 for each page.
    fn default() -> Self {
        Self { ringing: Duration::from_secs(3), page: Duration::from_secs(2) }
    }
}
