//! What goes over the wire, and what a job keeps.

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

/// An act on all messages of one of `intake`, `release`, `undo` and `confirm`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkJobRequest {
    #[serde(flatten)]
    pub what: BulkWhat,
    /// All messages that this list holds, whatever page of it is named.
    pub intake: Option<ListRequest>,
    /// All messages that this list holds.
    pub release: Option<ReleaseMatch>,
    /// What an ended job did; `act` is its opposite.
    pub undo: Option<Uuid>,
    /// What a job refused, and a person may confirm.
    pub confirm: Option<Uuid>,
}

/// Drafts and sent messages as `GET /api/messages` lists them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReleaseMatch {
    pub is_draft: Option<bool>,
    /// Names of statuses, separated by commas.
    pub statuses: Option<String>,
    pub filter: Option<SearchWords>,
    pub start_date: Option<DayOrMoment>,
    pub end_date: Option<DayOrMoment>,
}

/// Which messages a job is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Query {
    Intake(Box<ListRequest>),
    Release(ReleaseMatch),
    /// Those with which another job did it.
    Done(Uuid),
    /// Those that another job refused, and a person confirmed.
    Confirmed(Uuid),
}

/// How far a job is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkJob {
    pub id: Uuid,
    pub act: BulkAct,
    pub state: JobState,
    /// Messages found so far.
    pub total: u64,
    /// All of them are found.
    pub is_counted: bool,
    pub done: u64,
    pub refused: u64,
    pub created_on: DateTime<Utc>,
    pub ended_on: Option<DateTime<Utc>>,
}

/// A message with which it was not done.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedMessage {
    pub id: Uuid,
    /// Empty when the message is gone.
    pub subject: String,
    /// Sentences for the user.
    pub reasons: Vec<String>,
    /// It is done once the gaps are accepted.
    pub can_be_confirmed: bool,
}
