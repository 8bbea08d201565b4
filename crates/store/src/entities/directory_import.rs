//! The import of a file into the directory, and its progress.

use sea_orm::entity::prelude::*;

/// The import of a file into the directory, and its progress.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_import")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub source: String,
    pub file: String,
    /// Fingerprint of the file's size and beginning.
    pub fingerprint: Vec<u8>,
    /// Number of processed bytes.
    pub position: i64,
    pub rows: i64,
    /// Entries that were new or different.
    pub written: i64,
    /// Rows without an entry.
    pub refused: i64,
    pub started_at: DateTimeUtc,
    pub finished_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
