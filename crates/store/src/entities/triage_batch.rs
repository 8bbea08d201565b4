//! Files uploaded together, to be split into documents.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Files uploaded together, to be split into documents.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "triage_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub state: BatchState,
    /// Assignment of pages to documents.
    pub sealed_plan: Vec<u8>,
    pub created_by: Uuid,
    pub created_by_name: String,
    pub created_at: DateTimeUtc,
    pub modified_by_name: String,
    pub modified_at: DateTimeUtc,
    pub filed_at: Option<DateTimeUtc>,
    pub version: i32,
}

/// State of a batch.
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
pub enum BatchState {
    /// Its pages can be moved.
    Open,
    /// Its documents are being filed.
    Filing,
    /// All of its documents are in the Intake.
    Filed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
