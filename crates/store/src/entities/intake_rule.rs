//! An organization's rule for sorting its Intake.

use sea_orm::entity::prelude::*;

/// An organization's rule for sorting its Intake.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "intake_rule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub name: String,
    pub name_key: String,
    /// Rules are applied in this order, starting with 0.
    pub position: i32,
    pub is_enabled: bool,
    /// Whether later rules are skipped once this one has matched.
    pub stops: bool,
    /// Conditions and actions, sealed because they may name patients.
    pub sealed_terms: Vec<u8>,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
