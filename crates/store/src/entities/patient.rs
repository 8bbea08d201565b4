//! A person whose documents an organization has.

use sea_orm::entity::prelude::*;

/// A person whose documents an organization has. All that is known of a patient was said by sources
/// ([`super::patient_source`]).
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    /// The patient who this one turned out to be.
    pub merged_into: Option<Uuid>,
    /// What its confirmed sources say together, computed anew with each of their changes. None without any.
    pub sealed_face: Option<Vec<u8>>,
    /// When the newest confirmed source said something.
    pub seen_at: DateTimeUtc,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
