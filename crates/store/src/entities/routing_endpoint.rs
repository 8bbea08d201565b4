//! Where the messages of a routing rule go, tried in the order of the positions.

use sea_orm::entity::prelude::*;

/// Where the messages of a routing rule go, tried in the order of the positions.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "routing_endpoint")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub routing_rule_id: Uuid,
    pub position: i32,
    /// An address or host name; for what goes over HTTP perhaps with a path.
    pub ip_address: String,
    /// None for the usual port of the transport.
    pub port: Option<i32>,
    /// The facility behind it, if it is another one than that of the rule.
    pub oid: String,
    pub version: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
