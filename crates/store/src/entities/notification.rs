//! A kind of news that a person wishes to be told by e-mail.

use sea_orm::entity::prelude::*;

/// A kind of news that a person wishes to be told by e-mail.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "notification")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    /// What happened until then was told.
    pub told_until: DateTimeUtc,
    /// When it is looked at next whether there is something to tell.
    pub due_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
