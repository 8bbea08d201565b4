//! What became of a message for one recipient.

use sea_orm::entity::prelude::*;

/// What became of a message for one recipient.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "delivery")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub transmission_id: Option<Uuid>,
    pub position: i32,
    pub address: String,
    pub address_key: String,
    pub name: String,
    pub kind: i16,
    pub role: i16,
    pub state: i16,
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    pub attempt: i32,
    pub wants_dispatched: bool,
    pub accepted_at: DateTimeUtc,
    pub sent_at: Option<DateTimeUtc>,
    pub processed_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub failed_at: Option<DateTimeUtc>,
    pub expected_by: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
