//! One entry of a small reference list (organization types, specialties, classifications, HISP providers ...).

use sea_orm::entity::prelude::*;

/// One entry of a small reference list (organization types, specialties, classifications, HISP providers ...).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "reference_item")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: String,
    pub code: String,
    pub name: String,
    /// Key for searching and sorting, unique per kind.
    pub name_key: String,
    pub position: i32,
    /// No longer offered; existing uses are kept.
    pub is_retired: bool,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
