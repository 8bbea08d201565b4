//! A published set of anchors that is fetched again on a schedule.

use sea_orm::entity::prelude::*;

/// A published set of anchors that is fetched again on a schedule.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "trust_bundle")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Option<Uuid>,
    pub name: String,
    pub url: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub signer_pem: Option<String>,
    /// For its anchors, see `trust_anchor`.
    pub requires_revocation: bool,
    pub refreshed_at: Option<DateTimeUtc>,
    pub last_error: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
