//! A file of an export, or the reason why a message has none.

use sea_orm::entity::prelude::*;

/// A file of an export, or the reason why a message has none.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "export_file")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub task_id: Uuid,
    /// From 0, with gaps.
    #[sea_orm(primary_key, auto_increment = false)]
    pub position: i32,
    pub message_id: Uuid,
    /// The content, possibly shared with a file of a message; none if the export failed.
    pub blob_id: Option<Uuid>,
    /// The path of the file, or the reasons line by line.
    pub sealed_text: Vec<u8>,
    pub mime_type: String,
    pub size_bytes: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
