//! The whole number of a file, given by the database when the row is added.

use sea_orm::entity::prelude::*;

/// The whole number of a file.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "attachment_number")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    #[sea_orm(unique)]
    pub attachment_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
