//! A retry of many steps of workflows, a few at a time.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A retry of many steps of workflows, a few at a time.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "workflow_retry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The kind of the workflows.
    pub kind: String,
    /// The name of the steps.
    pub step: String,
    /// Why the steps had failed, where they were chosen by that.
    #[sea_orm(column_type = "Text", nullable)]
    pub cause: Option<String>,
    /// The ids of the steps, in the order in which they are retried.
    #[sea_orm(column_type = "JsonBinary")]
    pub steps: StringList,
    pub total: i32,
    /// How many of them were looked at.
    pub done: i32,
    /// How many of those could be retried.
    pub retried: i32,
    pub status: RetryStatus,
    /// The user name of the operator.
    pub created_by: String,
    pub actor_id: Option<Uuid>,
    pub actor_name: String,
    pub source_ip: String,
    pub created_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
}

/// How far a retry is.
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
    DeriveActiveEnum,
    DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum RetryStatus {
    Running,
    Completed,
    /// An operator stopped it, or it failed itself; the rest was left as it was.
    Stopped,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
