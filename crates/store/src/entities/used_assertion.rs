//! A used single-use SAML assertion.

use sea_orm::entity::prelude::*;

/// A used single-use SAML assertion.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "used_assertion")]
pub struct Model {
    /// Hash of its signer and id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub assertion_key: String,
    /// When it expires.
    pub ends_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
