//! The patient read from a file, or being read.

use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// The patient read from a file, or being read.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_extraction")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub attachment_id: Uuid,
    /// The content that was read: a converted file is read again.
    pub blob_id: Uuid,
    pub state: ExtractionState,
    /// None while the state is Processing, and when the file could not be read.
    pub sealed_patient: Option<Vec<u8>>,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, DeriveDisplay, Serialize, ToSchema,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ExtractionState {
    Processing,
    Completed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
