//! An organization known to the public-health service.

use sea_orm::entity::prelude::*;

/// An organization known to the public-health service.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "emergency_organization")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// Without `urn:oid:`.
    #[sea_orm(unique)]
    pub oid: String,
    pub name: String,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
