//! Draws the consequences of a changed step: the next stage opens, the workflow ends or goes on.

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

/// Brings a workflow in line with its steps. The row of the workflow is locked, so that two steps which end at the
/// same time see each other and one of them opens the next stage. Returns how many steps that made due.
pub async fn settle(txn: &Transaction, now: DateTime<Utc>, workflow_id: Uuid) -> Result<usize, DbErr> {
    let [_, rows] = txn.query_each(standing(txn, workflow_id)).await?;
    draw(txn, now, workflow_id, rows).await
}

/// Changes a step of the workflow, then settles it as [`settle`]. `None` when the change touched nothing.
pub async fn change_and_settle(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    change: impl QueryTrait,
) -> Result<Option<usize>, DbErr> {
    let change = change.build(txn.get_database_backend());
    let (changed, [_, rows]) = txn.change_and_query_both(change, standing(txn, workflow_id)).await?;
    if changed == 0 {
        return Ok(None);
    }
    draw(txn, now, workflow_id, rows).await.map(Some)
}

async fn draw(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    rows: Vec<QueryResult>,
) -> Result<usize, DbErr> {
    let rows: Vec<_> =
        rows.iter().map(|row| Standing::from_query_result(row, "")).collect::<Result<_, _>>()?;
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

/// A workflow as it was, beside one of its steps that are not through.
#[derive(FromQueryResult)]
struct Standing {
    workflow_status: WorkflowStatus,
    started_at: Option<DateTime<Utc>>,
    stage: Option<i32>,
    status: Option<StepStatus>,
    run_at: Option<DateTime<Utc>>,
    error: Option<String>,
}

const STANDING: &str = "SELECT workflow.status AS workflow_status, workflow.started_at, \
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
    /// None when every step is through.
    fn of(row: Standing) -> Option<Self> {
        let Standing { stage, status, run_at, error, .. } = row;
        Some(Self { stage: stage?, status: status?, run_at: run_at?, error })
    }

    fn is(&self, status: StepStatus) -> bool {
        self.status == status
    }
}

/// Locks the workflow, and then reads how it stands.
fn standing(txn: &Transaction, workflow_id: Uuid) -> [Statement; 2] {
    let backend = txn.get_database_backend();
    let lock = workflow::Entity::find_by_id(workflow_id).select_only().column(workflow::Column::Id);
    let standing = Statement::from_sql_and_values(backend, STANDING, [workflow_id.into()]);
    [lock.lock_exclusive().build(backend), standing]
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
