//! Two words in the name of an organization, or of the clinic of a person, in the directory.

use sea_orm::entity::prelude::*;

/// Two words in the name of an organization, or of the clinic of a person, in the directory.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "directory_pair")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: i16,
    /// In alphabetical order, with a space between them.
    #[sea_orm(primary_key, auto_increment = false)]
    pub pair: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub entry_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
