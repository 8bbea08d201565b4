//! The account by which a system of a network or of an organization calls the API. Of its token only the hash is kept.

use sea_orm::entity::prelude::*;

/// The account by which a system of a network or of an organization calls the API. Of its token only the hash is kept.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "service_account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// A network has one.
    #[sea_orm(unique)]
    pub network_id: Option<Uuid>,
    /// An organization has as many as its limit allows. Each account has either a network or an organization.
    pub organization_id: Option<Uuid>,
    /// What the organization calls it; empty for a network.
    pub name: String,
    /// How many addresses may be entered.
    pub allowed_address_count: i32,
    pub client_id: String,
    #[sea_orm(unique)]
    pub token_hash: Vec<u8>,
    pub is_enabled: bool,
    #[sea_orm(column_type = "JsonBinary")]
    pub allowed_addresses: Json,
    /// Counts the changes.
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
