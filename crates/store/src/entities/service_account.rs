//! Account of a network's or organization's system for the API. Only the hash of its token is stored.

use sea_orm::entity::prelude::*;

/// Account of a network's or organization's system for the API. Only the hash of its token is stored.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "service_account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// A network has one at most.
    #[sea_orm(unique)]
    pub network_id: Option<Uuid>,
    /// An organization has as many as its limit allows. Each account has either a network or an organization.
    pub organization_id: Option<Uuid>,
    /// Name in the organization; empty for a network.
    pub name: String,
    /// Limit on allowed addresses.
    pub allowed_address_count: i32,
    pub client_id: String,
    #[sea_orm(unique)]
    pub token_hash: Vec<u8>,
    pub is_enabled: bool,
    #[sea_orm(column_type = "JsonBinary")]
    pub allowed_addresses: Json,
    /// Number of changes.
    pub version: i32,
    pub created_at: DateTimeUtc,
    pub token_issued_at: DateTimeUtc,
    pub last_used_at: Option<DateTimeUtc>,
    pub last_used_from: Option<String>,
    pub last_refused_at: Option<DateTimeUtc>,
    pub last_refused_from: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
