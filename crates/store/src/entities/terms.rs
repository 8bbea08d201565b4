//! A version of the terms.

use sea_orm::entity::prelude::*;

/// A version of the terms.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "terms")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// `standard`, `reseller`, `brand:{id}` or `reseller:{id}`
    pub scope: String,
    pub version: String,
    /// Sanitized.
    pub html: String,
    pub is_active: bool,
    pub created_at: DateTimeUtc,
    /// When an operator activated it. Everybody must accept such a version before anything else; none for the version
    /// of the product, which an administrator accepts for the organization.
    pub activated_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
