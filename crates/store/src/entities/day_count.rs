//! What was counted of days that are over.

use sea_orm::entity::prelude::*;

/// How often something happened on a day of UTC that is over, so that its rows need not be counted again.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "day_count")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    /// A kind of workflow that was enqueued, or of event.
    #[sea_orm(primary_key, auto_increment = false)]
    pub what: String,
    /// Through which channel; empty where that is not told apart.
    #[sea_orm(primary_key, auto_increment = false)]
    pub channel: String,
    pub total: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
