//! Draws the consequences of a changed step: the next stage opens, the workflow ends or goes on.

use crate::{StepStatus, WorkflowStatus};
use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait, FromQueryResult,
    JoinType, QueryFilter, QuerySelect, RelationDef, entity::prelude::Uuid, sea_query::Expr,
};
use store::entities::{workflow, workflow_step};

/// Brings a workflow in line with its steps. Its row is locked, so that two steps which end at the same time see each
/// other and one of them opens the next stage. Returns how many steps that made due.
pub async fn settle(
    txn: &DatabaseTransaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
) -> Result<usize, DbErr> {
    use workflow::Column;
    lock(txn, workflow_id).await?;
    let unfinished = unfinished_steps(txn, workflow_id).await?;
    let stage = unfinished.iter().map(|step| step.stage).min();
    let is_opened = |step: &&Unfinished| Some(step.stage) == stage && step.is(StepStatus::Blocked);
    if let Some(opened) = unfinished.iter().find(is_opened) {
        open_stage(txn, workflow_id, opened.stage).await?;
    }
    let due = unfinished.iter().filter(is_opened).filter(|step| step.run_at <= now).count();
    let status = status_of(&unfinished);
    if unfinished.first().is_some_and(|step| step.workflow_status == status.as_str()) {
        return Ok(due);
    }
    let ended = matches!(status, WorkflowStatus::Completed | WorkflowStatus::Failed);
    let error = unfinished.into_iter().find(|step| step.is(StepStatus::Failed)).and_then(|step| step.error);
    workflow::Entity::update_many()
        .col_expr(Column::Status, Expr::value(status.as_str()))
        .col_expr(Column::EndedAt, Expr::value(ended.then_some(now)))
        .col_expr(Column::Error, Expr::value(error))
        .filter(Column::Id.eq(workflow_id))
        .exec(txn)
        .await?;
    Ok(due)
}

/// A transaction that writes to SQLite is alone, and needs no lock.
async fn lock(txn: &DatabaseTransaction, workflow_id: Uuid) -> Result<(), DbErr> {
    if txn.get_database_backend() == DbBackend::Postgres {
        let row = workflow::Entity::find_by_id(workflow_id).select_only().column(workflow::Column::Id);
        row.lock_exclusive().into_tuple::<Uuid>().one(txn).await?;
    }
    Ok(())
}

/// A step that is not through, beside its workflow.
#[derive(FromQueryResult)]
struct Unfinished {
    stage: i32,
    status: String,
    run_at: DateTime<Utc>,
    error: Option<String>,
    workflow_status: String,
    workflow_started_at: Option<DateTime<Utc>>,
}

impl Unfinished {
    fn is(&self, status: StepStatus) -> bool {
        self.status == status.as_str()
    }
}

async fn unfinished_steps(txn: &DatabaseTransaction, workflow_id: Uuid) -> Result<Vec<Unfinished>, DbErr> {
    use workflow_step::Column;
    let through = [StepStatus::Completed, StepStatus::Skipped].map(StepStatus::as_str);
    let of_workflow: RelationDef = workflow_step::Entity::belongs_to(workflow::Entity)
        .from(Column::WorkflowId)
        .to(workflow::Column::Id)
        .into();
    workflow_step::Entity::find()
        .select_only()
        .columns([Column::Stage, Column::Status, Column::RunAt, Column::Error])
        .column_as(workflow::Column::Status, "workflow_status")
        .column_as(workflow::Column::StartedAt, "workflow_started_at")
        .join(JoinType::InnerJoin, of_workflow)
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

fn status_of(unfinished: &[Unfinished]) -> WorkflowStatus {
    let Some(any) = unfinished.first() else { return WorkflowStatus::Completed };
    if unfinished.iter().any(|step| step.is(StepStatus::Failed)) {
        WorkflowStatus::Failed
    } else if any.workflow_started_at.is_none() {
        WorkflowStatus::Pending
    } else {
        WorkflowStatus::Running
    }
}
