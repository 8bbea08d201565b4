//! Start times of alerts.

use sea_orm::entity::prelude::*;

/// When an alert was first noticed, and last.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "alert_onset")]
pub struct Model {
    /// Like `alert_acknowledgement.alert`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub alert: String,
    pub since: DateTimeUtc,
    pub seen_at: DateTimeUtc,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
