//! A SAML assertion for one use that has let a request in, and lets in no other.

use sea_orm::entity::prelude::*;

/// A SAML assertion for one use that has let a request in, and lets in no other.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "used_assertion")]
pub struct Model {
    /// A hash of who signed it and of its id.
    #[sea_orm(primary_key, auto_increment = false)]
    pub assertion_key: String,
    /// From then on it holds no more.
    pub ends_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
