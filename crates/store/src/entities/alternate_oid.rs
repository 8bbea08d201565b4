//! An additional object identifier of an organization for queries in the Carequality network.

use sea_orm::entity::prelude::*;

/// An additional object identifier of an organization for queries in the Carequality network.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "alternate_oid")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub value: String,
    /// The default; an organization has one at most.
    pub is_default: bool,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
