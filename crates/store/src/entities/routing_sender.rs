//! An organization to which a routing rule applies, and the recipient's id for it.

use sea_orm::entity::prelude::*;

/// An organization to which a routing rule applies, and the recipient's id for it.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routing_sender")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub organization_id: Uuid,
    pub organization_oid: String,
    pub facility_type: String,
    pub facility_type_code_id: String,
    pub facility_type_code_scheme: String,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
