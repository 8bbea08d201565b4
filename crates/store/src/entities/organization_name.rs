//! The name of an organization from one of its words on, by which it is found.

use sea_orm::entity::prelude::*;

/// The name of an organization from one of its words on. A deleted organization has none.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_name")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
