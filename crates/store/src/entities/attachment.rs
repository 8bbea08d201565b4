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
    /// The conversion that was asked for last; none once it has succeeded.
    #[sea_orm(column_type = "JsonBinary", nullable)]
    pub transform: Option<Transform>,
    /// The row of `attachment_original` with the same id is what the file was before.
    pub is_converted: bool,
    /// What [`crate::keys::DataKey::content_hash`] makes of its bytes; none while nobody has asked.
    pub content_hash: Option<Vec<u8>>,
    pub scan_state: ScanState,
    /// What the malware scanner calls what it found.
    pub scan_finding: Option<String>,
}

/// What the malware scanner says of a file.
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
    /// There was no scanner when it came.
    #[default]
    NotScanned = 0,
    /// Nobody can open it before it is scanned.
    Waiting = 1,
    Clean = 2,
    /// Nobody can open it.
    Infected = 3,
    /// An operator let it out of quarantine.
    Released = 4,
}

impl ScanState {
    /// Whether nobody can open the file.
    pub fn is_held(self) -> bool {
        matches!(self, Self::Waiting | Self::Infected)
    }
}

/// A conversion that runs or that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Transform {
    /// What is made of the file, one after the other.
    pub to: Vec<Conversion>,
    /// Why it failed, in words for the user. None: it runs.
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
