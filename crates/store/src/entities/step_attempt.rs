//! Attempts of steps.

use super::workflow_step::Lane;
use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

/// One attempt of a step. A run that ends in waiting is not an attempt.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "step_attempt")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workflow_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub step_id: Uuid,
    pub organization_id: Uuid,
    /// The name of the step.
    pub name: String,
    pub lane: Lane,
    /// From 1; it starts over with a manual retry.
    pub number: i32,
    /// The node that ran it.
    pub node: String,
    pub started_at: DateTimeUtc,
    pub ended_at: DateTimeUtc,
    pub outcome: AttemptOutcome,
    /// Reason of the failure.
    #[sea_orm(column_type = "Text", nullable)]
    pub cause: Option<String>,
}

/// Outcome of an attempt.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, EnumIter, DeriveActiveEnum, DeriveDisplay,
)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "PascalCase")]
pub enum AttemptOutcome {
    Completed,
    /// There was nothing to do.
    Skipped,
    /// It failed, and the step is tried again.
    Retrying,
    /// It failed, and the step failed permanently.
    Failed,
    /// The node stopped, or could not renew its lease in time.
    Lost,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
