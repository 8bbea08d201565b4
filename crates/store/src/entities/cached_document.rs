//! A document that was taken out of another to be looked at. It is forgotten when nobody used it for a day.

use sea_orm::entity::prelude::*;

/// A document that was taken out of another to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "cached_document")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// With which the outermost document came.
    pub message_id: Uuid,
    /// The bytes of the document around it.
    pub source_blob_id: Uuid,
    /// Which of the documents in there, counted from 1.
    pub part: i32,
    /// How many documents are around it.
    pub depth: i32,
    pub sealed_name: Vec<u8>,
    pub kind: String,
    pub size_bytes: i64,
    pub blob_id: Uuid,
    /// What is shown, once it was made.
    pub pdf_blob_id: Option<Uuid>,
    pub used_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
