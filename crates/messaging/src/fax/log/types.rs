//! What goes over the wire.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum FaxDirection {
    Sent,
    Received,
}

impl FaxDirection {
    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sent => "Sent",
            Self::Received => "Received",
        }
    }
}

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FaxLogEntry {
    pub id: Uuid,
    pub direction: FaxDirection,
    pub at: DateTime<Utc>,
    /// The organization's own number.
    pub own_number: String,
    /// The number of the other side; empty when it is not known.
    pub other_number: String,
    /// What the other machine called itself.
    pub other_id: String,
    /// Which call of the same fax.
    pub attempt: Option<i32>,
    pub provider: String,
    pub line: Option<String>,
    /// Pages that arrived.
    pub pages: Option<i32>,
    /// Pages of the fax.
    pub of_pages: Option<i32>,
    /// Bits per second.
    pub rate: Option<i32>,
    pub seconds: Option<i32>,
    /// How it ended, by name; `Received`, `Partial` or `Unknown` of received ones; none while it is under way.
    pub outcome: Option<String>,
    /// How it ended, in words.
    pub words: String,
    pub message_id: Option<Uuid>,
}
