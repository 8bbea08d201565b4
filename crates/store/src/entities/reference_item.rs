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
    /// Under what it is found and sorted; no two of a kind are alike.
    pub name_key: String,
    pub position: i32,
    /// No longer offered; what has it keeps it.
    pub is_retired: bool,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
