//! One action on all matching messages, done in the background.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One action on all matching messages, done in the background.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_job")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub user_id: Uuid,
    pub state: JobState,
    #[sea_orm(column_type = "JsonBinary")]
    pub act: JobAct,
    /// The query for the messages. It may name a patient.
    pub sealed_query: Vec<u8>,
    /// Source address of the request, for the trail.
    pub source_ip: String,
    /// Messages found so far.
    pub total: i32,
    /// Whether all of them have been found.
    pub is_counted: bool,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
}

/// The action, as interpreted by crate `messaging`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct JobAct(pub serde_json::Value);

/// State of a job.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    ToSchema,
    EnumIter,
    DeriveDisplay,
    DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum JobState {
    Running,
    Done,
    /// Stopped by a person, or its creator lost the permission.
    Stopped,
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
