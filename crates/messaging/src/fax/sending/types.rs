//! Types of the API.

use ::fax::Outcome;
use chrono::{DateTime, Utc};
use serde::Serialize;
use store::entities::{fax_account::ProviderKind, fax_attempt::AttemptState};
use utoipa::ToSchema;
use uuid::Uuid;

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxAttempt {
    pub id: Uuid,
    pub number: i32,
    pub provider: ProviderKind,
    pub from_number: String,
    pub state: AttemptState,
    pub first_page: i32,
    pub pages: i32,
    /// The page in progress.
    pub page: Option<i32>,
    /// Counted from the first page of the whole fax.
    pub confirmed_pages: i32,
    pub outcome: Option<Outcome>,
    /// Outcome in our words.
    pub explanation: String,
    /// Outcome in the provider's words.
    pub words: String,
    pub line: Option<String>,
    pub rate: Option<i32>,
    pub seconds: Option<i32>,
    pub remote_id: Option<String>,
    /// The T.30 log, only of the organization's own modems.
    pub log: Option<String>,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// The fax to one recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxDelivery {
    pub delivery_id: Uuid,
    /// The number, formatted for people.
    pub to_number: String,
    pub from_number: String,
    /// Number of pages; 0 until they are rendered.
    pub pages: i32,
    pub confirmed_pages: i32,
    /// Present activity, in words.
    pub now: String,
    /// Why it waits.
    pub waits_for: Option<String>,
    pub next_at: Option<DateTime<Utc>>,
    /// Why it could not be cancelled.
    pub cancel_problem: Option<String>,
    /// The Intake message that answers it, if answers are tracked.
    pub answer_id: Option<Uuid>,
    /// Whether the caller may send it again.
    pub can_send_again: bool,
    /// Whether the caller may cancel it.
    pub can_cancel: bool,
    pub attempts: Vec<FaxAttempt>,
}
