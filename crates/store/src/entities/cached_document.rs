//! A document extracted from another for viewing. It is removed after a day without use.

use sea_orm::entity::prelude::*;

/// A document extracted from another for viewing.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "cached_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// Message of the outermost document.
    pub message_id: Uuid,
    /// Bytes of the containing document.
    pub source_blob_id: Uuid,
    /// Its index in there, counted from 1.
    pub part: i32,
    /// Nesting depth.
    pub depth: i32,
    pub sealed_name: Vec<u8>,
    pub kind: String,
    pub size_bytes: i64,
    pub blob_id: Uuid,
    /// The pages to display, once they exist.
    pub pdf_blob_id: Option<Uuid>,
    pub used_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
