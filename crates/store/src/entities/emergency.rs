//! A public health emergency, during which some organizations have extended rights to query.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;

/// A public health emergency, during which some organizations have extended rights to query.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "emergency")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    #[sea_orm(column_type = "Text")]
    pub name: String,
    /// The first day after its end.
    pub disabled_on: Option<Date>,
    /// The OIDs of its organizations.
    #[sea_orm(column_type = "JsonBinary")]
    pub organizations: StringList,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
