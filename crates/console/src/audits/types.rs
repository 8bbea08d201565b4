//! What goes over the wire.

use chrono::{DateTime, Utc};
use platform::{http::DayOrMoment, text::SearchWords};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSearch {
    pub start_date: Option<DayOrMoment>,
    /// Counts whole.
    pub end_date: Option<DayOrMoment>,
    /// How the user name begins of whoever did it, or what the trail calls somebody without an account, such as `System`.
    pub username: Option<SearchWords>,
    /// Only these, if there are any.
    pub event_types: Option<Vec<String>>,
    /// Each word stands somewhere in the entry. For spans of 93 days at most.
    pub search: Option<SearchWords>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// An entry of the audit trail.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRecord {
    pub id: Uuid,
    /// The user name of whoever did it; their name where there is no account.
    pub created_by: String,
    /// What they were called then.
    pub full_name: String,
    pub event_type: String,
    /// What was changed, as JSON. Empty where there is nothing to tell.
    pub event_data: String,
    pub timestamp: DateTime<Utc>,
    /// Null for what belongs to the platform.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub object_type: String,
    pub object_id: String,
    /// Never a patient's name; empty where the object is gone for good or has no name.
    pub object_name: String,
    pub succeeded: bool,
    pub source_ip: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEventType {
    /// As entries name it.
    pub event_type: String,
    /// As people read it.
    pub label: String,
}

/// How far a verification has come. Without one it begins.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPlace {
    pub chain_id: Uuid,
    pub seq: i64,
}

#[derive(Deserialize, ToSchema)]
pub struct AuditVerificationForm {
    /// `next` of the answer before.
    pub from: Option<AuditPlace>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditFinding {
    /// Null for the chain of the platform.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    /// The number of the entry in its chain.
    pub seq: i64,
    #[schema(inline)]
    pub problem: AuditProblem,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
pub enum AuditProblem {
    Changed,
    Removed,
    Reordered,
}

/// A part of a verification: some 20,000 entries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerification {
    /// Entries that this part has checked.
    pub checked: u64,
    /// Entries of all chains.
    pub total: u64,
    pub findings: Vec<AuditFinding>,
    /// Where to go on; null when everything is checked.
    pub next: Option<AuditPlace>,
    /// With the last part: how the trail compares with what is kept of it outside the database.
    pub heads: Option<AuditHeads>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditHeads {
    /// When they were kept; null where there are none, or they cannot be believed.
    pub kept_at: Option<DateTime<Utc>>,
    /// What does not fit, in plain words.
    pub problems: Vec<String>,
}
