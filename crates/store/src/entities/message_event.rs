//! What happened to a message, for reports and activity lists.

use sea_orm::entity::prelude::*;

/// What happened to a message, for reports and activity lists.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "message_event")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub message_id: Uuid,
    pub event_type: String,
    pub at: DateTimeUtc,
    pub user_id: Option<Uuid>,
    pub user_name: String,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
