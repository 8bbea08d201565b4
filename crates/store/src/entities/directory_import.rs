//! The import of a file into the directory, and how far it came.

use sea_orm::entity::prelude::*;

/// The import of a file into the directory, and how far it came.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_import")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub source: String,
    pub file: String,
    /// Of the file's size and beginning.
    pub fingerprint: Vec<u8>,
    /// Bytes of the file that are done.
    pub position: i64,
    pub rows: i64,
    /// Entries that were new or different.
    pub written: i64,
    /// Rows that hold no entry.
    pub refused: i64,
    pub started_at: DateTimeUtc,
    pub finished_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
