//! Taking steps by lease, keeping the lease and giving it back.
//!
//! While a step runs, its `run_at` equals its `lease_until`. [`crate::wake`] sets it to the present, so a difference
//! when the step ends tells that the step was woken meanwhile and must look again.

use crate::{StepStatus, WorkflowStatus};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
    Statement,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, LockBehavior, LockType},
};
use std::collections::{HashMap, HashSet};
use store::{
    Store, Transaction, dialect,
    entities::{workflow, workflow_step},
};

/// A step that this worker holds.
#[derive(Clone)]
pub struct Claimed {
    pub workflow: workflow::Model,
    pub step: workflow_step::Model,
    pub lease: Lease,
}

/// The right to end a step. It is lost when another worker took the step over.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    step_id: Uuid,
    owner: Uuid,
}

/// Claims up to `limit` steps that are due, or whose worker is gone. Each goes to one caller only, for so long.
pub async fn claim(
    store: &Store,
    now: DateTime<Utc>,
    lease: Duration,
    limit: usize,
) -> Result<Vec<Claimed>, DbErr> {
    let owner = Uuid::new_v4();
    // One transaction on the connection that writes: elsewhere the three statements would wait for its lock each.
    let txn = store.begin().await?;
    let steps = take_due(&txn, now, now + lease, owner, limit).await?;
    let workflows =
        if steps.is_empty() { HashMap::new() } else { start_workflows(&txn, now, &steps).await? };
    txn.commit().await?;
    let claimed = steps.into_iter().map(|step| Claimed {
        workflow: workflows[&step.workflow_id].clone(),
        lease: Lease { step_id: step.id, owner },
        step,
    });
    Ok(claimed.collect())
}

/// Claims one step of a workflow that is due, for the worker that just ended another.
pub async fn claim_next(
    txn: &Transaction,
    now: DateTime<Utc>,
    lease: Duration,
    workflow: &workflow::Model,
) -> Result<Option<Claimed>, DbErr> {
    let (owner, backend) = (Uuid::new_v4(), txn.get_database_backend());
    let sql = format!(
        "{} WHERE id = (\
           SELECT id FROM workflow_step \
           WHERE workflow_id = $2 AND status = 'Pending' AND run_at <= $1 ORDER BY run_at, id LIMIT 1{}) \
         RETURNING *",
        TAKE,
        dialect::skip_locked(backend)
    );
    let values = [now.into(), workflow.id.into(), owner.into(), (now + lease).into()];
    let row = txn.query_one_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    let Some(row) = row else { return Ok(None) };
    let step = workflow_step::Model::from_query_result(&row, "")?;
    Ok(Some(Claimed { workflow: workflow.clone(), lease: Lease { step_id: step.id, owner }, step }))
}

/// Gives steps to an owner ($3) until the end of the lease ($4).
const TAKE: &str = "UPDATE workflow_step SET status = 'Running', attempt = attempt + 1, lease_owner = $3, \
    lease_until = $4, run_at = $4, started_at = COALESCE(started_at, $1)";

async fn take_due(
    txn: &Transaction,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    owner: Uuid,
    limit: usize,
) -> Result<Vec<workflow_step::Model>, DbErr> {
    let backend = txn.get_database_backend();
    // The inner query is kept whole, or PostgreSQL might run it more than once and claim more than the limit.
    // Its states are written out, because the partial index is chosen by them.
    let sql = format!(
        "WITH due AS MATERIALIZED (\
           SELECT id FROM workflow_step \
           WHERE status IN ('Pending', 'Running') AND run_at <= $1 AND (status = 'Pending' OR lease_until <= $1) \
           ORDER BY run_at LIMIT $2{}) \
         {TAKE} WHERE id IN (SELECT id FROM due) RETURNING *",
        dialect::skip_locked(backend)
    );
    let values = [now.into(), (limit as i64).into(), owner.into(), until.into()];
    let rows = txn.query_all_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    rows.iter().map(|row| workflow_step::Model::from_query_result(row, "")).collect()
}

