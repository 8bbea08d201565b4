//! A one-use ticket for the first frame of a WebSocket, stored as its SHA-256.

use sea_orm::entity::prelude::*;

/// A one-use ticket for the first frame of a WebSocket, stored as its SHA-256.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "hub_ticket")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hash: Vec<u8>,
    pub session_id: Uuid,
    pub expires_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
