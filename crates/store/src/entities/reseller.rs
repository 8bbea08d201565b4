//! A partner that sells the product; a licensing reseller sets the plans its customers may choose.

use sea_orm::entity::prelude::*;

/// A partner that sells the product; a licensing reseller sets the plans its customers may choose.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "reseller")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub kind: String,
    pub bypass_tos: bool,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
