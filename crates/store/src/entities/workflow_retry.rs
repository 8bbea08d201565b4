//! A bulk retry of steps, a few at a time.

use super::string_list::StringList;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A bulk retry of steps, a few at a time.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "workflow_retry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    /// The kind of the workflows.
    pub kind: String,
    /// The name of the steps.
    pub step: String,
    /// Common cause of the failures, if the steps were selected by it.
    #[sea_orm(column_type = "Text", nullable)]
    pub cause: Option<String>,
    /// The ids of the steps, in the order in which they are retried.
    #[sea_orm(column_type = "JsonBinary")]
    pub steps: StringList,
    pub total: i32,
    /// Number of processed steps.
    pub done: i32,
    /// Number of retried steps.
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

/// State of a retry.
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
    /// Stopped by an operator, or failed; the remaining steps are unchanged.
    Stopped,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
