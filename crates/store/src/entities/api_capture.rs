//! A captured API call. Request and answer are sealed with the key of the organization.

use sea_orm::entity::prelude::*;

/// A captured API call. Request and answer are sealed with the key of the organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "api_capture")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub network_id: Option<Uuid>,
    /// Id of a person or a service account.
    pub user_id: Uuid,
    pub user_name: String,
    pub is_service: bool,
    /// SHA-256 of the token, in hexadecimal digits.
    pub token_hash: String,
    pub at: DateTimeUtc,
    pub method: String,
    /// Path without the query, with the pattern in place of a secret.
    pub path: String,
    pub status: i32,
    pub milliseconds: i32,
    pub sealed_exchange: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
