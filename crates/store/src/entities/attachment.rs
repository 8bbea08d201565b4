//! A file of a message. Its bytes, name and description are sealed.

use sea_orm::entity::prelude::*;

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
    pub preview_state: i16,
    pub preview_error: Option<String>,
    pub page_count: Option<i32>,
    pub created_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
