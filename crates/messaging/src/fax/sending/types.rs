//! What goes over the wire.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// One call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxAttempt {
    pub id: Uuid,
    pub number: i32,
    pub provider: String,
    pub from_number: String,
    /// `Submitting`, `Queued`, `Dialling`, `Sending` or `Finished`.
    pub state: String,
    pub first_page: i32,
    pub pages: i32,
    /// The page under way.
    pub page: Option<i32>,
    /// From the first page of the whole fax.
    pub confirmed_pages: i32,
    pub outcome: Option<String>,
    /// How it ended, in our words.
    pub explanation: String,
    /// The provider's own words.
    pub words: String,
    pub line: Option<String>,
    pub rate: Option<i32>,
    pub seconds: Option<i32>,
    pub remote_id: Option<String>,
    /// The T.30 log, of own modems.
    pub log: Option<String>,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// The fax of one recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxDelivery {
    pub delivery_id: Uuid,
    /// The number as people read it.
    pub to_number: String,
    pub from_number: String,
    /// Pages of the fax; 0 until they are made.
    pub pages: i32,
    pub confirmed_pages: i32,
    /// What goes on now, in words.
    pub now: String,
    /// Why it waits.
    pub waits_for: Option<String>,
    pub next_at: Option<DateTime<Utc>>,
    /// Why it could not be cancelled.
    pub cancel_problem: Option<String>,
    /// The message of the Intake that answers it, where answers are tracked.
    pub answer_id: Option<Uuid>,
    /// Whether the caller may decide to send it again.
    pub can_send_again: bool,
    /// Whether the caller may cancel it.
    pub can_cancel: bool,
    pub attempts: Vec<FaxAttempt>,
}
