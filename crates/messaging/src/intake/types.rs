//! Types of the API.

use crate::{
    hubs::presence::Opener,
    model::{MessageProperties, PatientDoubt, SourceType},
    people::PersonView,
};
use chrono::{DateTime, NaiveDate, Utc};
use platform::{http::DayOrMoment, text::SearchWords};
use serde::{Deserialize, Serialize};
use store::search;
use utoipa::ToSchema;
use uuid::Uuid;

/// Filter, order and page of the list. Empty lists do not filter.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListRequest {
    /// Counted from 1.
    pub page_start: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
    /// Cursor from an earlier page, for rows beyond 10,000.
    pub cursor: Option<String>,
    /// createdDate, fromAddress or status. Subject and patient are sealed and cannot be sorted.
    pub order_by: Option<String>,
    /// asc or desc.
    pub order_dir: Option<String>,
    /// Default: 30 days ago.
    pub start_date: Option<DayOrMoment>,
    /// Inclusive; a day counts completely.
    pub end_date: Option<DayOrMoment>,
    /// Ids of intake rules; matches messages to which any of them was applied.
    pub rules: Vec<String>,
    pub statuses: Vec<String>,
    pub is_all: bool,
    pub is_unassigned: bool,
    pub is_assigned_to_self: bool,
    pub is_urgent: bool,
    /// Only messages that are snoozed now, regardless of the dates.
    pub is_snoozed: bool,
    /// Excludes messages that are snoozed now.
    pub hides_snoozed: bool,
    pub source_types: Vec<String>,
    pub processed_types: Vec<String>,
    /// Own addresses that received the messages.
    pub sources: Vec<String>,
    /// Words of subject, patient, sender, recipient and tags, matched by their beginning; a word of the patient's name
    /// also by its sound. Also matches the patient's identifiers and birth date, in any common notation.
    pub filter: Option<SearchWords>,
}

impl ListRequest {
    /// Whether it is a search for words.
    pub(super) fn is_search(&self) -> bool {
        self.filter.as_deref().is_some_and(|text| !search::words(&[text]).is_empty())
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeFile {
    pub id: Uuid,
    pub file_name: String,
    pub mime_type: String,
    pub size_in_bytes: i64,
    pub is_structured: bool,
}

/// Proposed details of a row until a person confirms them: read from its documents, and chosen by staff for similar
/// messages.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowProposal {
    /// From the first document that names a patient.
    pub patient_name: Option<String>,
    pub birth_date: Option<NaiveDate>,
    pub document_type: Option<String>,
}

/// A row of the Intake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRow {
    pub id: Uuid,
    pub subject: String,
    pub created_date: DateTime<Utc>,
    pub from_address: String,
    pub from_name: String,
    pub to_address: String,
    pub patient_name: String,
    /// Why no patient was set on arrival.
    pub patient_doubt: Option<PatientDoubt>,
    pub document_type: String,
    /// Only for open messages.
    pub proposal: RowProposal,
    /// Set by intake rules.
    pub tags: Vec<String>,
    pub status: String,
    pub processed_type: Option<String>,
    pub process_types: Vec<String>,
    pub source_type: SourceType,
    pub attachment_count: i32,
    pub attachments: Vec<IntakeFile>,
    pub properties: MessageProperties,
    pub origin: Option<String>,
    pub conversion: Option<String>,
    #[serde(rename = "attachments2CDA")]
    pub attachments_to_cda: bool,
    /// Arrived within the last hour.
    pub recent: bool,
    pub is_read: bool,
    pub is_urgent: bool,
    /// A time in the past: it has come back.
    pub snoozed_until: Option<DateTime<Utc>>,
    pub assigned_to: Option<PersonView>,
    /// People who have it open now.
    pub opened_by: Vec<Opener>,
    /// Texts that contain words of the search.
    pub found_in: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeList {
    pub items: Vec<IntakeRow>,
    /// Exact up to 10,000. Absent where a search would have to count, for frequent words or after a cursor;
    /// `/api/intake/counts` has it.
    pub total_count: Option<u64>,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    pub next_cursor: Option<String>,
}

/// Number of messages in each quick view, up to 10,000.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuickViews {
    pub all: u64,
    pub unassigned: u64,
    pub assigned_to_self: u64,
    pub urgent: u64,
    pub unread: u64,
    pub snoozed: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeCounts {
    /// Exact up to 10,000, unless a search for frequent words that rarely occur together was aborted.
    pub total_count: u64,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    /// With the same filters. Absent while searching.
    pub quick_views: Option<QuickViews>,
    /// Time at which the next snoozed message comes back.
    pub next_wake_at: Option<DateTime<Utc>>,
    /// Number of messages with notes that mention the caller and are newer than the caller's last visit, regardless of
    /// the filters; at most 100.
    pub mention_count: u64,
    /// The newest of these messages.
    pub mentioned_in: Option<Uuid>,
}
