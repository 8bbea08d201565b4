//! A document made from pages of a batch.

use sea_orm::entity::prelude::*;

/// A document made from pages of a batch.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "triage_part")]
pub struct Model {
    /// Id of its future message.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub batch_id: Uuid,
    pub organization_id: Uuid,
    pub position: i32,
    pub sealed_part: Vec<u8>,
    /// When its message was stored.
    pub filed_at: Option<DateTimeUtc>,
    /// Reason why there is no message.
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
