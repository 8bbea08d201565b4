//! A rule by which an organization sorts what arrives in its Intake.

use sea_orm::entity::prelude::*;

/// A rule by which an organization sorts what arrives in its Intake.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "intake_rule")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub name: String,
    pub name_key: String,
    /// Rules are tried in this order, beginning with 0.
    pub position: i32,
    pub is_enabled: bool,
    /// No later rule is tried once this one has matched.
    pub stops: bool,
    /// Conditions and actions, sealed because they may name patients.
    pub sealed_terms: Vec<u8>,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
