//! What goes over the wire.

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

/// What to list. Empty lists do not filter.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ListRequest {
    /// Counted from 1.
    pub page_start: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
    /// Goes on behind the page that answered with it, beyond row 10,000.
    pub cursor: Option<String>,
    /// createdDate, fromAddress or status. Subject and patient are sealed and have no order.
    pub order_by: Option<String>,
    /// asc or desc.
    pub order_dir: Option<String>,
    /// 30 days back when absent.
    pub start_date: Option<DayOrMoment>,
    /// Counts whole.
    pub end_date: Option<DayOrMoment>,
    /// Ids of intake rules, any of which was applied.
    pub rules: Vec<String>,
    pub statuses: Vec<String>,
    pub is_all: bool,
    pub is_unassigned: bool,
    pub is_assigned_to_self: bool,
    pub is_urgent: bool,
    /// Only what is snoozed at this moment, whenever it came.
    pub is_snoozed: bool,
    /// Leaves out what is snoozed at this moment.
    pub hides_snoozed: bool,
    pub source_types: Vec<String>,
    pub processed_types: Vec<String>,
    /// Own addresses to which the messages came.
    pub sources: Vec<String>,
    /// Words of subject, patient, sender, recipient and tags, each by its beginning; a word of the patient's name also by
    /// its sound. The patient's identifiers and birth date are found too, the date in any order of its figures.
    pub filter: Option<SearchWords>,
}

impl ListRequest {
    /// Whether it looks for words.
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

/// What a row seems to be about while nobody has said so: what its documents show, and what staff chose for messages like it.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowProposal {
    /// As the first document that names a patient does.
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
    /// Why nobody was taken for its patient when it came.
    pub patient_doubt: Option<PatientDoubt>,
    pub document_type: String,
    /// Of what is to be done.
    pub proposal: RowProposal,
    /// Given by intake rules.
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
    /// Came within the last hour.
    pub recent: bool,
    pub is_read: bool,
    pub is_urgent: bool,
    /// A time that is over: it has come back.
    pub snoozed_until: Option<DateTime<Utc>>,
    pub assigned_to: Option<PersonView>,
    /// Who has it open at this moment.
    pub opened_by: Vec<Opener>,
    /// In which of its texts the words of the search stand.
    pub found_in: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeList {
    pub items: Vec<IntakeRow>,
    /// Exact up to 10,000. Absent where a search would have to count, for frequent words or behind a cursor:
    /// `/api/intake/counts` does.
    pub total_count: Option<u64>,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    pub next_cursor: Option<String>,
}

/// How many messages each quick view holds, up to 10,000.
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
    /// Exact up to 10,000, unless a search of common words that rarely meet gave up.
    pub total_count: u64,
    /// There are, or may be, more than `totalCount`.
    pub total_is_capped: bool,
    /// Under the same filters. Absent while searching.
    pub quick_views: Option<QuickViews>,
    /// When the next snoozed message comes back.
    pub next_wake_at: Option<DateTime<Utc>>,
    /// Messages in whose notes the caller is named since they opened them, whatever the filters; 100 at most.
    pub mention_count: u64,
    /// The newest of them.
    pub mentioned_in: Option<Uuid>,
}
