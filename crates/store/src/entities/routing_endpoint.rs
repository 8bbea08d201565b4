//! An endpoint of a routing rule; endpoints are tried in the order of their positions.

use sea_orm::entity::prelude::*;

/// An endpoint of a routing rule; endpoints are tried in the order of their positions.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routing_endpoint")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub position: i32,
    /// An address or host name; for HTTP optionally with a path.
    pub ip_address: String,
    /// None for the usual port of the transport.
    pub port: Option<i32>,
    /// Its facility, if different from the rule's.
    pub oid: String,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
