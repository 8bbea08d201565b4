//! A look under which organizations work.

use sea_orm::entity::prelude::*;

/// A look under which organizations work.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "brand")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub display_name: String,
    #[sea_orm(column_type = "JsonBinary")]
    pub colors: Json,
    #[sea_orm(column_type = "JsonBinary")]
    pub settings: Json,
    pub has_own_terms: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
