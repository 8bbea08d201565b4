//! Requests and answers about filing by rules.

use crate::{model::SourceType, rules::types::IntakeRuleForm};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use store::entities::chart_filing::FilingState;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct FiledParams {
    /// Default: two days ago.
    pub start: Option<DateTime<Utc>>,
    /// Exclusive; default: now.
    pub end: Option<DateTime<Utc>>,
    /// Only of this intake rule.
    pub rule_id: Option<Uuid>,
    pub page_start: Option<u64>,
    /// Default 20, maximum 100.
    pub page_size: Option<u64>,
}

/// A document that an intake rule filed into a chart.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FiledByRule {
    /// Id of the filing.
    pub id: Uuid,
    pub message_id: Uuid,
    pub at: DateTime<Utc>,
    pub rule_id: Uuid,
    /// Its name at that time.
    pub rule_name: String,
    /// Name of the patient, as filed.
    pub patient_name: String,
    pub file_name: String,
    pub from_name: String,
    pub from_address: String,
    pub integration_id: Uuid,
    /// Name of the connection; empty if it was deleted.
    pub integration_name: String,
    /// Address of the patient's chart for people, if the connection has one.
    pub chart_url: Option<String>,
    /// Certainty of the patient, in percent.
    pub percent: i16,
    pub state: FilingState,
    /// Why it failed.
    pub problem: String,
}

/// A message that an intake rule left to people.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftByRule {
    pub message_id: Uuid,
    pub at: DateTime<Utc>,
    pub rule_id: Uuid,
    /// Its name at that time.
    pub rule_name: String,
    /// Part of a sentence, without patient data: `the birth date differs`.
    pub reason: String,
    pub subject: String,
    pub patient_name: String,
    pub from_name: String,
    pub from_address: String,
    /// Whether a person has processed it since.
    pub is_processed: bool,
}

/// What an intake rule filed in a time.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleCounts {
    pub rule_id: Uuid,
    pub rule_name: String,
    /// Documents in the chart, or on their way there.
    pub filed: u64,
    /// Documents that could not be filed.
    pub failed: u64,
    /// Documents that people took back.
    pub withdrawn: u64,
    /// Messages that were left to people.
    pub left: u64,
}

#[derive(Deserialize, ToSchema)]
pub struct FilingDryRunRequest {
    /// A rule that is being edited, tried alone. Absent: all enabled rules in order.
    pub rule: Option<IntakeRuleForm>,
}

/// What a person did with a message that a rule might have filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub enum FiledByPerson {
    /// Filed to another patient than the rule would have.
    Other,
    /// Filed to the same patient.
    Same,
    /// Filed, while the rule would not have.
    Unproposed,
}

/// A message, and what a rule would have done with it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilingDryRunRow {
    pub id: Uuid,
    pub received_date: DateTime<Utc>,
    pub source_type: SourceType,
    pub from_address: String,
    pub from_name: String,
    pub subject: String,
    pub patient_name: String,
    /// Name of the rule.
    pub rule_name: String,
    pub would_file: bool,
    /// Name of the patient of the chart into which it would be filed.
    pub chart_patient: String,
    pub percent: Option<u8>,
    /// Why it would not be filed, as part of a sentence; empty if it would.
    pub reason: String,
    /// Null if no person has filed it.
    pub by_person: Option<FiledByPerson>,
}

/// What rules would have filed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilingDryRun {
    /// Those that a person filed to another patient first, otherwise the newest first.
    pub items: Vec<FilingDryRunRow>,
    /// Number of checked messages, matching or not.
    pub examined: u64,
    /// Whether there are more messages that match: at most 50 are tried.
    pub is_cut: bool,
}
