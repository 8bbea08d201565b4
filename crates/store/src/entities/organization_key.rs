//! The data key of an organization, wrapped by the installation's master key.

use sea_orm::entity::prelude::*;

/// The data key of an organization, wrapped by the installation's master key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub wrapped: Vec<u8>,
    pub master_key_id: String,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
