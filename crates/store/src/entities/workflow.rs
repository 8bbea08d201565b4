//! A durable process on one object, made of steps.

use sea_orm::entity::prelude::*;

/// A durable process on one object, made of steps.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "workflow")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub kind: String,
    /// Channels of its steps, such as `Direct`, or `Direct+Fax`; empty if there are none.
    pub channel: String,
    pub object_id: Uuid,
    pub status: WorkflowStatus,
    #[sea_orm(column_type = "Text", nullable)]
    pub error: Option<String>,
    pub created_at: DateTimeUtc,
    pub started_at: Option<DateTimeUtc>,
    pub ended_at: Option<DateTimeUtc>,
}

/// State of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum, DeriveDisplay)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum WorkflowStatus {
    /// No step has started yet.
    Pending,
    Running,
    Completed,
    /// A step failed permanently. Others of its stage continue; later stages wait for a manual retry.
    Failed,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
