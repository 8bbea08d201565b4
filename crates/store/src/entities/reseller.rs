//! A partner that sells the product; a licensing reseller sets the plans its customers may choose.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A partner that sells the product; a licensing reseller sets the plans its customers may choose.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "reseller")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    /// Unique search key.
    pub name_key: String,
    pub kind: ResellerKind,
    /// Its customers accept its own terms in place of the standard ones.
    pub bypass_tos: bool,
    pub version: i32,
}

/// Kind of reseller.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ResellerKind {
    /// Sells its own plans, from which its customers choose.
    Licensing,
    /// Brings customers, who choose from the installation's plans.
    Affiliate,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
