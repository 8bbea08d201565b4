//! A person who has a message open, kept alive by the node of the browser's connection.

use sea_orm::entity::prelude::*;

/// A person who has a message open, kept alive by the node of the browser's connection.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "presence")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub connection_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub message_id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    pub user_name: String,
    pub expires_at: DateTimeUtc,
    /// Of several people who have a message open, the one with the earliest time is working on it. A node of an older
    /// version sets none.
    pub held_since: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
