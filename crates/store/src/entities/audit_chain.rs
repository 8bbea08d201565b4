//! The head of one hash chain of audit entries; its row lock serializes writers.

use sea_orm::entity::prelude::*;

/// The head of one hash chain of audit entries; its row lock serializes writers.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_chain")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub last_seq: i64,
    pub last_hash: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
