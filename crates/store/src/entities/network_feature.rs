//! A feature of a network. One with a parent is below another feature of the same network.

use sea_orm::entity::prelude::*;

/// A feature of a network. One with a parent is below another feature of the same network.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "network_feature")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub network_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    pub parent: Option<String>,
    pub is_enabled: bool,
    pub position: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
