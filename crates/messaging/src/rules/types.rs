//! Requests and answers of [`super::http`].

use super::terms::Terms;
use crate::model::SourceType;
use chrono::{DateTime, Utc};
use platform::text::Rule;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

platform::text! {
    /// Name of an intake rule.
    pub IntakeRuleName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
}

/// An intake rule of the organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRule {
    pub id: Uuid,
    /// Shown in the activity of messages, so it should not name a patient.
    pub name: String,
    /// Counted from 0.
    pub position: i32,
    pub is_enabled: bool,
    /// If it matches, no later rule is tried.
    pub stops: bool,
    /// Assigns to one of them, the one with the fewest open messages.
    pub people: Vec<Uuid>,
    #[serde(flatten)]
    pub terms: Terms,
    /// Why it cannot file into the chart at the moment; empty if it can, or files nothing.
    pub filing_problem: String,
    /// To be sent back when saving.
    pub version: i32,
}

#[derive(Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntakeRuleForm {
    pub name: IntakeRuleName,
    #[serde(default)]
    pub is_enabled: bool,
    /// If it matches, no later rule is tried.
    #[serde(default)]
    pub stops: bool,
    /// Assigns to one of them, the one with the fewest open messages. At most 50.
    #[serde(default)]
    pub people: Vec<Uuid>,
    #[serde(flatten)]
    pub terms: Terms,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, ToSchema)]
pub struct RuleOrder {
    /// All rules, in the order in which they are tried.
    #[schema(max_items = 100)]
    pub ids: Vec<Uuid>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunRequest {
    /// A rule that is being edited, tried alone. Absent: all enabled rules in order.
    pub rule: Option<IntakeRuleForm>,
    /// Cursor of the previous answer.
    pub cursor: Option<String>,
    /// Number of matching messages, default 20, maximum 100.
    pub page_size: Option<u64>,
}

/// A matching rule of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunMatch {
    /// Nil for an unsaved rule.
    pub rule_id: Uuid,
    pub name: String,
    /// One sentence for each condition.
    pub reasons: Vec<String>,
}

/// A message that matches a rule, and the rule's actions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRunRow {
    pub id: Uuid,
    pub received_date: DateTime<Utc>,
    pub source_type: SourceType,
    pub from_address: String,
    pub from_name: String,
    pub subject: String,
    pub patient_name: String,
    pub matches: Vec<DryRunMatch>,
    /// One of them would have received it.
    pub people: Vec<Uuid>,
    pub tags: Vec<String>,
    pub document_type: String,
    pub is_urgent: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DryRun {
    /// Newest first.
    pub items: Vec<DryRunRow>,
    /// Number of checked messages, matching or not.
    pub examined: u64,
    /// Absent at the end of the 30 days. There may be more matches even if `items` is not full.
    pub next_cursor: Option<String>,
}
