//! Requests and answers of the API.

use chrono::{DateTime, Utc};
use platform::{http::DayOrMoment, text::SearchWords};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSearch {
    pub start_date: Option<DayOrMoment>,
    /// The whole day is included.
    pub end_date: Option<DayOrMoment>,
    /// Beginning of the actor's user name, or the name of an actor without an account, such as `System`.
    pub username: Option<SearchWords>,
    /// Only these events, if any are given.
    pub event_types: Option<Vec<String>>,
    /// Each word is contained in the entry. For spans of 93 days at most.
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
    /// User name of the actor; their name if there is no account.
    pub created_by: String,
    /// The actor's name at that time.
    pub full_name: String,
    pub event_type: String,
    /// The changes as JSON; empty if there are none.
    pub event_data: String,
    pub timestamp: DateTime<Utc>,
    /// Null for objects of the platform.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub object_type: String,
    pub object_id: String,
    /// Never a patient's name; empty if the object was permanently deleted or has no name.
    pub object_name: String,
    pub succeeded: bool,
    pub source_ip: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEventType {
    /// Name of the event in entries.
    pub event_type: String,
    /// Label of the event for people.
    pub label: String,
}

/// Progress of a verification. Without one, it begins.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPlace {
    pub chain_id: Uuid,
    pub seq: i64,
}

#[derive(Deserialize, ToSchema)]
pub struct AuditVerificationForm {
    /// `next` of the previous answer.
    pub from: Option<AuditPlace>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditFinding {
    /// Null for the chain of the platform.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    /// Position of the entry in its chain.
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

/// A part of a verification: about 20,000 entries.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerification {
    /// Entries checked in this part.
    pub checked: u64,
    /// Entries of all chains.
    pub total: u64,
    pub findings: Vec<AuditFinding>,
    /// Where to continue; null when everything is checked.
    pub next: Option<AuditPlace>,
    /// In the last part: comparison of the trail with its heads kept outside the database.
    pub heads: Option<AuditHeads>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditHeads {
    /// Time of the heads; null if there are none, or they are not authentic.
    pub kept_at: Option<DateTime<Utc>>,
    /// Differences, in plain words.
    pub problems: Vec<String>,
}
