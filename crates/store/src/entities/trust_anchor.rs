//! A certificate that ends trusted chains, for one organization or (without one) for all.

use sea_orm::entity::prelude::*;

/// A certificate that ends trusted chains, for one organization or (without one) for all.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "trust_anchor")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Option<Uuid>,
    pub bundle_id: Option<Uuid>,
    pub fingerprint: String,
    #[sea_orm(column_type = "Text")]
    pub certificate_pem: String,
    pub incoming: bool,
    pub outgoing: bool,
    /// Whether certificates below it are unusable while their revocation list is unavailable.
    pub requires_revocation: bool,
    pub created_at: DateTimeUtc,
    /// Increases with each change of its settings.
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
