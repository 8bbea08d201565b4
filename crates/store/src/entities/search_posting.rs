//! Blind index: number of a word -> the messages that contain it, by time of receipt.

use sea_orm::entity::prelude::*;

/// Blind index: number of a word -> the messages that contain it, by time of receipt.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "search_posting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub word: i64,
    /// The message's `received_at` in microseconds since 1970.
    #[sea_orm(primary_key, auto_increment = false)]
    pub at: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
