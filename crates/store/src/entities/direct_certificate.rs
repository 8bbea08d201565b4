//! A domain-bound certificate of an organization with its private key, sealed by the organization's data key.

use sea_orm::entity::prelude::*;

/// A domain-bound certificate of an organization with its private key, sealed by the organization's data key.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "direct_certificate")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub authority_id: Uuid,
    pub domain: String,
    pub serial: String,
    #[sea_orm(column_type = "Text")]
    pub certificate_pem: String,
    pub sealed_key: Vec<u8>,
    pub not_before: DateTimeUtc,
    pub not_after: DateTimeUtc,
    pub revoked_at: Option<DateTimeUtc>,
    pub retired_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
