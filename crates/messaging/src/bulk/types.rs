//! Types of the API and of stored jobs.

use crate::{
    bulk::selection::{BulkAct, BulkWhat},
    intake::types::ListRequest,
};
use chrono::{DateTime, Utc};
use platform::{http::DayOrMoment, text::SearchWords};
use serde::{Deserialize, Serialize};
use store::entities::bulk_job::JobState;
use utoipa::ToSchema;
use uuid::Uuid;

/// An action on all messages of exactly one of `intake`, `release`, `undo` and `confirm`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkJobRequest {
    #[serde(flatten)]
    pub what: BulkWhat,
    /// All messages of this list, regardless of the page in it.
    pub intake: Option<ListRequest>,
    /// All messages of this list.
    pub release: Option<ReleaseMatch>,
    /// The messages of a finished job; `act` is its opposite.
    pub undo: Option<Uuid>,
    /// The messages that a job refused and a person may confirm.
    pub confirm: Option<Uuid>,
}

/// Filter of drafts and sent messages, as in `GET /api/messages`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReleaseMatch {
    pub is_draft: Option<bool>,
    /// Status names, separated by commas.
    pub statuses: Option<String>,
    pub filter: Option<SearchWords>,
    pub start_date: Option<DayOrMoment>,
    pub end_date: Option<DayOrMoment>,
}

/// The messages of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Query {
    Intake(Box<ListRequest>),
    Release(ReleaseMatch),
    /// The messages that another job completed.
    Done(Uuid),
    /// The messages that another job refused and a person confirmed.
    Confirmed(Uuid),
}

/// Progress of a job.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkJob {
    pub id: Uuid,
    pub act: BulkAct,
    pub state: JobState,
    /// Messages found so far.
    pub total: u64,
    /// Whether all of them are found.
    pub is_counted: bool,
    pub done: u64,
    pub refused: u64,
    pub created_on: DateTime<Utc>,
    pub ended_on: Option<DateTime<Utc>>,
}

/// A refused message.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedMessage {
    pub id: Uuid,
    /// Empty if the message no longer exists.
    pub subject: String,
    /// Sentences for people.
    pub reasons: Vec<String>,
    /// Whether it is done once the gaps are accepted.
    pub can_be_confirmed: bool,
}
