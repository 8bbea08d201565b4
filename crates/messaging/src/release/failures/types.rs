//! Requests and answers of [`super::http`].

use crate::model::{DeliveryKind, DeliveryState, RecipientRole};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// A delivery that waits, failed, or has an unknown outcome.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedMessage {
    /// Id of the delivery to one recipient.
    pub id: Uuid,
    pub message_id: Uuid,
    pub subject: String,
    pub patient_name: String,
    pub from_address: String,
    /// The recipient's Direct address or fax number.
    pub address: String,
    pub name: String,
    pub kind: DeliveryKind,
    pub role: RecipientRole,
    /// Queued, Failed or Uncertain.
    pub state: DeliveryState,
    /// What happened, in plain words.
    pub explanation: String,
    /// Reason given by the other side or by the last attempt.
    pub reason: Option<String>,
    /// Time of sending.
    pub accepted_at: DateTime<Utc>,
    pub failed_at: Option<DateTime<Utc>>,
    /// Time of the next attempt.
    pub next_at: Option<DateTime<Utc>>,
    /// The caller may send from the address or number of the message.
    pub can_send_now: bool,
}

/// Filter of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailedView {
    /// Still sending.
    Waiting,
    /// Failed, or with an unknown outcome.
    Failed,
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct AcknowledgeAll {
    /// Time at which the list was read; later failures were not seen. Default: now.
    pub until: Option<DateTime<Utc>>,
}

#[derive(Serialize, ToSchema)]
pub struct Acknowledged {
    pub acknowledged: u64,
}

/// The new recipient of the message.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct OtherRecipient {
    /// A Direct address or fax number; absent to choose it in the draft.
    #[schema(max_length = 254)]
    pub to: Option<String>,
}
