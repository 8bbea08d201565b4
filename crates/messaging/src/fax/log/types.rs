//! Types of the API.

use ::fax::Outcome;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::fax_account::ProviderKind;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum FaxDirection {
    Sent,
    Received,
}

impl FaxDirection {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "Sent",
            Self::Received => "Received",
        }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum LoggedOutcome {
    Sent(Outcome),
    Received(ReceivedOutcome),
}

impl LoggedOutcome {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent(outcome) => outcome.as_str(),
            Self::Received(ReceivedOutcome::Received) => "Received",
            Self::Received(ReceivedOutcome::Partial) => "Partial",
            Self::Received(ReceivedOutcome::Unknown) => "Unknown",
        }
    }
}

/// What arrived with a received call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ReceivedOutcome {
    Received,
    /// Not all of its pages.
    Partial,
    /// The dialled number belongs to no organization.
    Unknown,
}

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxLogEntry {
    pub id: Uuid,
    pub direction: FaxDirection,
    pub at: DateTime<Utc>,
    /// The organization's own number.
    pub own_number: String,
    /// The number of the other side; empty if unknown.
    pub other_number: String,
    /// The name of the other machine.
    pub other_id: String,
    /// Number of the call for the same fax.
    pub attempt: Option<i32>,
    /// Null if its account was deleted.
    pub provider: Option<ProviderKind>,
    pub line: Option<String>,
    /// Number of pages that arrived.
    pub pages: Option<i32>,
    /// Total number of pages of the fax.
    pub of_pages: Option<i32>,
    /// Bits per second.
    pub rate: Option<i32>,
    pub seconds: Option<i32>,
    /// Null while in progress.
    pub outcome: Option<LoggedOutcome>,
    /// Outcome, in words.
    pub words: String,
    pub message_id: Option<Uuid>,
}
