//! Draws the consequences of a changed step: the next stage opens, the workflow ends or goes on.

use crate::{StepStatus, WorkflowStatus};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait,
    IntoActiveModel, QueryFilter, QuerySelect, entity::prelude::Uuid, sea_query::Expr,
};
use store::entities::{workflow, workflow_step};

/// Brings a workflow in line with its steps. The row of the workflow is locked, so that two steps which end at the
/// same time see each other and one of them opens the next stage. Returns how many steps that made due.
pub async fn settle(
    txn: &DatabaseTransaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
) -> Result<usize, DbErr> {
    let workflow = workflow::Entity::find_by_id(workflow_id)
        .lock_exclusive()
        .one(txn)
        .await?
        .ok_or_else(|| DbErr::RecordNotFound("workflow".into()))?;
    let unfinished = unfinished_steps(txn, workflow_id).await?;
    let stage = unfinished.iter().map(|step| step.stage).min();
    let is_opened = |step: &&Unfinished| Some(step.stage) == stage && step.is(StepStatus::Blocked);
    if let Some(opened) = unfinished.iter().find(is_opened) {
        open_stage(txn, workflow_id, opened.stage).await?;
    }
    let due = unfinished.iter().filter(is_opened).filter(|step| step.run_at <= now).count();
    let status = status_of(&unfinished, &workflow);
    if workflow.status == status.as_str() {
        return Ok(due);
    }
    let ended = matches!(status, WorkflowStatus::Completed | WorkflowStatus::Failed);
    let mut change = workflow.into_active_model();
    change.status = Set(status.as_str().into());
    change.ended_at = Set(ended.then_some(now));
    change.error =
        Set(unfinished.into_iter().find(|step| step.is(StepStatus::Failed)).and_then(|step| step.error));
    change.update(txn).await?;
    Ok(due)
}

#[derive(sea_orm::FromQueryResult)]
struct Unfinished {
    stage: i32,
    status: String,
    run_at: DateTime<Utc>,
    error: Option<String>,
}

impl Unfinished {
    fn is(&self, status: StepStatus) -> bool {
        self.status == status.as_str()
    }
}

async fn unfinished_steps(txn: &DatabaseTransaction, workflow_id: Uuid) -> Result<Vec<Unfinished>, DbErr> {
    use workflow_step::Column;
    let through = [StepStatus::Completed, StepStatus::Skipped].map(StepStatus::as_str);
    workflow_step::Entity::find()
        .select_only()
        .columns([Column::Stage, Column::Status, Column::RunAt, Column::Error])
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Status.is_not_in(through))
        .into_model()
        .all(txn)
        .await
}

async fn open_stage(txn: &DatabaseTransaction, workflow_id: Uuid, stage: i32) -> Result<(), DbErr> {
    use workflow_step::Column;
    workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Pending.as_str()))
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Stage.lte(stage))
        .filter(Column::Status.eq(StepStatus::Blocked.as_str()))
        .exec(txn)
        .await?;
    Ok(())
}

fn status_of(unfinished: &[Unfinished], workflow: &workflow::Model) -> WorkflowStatus {
    if unfinished.is_empty() {
        WorkflowStatus::Completed
    } else if unfinished.iter().any(|step| step.is(StepStatus::Failed)) {
        WorkflowStatus::Failed
    } else if workflow.started_at.is_none() {
        WorkflowStatus::Pending
    } else {
        WorkflowStatus::Running
    }
}
