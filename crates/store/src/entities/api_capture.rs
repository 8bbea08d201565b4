//! A captured call of the API. What was sent and answered is sealed with the key of the organization.

use sea_orm::entity::prelude::*;

/// A captured call of the API. What was sent and answered is sealed with the key of the organization.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "api_capture")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub network_id: Option<Uuid>,
    /// Of a person, or of a service account.
    pub user_id: Uuid,
    pub user_name: String,
    pub is_service: bool,
    /// SHA-256 of the token, in hexadecimal digits.
    pub token_hash: String,
    pub at: DateTimeUtc,
    pub method: String,
    /// Without the query, and with the pattern where a secret stands in it.
    pub path: String,
    pub status: i32,
    pub milliseconds: i32,
    pub sealed_exchange: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
