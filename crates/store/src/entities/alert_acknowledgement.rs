//! Acknowledgements of alerts by operators.

use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// An operator's acknowledgement of an alert, valid for a day or until the alert gets worse.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "alert_acknowledgement")]
pub struct Model {
    /// The alert, such as `queue.Delivering`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub alert: String,
    /// Severity at that time.
    pub status: AlertStatus,
    pub user_name: String,
    pub at: DateTimeUtc,
    pub note: String,
}

/// Severity, the worst first.
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
    /// Messages are blocked, or soon will be.
    Triggered,
    /// Needs attention.
    Warn,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
