//! A report made in the background and kept for some days.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A report made in the background and kept for some days.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "generated_report")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: ReportKind,
    /// Start and end, for a report about a time span.
    pub since: Option<DateTimeUtc>,
    pub until: Option<DateTimeUtc>,
    pub state: ReportState,
    /// Name of the requesting operator.
    pub requested_by: String,
    /// Number of pieces, once it is ready.
    pub pieces: i32,
    pub size_bytes: i64,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

/// Kind of report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ReportKind {
    DirectAddresses,
    Organizations,
    Users,
    Messages,
    Devices,
    ContactsStatistics,
}

/// State of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum ReportState {
    Processing,
    Ready,
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
