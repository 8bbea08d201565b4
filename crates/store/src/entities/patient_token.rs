//! Blind index: token of a value -> patient.

use sea_orm::entity::prelude::*;

/// Blind index: token of a value -> patient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "patient_token")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub token: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub patient_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
