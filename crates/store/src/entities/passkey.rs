//! A passkey (WebAuthn credential) of a person.

use sea_orm::entity::prelude::*;

/// A passkey (WebAuthn credential) of a person.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "passkey")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub name: String,
    #[sea_orm(unique)]
    pub credential_id: Vec<u8>,
    /// Public key and counters, as JSON.
    #[sea_orm(column_type = "Text")]
    pub credential: String,
    pub created_at: DateTimeUtc,
    pub last_used_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
