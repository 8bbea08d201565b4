//! Conversations as the API shows them.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use store::entities::{
    conversation::{ConversationRole, ConversationState},
    conversation_step::StepAction,
};
use utoipa::ToSchema;
use uuid::Uuid;

/// A referral of the organization.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrackedConversation {
    pub id: Uuid,
    /// Always `360x`.
    #[serde(rename = "type")]
    pub kind: String,
    pub role: ConversationRole,
    pub conversation_status: ConversationState,
    pub patient_name: String,
    pub reason: String,
    pub own_address: String,
    pub other_address: String,
    pub due_date: Option<NaiveDate>,
    pub appointment_date: Option<DateTime<Utc>>,
    /// The side that has to act; null once the referral is closed.
    pub turn: Option<ConversationRole>,
    pub is_own_turn: bool,
    /// The date for an answer or a result has passed.
    pub is_overdue: bool,
    /// Its latest message could not be delivered.
    pub is_undelivered: bool,
    /// Its latest message was sent by the organization.
    pub is_latest_own: bool,
    /// Its latest message.
    pub message_id: Uuid,
    pub created_date: DateTime<Utc>,
    pub modified_date: DateTime<Utc>,
}

/// A message of a referral.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationStep {
    pub message_id: Uuid,
    pub action: StepAction,
    pub note: String,
    /// The organization sent it.
    pub is_own: bool,
    pub is_undelivered: bool,
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    #[serde(flatten)]
    pub conversation: TrackedConversation,
    /// The organization's possible actions now.
    pub actions: Vec<StepAction>,
    /// Oldest first.
    pub steps: Vec<ConversationStep>,
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TrackedRequest {
    /// Only open referrals.
    pub is_open: bool,
    /// Only overdue referrals.
    pub is_overdue: bool,
    /// Counted from 1.
    pub page_start: Option<u64>,
    /// Default 25, maximum 100.
    pub page_size: Option<u64>,
}
