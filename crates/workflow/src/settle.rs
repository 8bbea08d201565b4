//! After a step has changed: opens the next stage, and updates the status of the workflow.

use crate::{StepStatus, WorkflowStatus};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter,
    QueryResult, QuerySelect, QueryTrait, Statement, entity::prelude::Uuid, sea_query::Expr,
};
use store::{
    Transaction,
    batching::{BatchedReads, BatchedWrites},
    entities::{workflow, workflow_step},
};

/// Updates a workflow after one of its steps has changed. The row of the workflow is locked, so that only one of two
/// steps that end at the same time opens the next stage. Returns the number of steps that became due.
pub async fn settle(txn: &Transaction, now: DateTime<Utc>, workflow_id: Uuid) -> Result<usize, DbErr> {
    let [_, rows] = txn.query_each(lock_and_read(txn, workflow_id)).await?;
    apply(txn, now, workflow_id, rows).await
}

/// Changes a step and then settles its workflow. `None` if the change affected no row.
pub async fn change_and_settle(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    change: Statement,
) -> Result<Option<usize>, DbErr> {
    let (changed, [_, rows]) = txn.change_and_query_both(change, lock_and_read(txn, workflow_id)).await?;
    if changed == 0 {
        return Ok(None);
    }
    apply(txn, now, workflow_id, rows).await.map(Some)
}

async fn apply(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    rows: Vec<QueryResult>,
) -> Result<usize, DbErr> {
    let rows: Vec<_> =
        rows.iter().map(|row| WorkflowAndStep::from_query_result(row, "")).collect::<Result<_, _>>()?;
    let workflow = rows.first().ok_or_else(|| DbErr::RecordNotFound("workflow".into()))?;
    let (before, is_started) = (workflow.workflow_status, workflow.started_at.is_some());
    let unfinished: Vec<_> = rows.into_iter().filter_map(Unfinished::of).collect();
    let stage = unfinished.iter().map(|step| step.stage).min();
    let is_opened = |step: &&Unfinished| Some(step.stage) == stage && step.is(StepStatus::Blocked);
    if let Some(opened) = unfinished.iter().find(is_opened) {
        open_stage(txn, workflow_id, opened.stage).await?;
    }
    let due = unfinished.iter().filter(is_opened).filter(|step| step.run_at <= now).count();
    let status = status_of(&unfinished, is_started);
    if before == status {
        return Ok(due);
    }
    let ended = matches!(status, WorkflowStatus::Completed | WorkflowStatus::Failed);
    let error = unfinished.into_iter().find(|step| step.is(StepStatus::Failed)).and_then(|step| step.error);
    let change = workflow::ActiveModel {
        id: Set(workflow_id),
        status: Set(status),
        ended_at: Set(ended.then_some(now)),
        error: Set(error),
        ..Default::default()
    };
    txn.later(workflow::Entity::update(change).validate()?).await?;
    Ok(due)
}

/// A workflow, joined with one of its unfinished steps.
#[derive(FromQueryResult)]
struct WorkflowAndStep {
    workflow_status: WorkflowStatus,
    started_at: Option<DateTime<Utc>>,
    stage: Option<i32>,
    status: Option<StepStatus>,
    run_at: Option<DateTime<Utc>>,
    error: Option<String>,
}

const UNFINISHED_STEPS: &str = "SELECT workflow.status AS workflow_status, workflow.started_at, \
    step.stage, step.status, step.run_at, step.error \
    FROM workflow LEFT JOIN workflow_step AS step \
    ON step.workflow_id = workflow.id AND step.status NOT IN ('Completed', 'Skipped') \
    WHERE workflow.id = $1";

struct Unfinished {
    stage: i32,
    status: StepStatus,
    run_at: DateTime<Utc>,
    error: Option<String>,
}

impl Unfinished {
    /// None if every step has ended.
    fn of(row: WorkflowAndStep) -> Option<Self> {
        let WorkflowAndStep { stage, status, run_at, error, .. } = row;
        Some(Self { stage: stage?, status: status?, run_at: run_at?, error })
    }

    fn is(&self, status: StepStatus) -> bool {
        self.status == status
    }
}

/// Locks the workflow, then reads it with its unfinished steps.
fn lock_and_read(txn: &Transaction, workflow_id: Uuid) -> [Statement; 2] {
    let backend = txn.get_database_backend();
    let lock = workflow::Entity::find_by_id(workflow_id).select_only().column(workflow::Column::Id);
    let read = Statement::from_sql_and_values(backend, UNFINISHED_STEPS, [workflow_id.into()]);
    [lock.lock_exclusive().build(backend), read]
}

async fn open_stage(txn: &Transaction, workflow_id: Uuid, stage: i32) -> Result<(), DbErr> {
    use workflow_step::Column;
    let opened = workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Pending))
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Stage.lte(stage))
        .filter(Column::Status.eq(StepStatus::Blocked));
    txn.later(opened).await
}

fn status_of(unfinished: &[Unfinished], is_started: bool) -> WorkflowStatus {
    if unfinished.is_empty() {
        WorkflowStatus::Completed
    } else if unfinished.iter().any(|step| step.is(StepStatus::Failed)) {
        WorkflowStatus::Failed
    } else if !is_started {
        WorkflowStatus::Pending
    } else {
        WorkflowStatus::Running
    }
}
