//! What was learned from a processed message, so that it counts once and can be taken back.

use sea_orm::entity::prelude::*;

/// What was learned from a processed message, so that it counts once and can be taken back.
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