/// The workflows of the steps, marked as started.
async fn start_workflows(
    txn: &Transaction,
    now: DateTime<Utc>,
    steps: &[workflow_step::Model],
) -> Result<HashMap<Uuid, workflow::Model>, DbErr> {
    use workflow::Column;
    let ids: HashSet<Uuid> = steps.iter().map(|step| step.workflow_id).collect();
    let workflows = workflow::Entity::find().filter(Column::Id.is_in(ids)).all(txn).await?;
    let mut workflows: HashMap<_, _> = workflows.into_iter().map(|w| (w.id, w)).collect();
    let new: Vec<Uuid> = workflows.values().filter(|w| w.started_at.is_none()).map(|w| w.id).collect();
    if new.is_empty() {
        return Ok(workflows);
    }
    // Where another worker is starting the same workflow, it need not be started twice.
    let unlocked = workflow::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Id.is_in(new.iter().copied()))
        .filter(Column::StartedAt.is_null())
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let started = workflow::Entity::update_many()
        .col_expr(Column::StartedAt, Expr::value(now))
        .col_expr(Column::Status, Expr::value(WorkflowStatus::Running.as_str()))
        .filter(Column::Id.in_subquery(unlocked.into_query()));
    txn.later(started).await?;
    for id in new {
        if let Some(workflow) = workflows.get_mut(&id) {
            workflow.started_at = Some(now);
            workflow.status = WorkflowStatus::Running.as_str().into();
        }
    }
    Ok(workflows)
}

/// How a step leaves its worker.
pub enum End {
    Completed,
    Skipped,
    Failed {
        error: String,
    },
    /// Not through: to be run again at this time, or at once when it was woken meanwhile.
    Later {
        at: DateTime<Utc>,
        attempt: i32,
        error: Option<String>,
    },
}

impl Lease {
    /// Shows a sign of life. False when the lease was lost.
    pub async fn renew(self, db: &impl ConnectionTrait, until: DateTime<Utc>) -> Result<bool, DbErr> {
        use workflow_step::Column;
        let renewed = workflow_step::Entity::update_many()
            .col_expr(Column::LeaseUntil, Expr::value(until))
            .col_expr(Column::RunAt, unless_woken(until))
            .filter(self.is_ours())
            .exec(db)
            .await?;
        Ok(renewed.rows_affected > 0)
    }

    /// Ends the step. False when the lease was lost: then everything the caller wrote has to be taken back.
    pub async fn end(self, db: &impl ConnectionTrait, now: DateTime<Utc>, end: End) -> Result<bool, DbErr> {
        use workflow_step::Column;
        let mut change = workflow_step::ActiveModel {
            lease_owner: Set(None),
            lease_until: Set(None),
            ended_at: Set(Some(now)),
            error: Set(None),
            ..Default::default()
        };
        let mut run_at = Expr::value(now);
        let status = match end {
            End::Completed => StepStatus::Completed,
            End::Skipped => StepStatus::Skipped,
            End::Failed { error } => {
                change.error = Set(Some(error));
                StepStatus::Failed
            }
            End::Later { at, attempt, error } => {
                change.ended_at = Set(None);
                change.attempt = Set(attempt);
                change.error = Set(error);
                run_at = unless_woken(at);
                StepStatus::Pending
            }
        };
        change.status = Set(status.as_str().into());
        let ended = workflow_step::Entity::update_many()
            .set(change)
            .col_expr(Column::RunAt, run_at)
            .filter(self.is_ours())
            .exec(db)
            .await?;
        Ok(ended.rows_affected > 0)
    }

    fn is_ours(self) -> Expr {
        use workflow_step::Column;
        Column::Id.eq(self.step_id).and(Column::LeaseOwner.eq(self.owner))
    }
}

/// A new `run_at` for a running step: as given, or the time at which it was woken.
fn unless_woken(at: DateTime<Utc>) -> Expr {
    use workflow_step::Column;
    let asleep = Expr::col(Column::RunAt).eq(Expr::col(Column::LeaseUntil));
    Expr::case(asleep, at).finally(Expr::col(Column::RunAt)).into()
}
