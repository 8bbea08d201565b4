//! Thumbnails of some pages of a file in one blob, and the kinds of these pages.

use sea_orm::entity::prelude::*;

/// Thumbnails of some pages of a file in one blob, and the kinds of these pages.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "triage_sheet")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub blob_id: Uuid,
    pub batch_id: Uuid,
    pub file_id: Uuid,
    /// Counted from 0.
    pub number: i32,
    pub sealed_looks: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
