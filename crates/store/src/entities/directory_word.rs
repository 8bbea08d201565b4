//! A word in the name of an organization, or of the clinic of a person, in the directory.

use sea_orm::entity::prelude::*;

/// A word in the name of an organization, or of the clinic of a person, in the directory.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_word")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: i16,
    #[sea_orm(primary_key, auto_increment = false)]
    pub word: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub last_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub entry_id: Uuid,
    pub state: String,
    /// Previous word in the alphabetical list of the entry's words, so that only the first of several words with the
    /// same prefix counts.
    pub word_before: String,
    /// The city of the entry.
    pub city_key: String,
    /// All words of the entry, so that a row shows whether other words match too.
    pub words: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
