//! A report that is made in the background and kept for some days.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A report that is made in the background and kept for some days.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "generated_report")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: ReportKind,
    /// Of a report about a span of time, both.
    pub since: Option<DateTimeUtc>,
    pub until: Option<DateTimeUtc>,
    pub state: ReportState,
    /// The name of the operator who asked for it.
    pub requested_by: String,
    /// How many pieces there are, once it is ready.
    pub pieces: i32,
    pub size_bytes: i64,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
}

/// What it is about.
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

/// How far it is.
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
