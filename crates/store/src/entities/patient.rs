//! A person whose documents an organization has.

use sea_orm::entity::prelude::*;

/// A person whose documents an organization has. All data of a patient comes from sources
/// ([`super::patient_source`]).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The remaining patient after a merge.
    pub merged_into: Option<Uuid>,
    /// Displayed values from its confirmed sources, computed with each of their changes. None without any.
    pub sealed_face: Option<Vec<u8>>,
    /// Time of the newest confirmed source.
    pub seen_at: DateTimeUtc,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
