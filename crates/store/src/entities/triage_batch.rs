//! Files that were uploaded together, to be taken apart into documents.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Files that were uploaded together, to be taken apart into documents.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "triage_batch")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub state: BatchState,
    /// Which pages make which document.
    pub sealed_plan: Vec<u8>,
    pub created_by: Uuid,
    pub created_by_name: String,
    pub created_at: DateTimeUtc,
    pub modified_by_name: String,
    pub modified_at: DateTimeUtc,
    pub filed_at: Option<DateTimeUtc>,
    pub version: i32,
}

/// How far a batch is.
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
    /// Messages are being made of it.
    Filing,
    /// All of its documents are in the Intake.
    Filed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
