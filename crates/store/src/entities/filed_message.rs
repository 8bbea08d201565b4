//! Evidence learned from a filed message, so that it counts once and can be undone.

use sea_orm::entity::prelude::*;

/// Evidence learned from a filed message, so that it counts once and can be undone.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "filed_message")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub sealed_lesson: Vec<u8>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
