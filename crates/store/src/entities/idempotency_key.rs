//! The message created by a send request with this key, so that a repetition creates no second one.

use sea_orm::entity::prelude::*;

/// The message created by a send request with this key, so that a repetition creates no second one.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_hash: Vec<u8>,
    pub message_id: Uuid,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
