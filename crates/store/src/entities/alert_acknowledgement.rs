//! Operators who see to an alert.

use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody who sees to an alert, until it gets worse or a day has passed.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "alert_acknowledgement")]
pub struct Model {
    /// What the alert is about, such as `queue.Delivering`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub alert: String,
    /// How bad it was.
    pub status: AlertStatus,
    pub user_name: String,
    pub at: DateTimeUtc,
    pub note: String,
}

/// How bad it is, the worst first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    ToSchema,
    EnumIter,
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum AlertStatus {
    /// Messages do not get through, or are about not to.
    Triggered,
    /// To be watched.
    Warn,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
