//! A file of a message. Its bytes, name and description are sealed.

use super::message::Conversion;
use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A file of a message. Its bytes, name and description are sealed.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub position: i32,
    pub sealed_name: Vec<u8>,
    pub sealed_meta: Vec<u8>,
    pub kind: String,
    pub mime_type: String,
    pub size_bytes: i64,
    pub blob_id: Uuid,
    pub pdf_blob_id: Option<Uuid>,
    pub preview_state: PreviewState,
    pub preview_error: Option<String>,
    pub page_count: Option<i32>,
    pub created_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
    /// The last requested conversion; none once it has succeeded.
    #[sea_orm(column_type = "JsonBinary", nullable)]
    pub transform: Option<Transform>,
    /// Whether the row of `attachment_original` with the same id has the file before its conversion.
    pub is_converted: bool,
    /// [`crate::keys::DataKey::content_hash`] of its bytes; none until it is needed.
    pub content_hash: Option<Vec<u8>>,
    pub scan_state: ScanState,
    /// Name of the malware scanner's finding.
    pub scan_finding: Option<String>,
}

/// Result of the malware scan.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum ScanState {
    /// Received without a scanner.
    #[default]
    NotScanned = 0,
    /// Cannot be opened before the scan.
    Waiting = 1,
    Clean = 2,
    /// Cannot be opened.
    Infected = 3,
    /// Released from quarantine by an operator.
    Released = 4,
}

impl ScanState {
    /// Whether the file cannot be opened.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Waiting | Self::Infected)
    }
}

/// A running or failed conversion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Transform {
    /// Conversions, in this order.
    pub to: Vec<Conversion>,
    /// Reason of the failure in words for the user. None while it runs.
    pub failure: Option<String>,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "i16", db_type = "SmallInteger")]
pub enum PreviewState {
    NotRequested = 0,
    Processing = 1,
    Available = 2,
    Failed = 3,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
