//! An e-mail notification that a user has turned on.

use sea_orm::entity::prelude::*;

/// An e-mail notification that a user has turned on.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "notification")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: NotificationKind,
    /// Events before this time have been notified.
    pub told_until: DateTimeUtc,
    /// When to check next.
    pub due_at: DateTimeUtc,
}

/// Kind of notification by e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum NotificationKind {
    /// Messages have arrived.
    NewMessages,
    /// Messages wait to be filed.
    UnprocessedMessages,
    /// Unassigned messages wait.
    UnassignedMessages,
    /// Messages could not be delivered.
    FailedMessages,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
