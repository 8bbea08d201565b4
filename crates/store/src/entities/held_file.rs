//! A file waiting for the malware scanner, or in quarantine. Decisions of operators are kept.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A file that cannot be opened, or could not until an operator decided.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "held_file")]
pub struct Model {
    /// Id of the attachment, or of the file of a batch.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub origin: HeldOrigin,
    /// The message or the batch.
    pub parent_id: Uuid,
    pub blob_id: Uuid,
    pub kind: String,
    pub size_bytes: i64,
    pub state: HeldState,
    /// Name of the scanner's finding.
    pub finding: Option<String>,
    pub since: DateTimeUtc,
    pub decided_at: Option<DateTimeUtc>,
    pub decided_by: Option<String>,
    /// Reason for the release.
    pub reason: Option<String>,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum HeldOrigin {
    /// A file of a message.
    Message,
    /// A file of an uploaded batch.
    Triage,
}

#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum HeldState {
    /// It has not been scanned yet.
    Waiting,
    Quarantined,
    Released,
    Deleted,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
