//! The key that signs licences, sealed by the master key.

use sea_orm::entity::prelude::*;

/// The key that signs licences, sealed by the master key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "licence_key")]
pub struct Model {
    /// The key with the highest number signs.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i32,
    /// Ed25519, 32 bytes (RFC 8032).
    pub public_key: Vec<u8>,
    pub sealed_key: Vec<u8>,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
