//! Counts of past days.

use sea_orm::entity::prelude::*;

/// Number of events on a past day (UTC), so that its rows need not be counted again.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "day_count")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: Date,
    /// A kind of workflow that was enqueued, or of event.
    #[sea_orm(primary_key, auto_increment = false)]
    pub what: String,
    /// The channel; empty if it is not distinguished.
    #[sea_orm(primary_key, auto_increment = false)]
    pub channel: String,
    pub total: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
