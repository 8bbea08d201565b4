//! A delivery as the API shows it.

use super::explanation::explain;
use crate::model::{DeliveryKind, DeliveryState, RecipientRole};
use chrono::{DateTime, Utc};
use serde::Serialize;
use store::entities::delivery;
use utoipa::ToSchema;
use uuid::Uuid;

/// State of a delivery to one recipient.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    pub id: Uuid,
    pub address: String,
    pub name: String,
    pub kind: DeliveryKind,
    pub role: RecipientRole,
    pub state: DeliveryState,
    /// What went wrong, in plain words; empty without a problem.
    pub explanation: String,
    /// Reason of the failure, if possible in the other side's words.
    pub reason: Option<String>,
    pub attempt: i32,
    pub wants_dispatched: bool,
    pub accepted_at: DateTime<Utc>,
    pub sent_at: Option<DateTime<Utc>>,
    pub processed_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub failed_at: Option<DateTime<Utc>>,
    /// Deadline of the next notice.
    pub expected_by: Option<DateTime<Utc>>,
    /// Protection of the connection to the other mail server.
    pub tls: Option<store::entities::delivery::TransportTls>,
    /// The message that was sent to another recipient after this one failed.
    pub corrected_by: Option<Uuid>,
}

pub fn delivery_view(row: delivery::Model) -> DeliveryView {
    let has_ended_badly = matches!(row.state, DeliveryState::Failed | DeliveryState::Uncertain);
    DeliveryView {
        explanation: if has_ended_badly { explain(&row, false).into() } else { String::new() },
        id: row.id,
        kind: row.kind,
        role: row.role,
        state: row.state,
        address: row.address,
        name: row.name,
        reason: row.reason,
        attempt: row.attempt,
        wants_dispatched: row.wants_dispatched,
        accepted_at: row.accepted_at,
        sent_at: row.sent_at,
        processed_at: row.processed_at,
        delivered_at: row.delivered_at,
        failed_at: row.failed_at,
        expected_by: row.expected_by,
        tls: row.tls,
        corrected_by: row.corrected_by,
    }
}
