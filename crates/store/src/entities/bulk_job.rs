//! One act on all messages that match, done while nobody waits for it.

use sea_orm::{FromJsonQueryResult, entity::prelude::*};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One act on all messages that match, done while nobody waits for it.
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
    /// Which messages are meant. It may name a patient.
    pub sealed_query: Vec<u8>,
    /// From where it was asked for, for the trail.
    pub source_ip: String,
    /// Messages found so far.
    pub total: i32,
    /// All of them are found.
    pub is_counted: bool,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
}

/// What is done, as the area of messages reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
#[serde(transparent)]
pub struct JobAct(pub serde_json::Value);

/// How far a job is.
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
    /// Somebody stopped it, or whoever began it may not go on.
    Stopped,
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
