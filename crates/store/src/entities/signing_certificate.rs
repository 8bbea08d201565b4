//! A certificate with which an organization signs documents, with its private key sealed by the organization's data key.

use sea_orm::entity::prelude::*;

/// A certificate with which an organization signs documents. Former ones are kept, for those who verify signatures.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_certificate")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub authority_id: Uuid,
    /// Name of the organization in the certificate.
    pub organization_name: String,
    pub serial: String,
    /// The certificate, followed by the intermediates of its authority.
    #[sea_orm(column_type = "Text")]
    pub certificate_pem: String,
    pub sealed_key: Vec<u8>,
    pub not_before: DateTimeUtc,
    pub not_after: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
