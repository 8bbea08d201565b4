//! Blind index: a word of an organization's messages of one direction, and its number in the index.

use super::message::Direction;
use sea_orm::entity::prelude::*;

/// Blind index: a word of an organization's messages of one direction, and its number in the index.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "search_word")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub organization_id: Uuid,
    pub direction: Direction,
    /// Keyed hash.
    pub word: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
