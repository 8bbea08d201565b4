//! A feature toggle: a part of the product that operators switch on or off.

use sea_orm::entity::prelude::*;

/// A feature toggle: a part of the product that operators switch on or off.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "feature")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    #[sea_orm(unique)]
    pub name_key: String,
    /// Off is off for everybody.
    pub is_enabled: bool,
    /// While on: only for the organizations in [`super::organization_feature`], otherwise for all.
    pub is_organization_feature: bool,
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub modified_by: String,
    pub modified_at: DateTimeUtc,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
