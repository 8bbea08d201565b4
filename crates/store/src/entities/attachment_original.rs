//! A file before its conversion. The row is removed when the file is restored.

use super::attachment::PreviewState;
use sea_orm::entity::prelude::*;

/// A file before its conversion: the attachment's previous values in columns of the same names.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment_original")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub attachment_id: Uuid,
    pub sealed_name: Vec<u8>,
    pub kind: String,
    pub mime_type: String,
    pub size_bytes: i64,
    pub blob_id: Uuid,
    pub pdf_blob_id: Option<Uuid>,
    pub preview_state: PreviewState,
    pub preview_error: Option<String>,
    pub page_count: Option<i32>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
