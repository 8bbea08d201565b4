//! One audited action. Rows are only added.

use sea_orm::entity::prelude::*;

/// One audited action. Rows are only added.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub chain_id: Uuid,
    pub seq: i64,
    pub at: DateTimeUtc,
    pub organization_id: Option<Uuid>,
    pub actor_id: Option<Uuid>,
    pub actor_name: String,
    pub event_type: String,
    pub object_type: String,
    pub object_id: String,
    pub outcome: String,
    pub source_ip: String,
    #[sea_orm(column_type = "Text")]
    pub detail: String,
    pub prev_hash: Vec<u8>,
    pub hash: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
