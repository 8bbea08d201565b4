//! Blind index: keyed hash of the first letters of a word -> keyed hash of the word.

use sea_orm::entity::prelude::*;

/// Blind index: keyed hash of the first letters of a word -> keyed hash of the word.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "search_prefix")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub prefix: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub word: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
