//! Blind index: keyed hash of a word -> the messages that hold it, newest first.

use sea_orm::entity::prelude::*;

/// Blind index: keyed hash of a word -> the messages that hold it, newest first.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "search_posting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub direction: i16,
    #[sea_orm(primary_key, auto_increment = false)]
    pub word: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub received_at: DateTimeUtc,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
