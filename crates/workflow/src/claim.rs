//! Claiming steps by lease, renewing the lease and releasing it.
//!
//! While a step runs, its `run_at` equals its `lease_until`. [`crate::wake`] sets it to the present, so a difference
//! at the end means that the step was woken meanwhile and has to run again.

use crate::{StepStatus, WorkflowStatus};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic, Iterable, QueryFilter,
    QueryOrder, QueryResult, QuerySelect, QueryTrait, Statement, UpdateMany,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, Func, LockBehavior, LockType},
};
use std::collections::HashSet;
use store::{
    Store, Transaction,
    batching::BatchedWrites,
    dialect,
    entities::{workflow, workflow_step},
};

/// A step whose lease this worker holds.
#[derive(Clone)]
pub struct Claimed {
    pub workflow: workflow::Model,
    pub step: workflow_step::Model,
    pub lease: Lease,
}

/// The right to end a step. It is lost once another worker takes the step over.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    step_id: Uuid,
    owner: Uuid,
}

/// Claims up to `limit` steps that are due, or whose lease has expired, for the duration of `lease`.
pub async fn claim(
    store: &Store,
    now: DateTime<Utc>,
    lease: Duration,
    limit: usize,
) -> Result<Vec<Claimed>, DbErr> {
    let owner = Uuid::new_v4();
    // One transaction, so that SQLite's write lock is taken once.
    let txn = store.begin().await?;
    let mut claimed = due(&txn, now, owner, limit).await?;
    if !claimed.is_empty() {
        take(&txn, now, now + lease, &mut claimed).await?;
        start_workflows(&txn, now, &mut claimed).await?;
    }
    txn.commit().await?;
    Ok(claimed)
}

/// Commits, and claims a due step of the workflow for the worker that has just ended another one.
pub async fn commit_and_claim_next(
    txn: Transaction,
    now: DateTime<Utc>,
    lease: Duration,
    workflow: &workflow::Model,
) -> Result<Option<Claimed>, DbErr> {
    use workflow_step::Column;
    let owner = Uuid::new_v4();
    let next = workflow_step::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::WorkflowId.eq(workflow.id))
        .filter(Column::Status.eq(StepStatus::Pending))
        .filter(Column::RunAt.lte(now))
        .order_by_asc(Column::RunAt)
        .order_by_asc(Column::Id)
        .limit(1)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    // `=` instead of `IN`: PostgreSQL may evaluate an `IN` subquery more than once.
    let mut take =
        taken(now, now + lease, owner).filter(Expr::col(Column::Id).eq(next.into_query())).into_query();
    take.returning_all();
    let take = txn.get_database_backend().build(&take);
    let rows = txn.query_and_commit(take).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let step = workflow_step::Model::from_query_result(row, "")?;
    Ok(Some(Claimed { workflow: workflow.clone(), lease: Lease { step_id: step.id, owner }, step }))
}

/// The update that leases steps to an owner.
fn taken(now: DateTime<Utc>, until: DateTime<Utc>, owner: Uuid) -> UpdateMany<workflow_step::Entity> {
    use workflow_step::Column;
    workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Running))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
        .col_expr(Column::LeaseOwner, Expr::value(owner))
        .col_expr(Column::LeaseUntil, Expr::value(until))
        .col_expr(Column::RunAt, Expr::value(until))
        .col_expr(Column::StartedAt, Func::coalesce([Expr::col(Column::StartedAt), Expr::value(now)]).into())
}

/// The steps that are due, with their workflows, locked.
async fn due(
    txn: &Transaction,
    now: DateTime<Utc>,
    owner: Uuid,
    limit: usize,
) -> Result<Vec<Claimed>, DbErr> {
    let backend = txn.get_database_backend();
    let of_workflow = workflow::Column::iter().map(|column| {
        let name = column.as_str();
        format!("workflow.{name} AS workflow_{name}")
    });
    // The states are written out, because the partial index is chosen by them.
    let sql = format!(
        "SELECT step.*, {} FROM workflow_step AS step JOIN workflow ON workflow.id = step.workflow_id \
         WHERE step.status IN ('Pending', 'Running') AND step.run_at <= $1 \
         AND (step.status = 'Pending' OR step.lease_until <= $1) ORDER BY step.run_at LIMIT $2{}",
        of_workflow.collect::<Vec<_>>().join(", "),
        dialect::skip_locked(backend, "step"),
    );
    let values = [now.into(), (limit as i64).into()];
    let rows = txn.query_all_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    let claimed = |row: &QueryResult| {
        let step = workflow_step::Model::from_query_result(row, "")?;
        let lease = Lease { step_id: step.id, owner };
        Ok(Claimed { workflow: workflow::Model::from_query_result(row, "workflow_")?, step, lease })
    };
    rows.iter().map(claimed).collect()
}

/// Leases the steps to their owner.
async fn take(
    txn: &Transaction,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    claimed: &mut [Claimed],
) -> Result<(), DbErr> {
    let ids = claimed.iter().map(|c| c.step.id);
    let taken = taken(now, until, claimed[0].lease.owner).filter(workflow_step::Column::Id.is_in(ids));
    txn.later(taken).await?;
    for Claimed { step, lease, .. } in claimed {
        step.status = StepStatus::Running;
        step.attempt += 1;
        step.lease_owner = Some(lease.owner);
        step.lease_until = Some(until);
        step.run_at = until;
        step.started_at.get_or_insert(now);
    }
    Ok(())
}

/// Marks the workflows of the steps as started.
async fn start_workflows(
    txn: &Transaction,
    now: DateTime<Utc>,
    claimed: &mut [Claimed],
) -> Result<(), DbErr> {
    use workflow::Column;
    let new: HashSet<Uuid> =
        claimed.iter().filter(|c| c.workflow.started_at.is_none()).map(|c| c.workflow.id).collect();
    if new.is_empty() {
        return Ok(());
    }
    // Skip a workflow that another worker is starting.
    let unlocked = workflow::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Id.is_in(new))
        .filter(Column::StartedAt.is_null())
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let started = workflow::Entity::update_many()
        .col_expr(Column::StartedAt, Expr::value(now))
        .col_expr(Column::Status, Expr::value(WorkflowStatus::Running))
        .filter(Column::Id.in_subquery(unlocked.into_query()));
    txn.later(started).await?;
    for workflow in claimed.iter_mut().map(|c| &mut c.workflow).filter(|w| w.started_at.is_none()) {
        workflow.started_at = Some(now);
        workflow.status = WorkflowStatus::Running;
    }
    Ok(())
}

/// How a run of a step ends.
pub enum End {
    Completed,
    Skipped,
    Failed {
        error: String,
    },
    /// Run again at this time, or at once if it was woken meanwhile.
    Later {
        at: DateTime<Utc>,
        attempt: i32,
        error: Option<String>,
    },
}

impl Lease {
    /// Renews the lease. False if it was lost.
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

    /// Ends the step. False if the lease was lost: then the caller must roll back everything it wrote.
    pub async fn end(self, db: &impl ConnectionTrait, now: DateTime<Utc>, end: End) -> Result<bool, DbErr> {
        Ok(self.ending(now, end).exec(db).await?.rows_affected > 0)
    }

    /// The update that ends the step. It affects no row if the lease was lost.
    pub fn ending(self, now: DateTime<Utc>, end: End) -> UpdateMany<workflow_step::Entity> {
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
        change.status = Set(status);
        workflow_step::Entity::update_many()
            .set(change)
            .col_expr(Column::RunAt, run_at)
            .filter(self.is_ours())
    }

    fn is_ours(self) -> Expr {
        use workflow_step::Column;
        Column::Id.eq(self.step_id).and(Column::LeaseOwner.eq(self.owner))
    }
}

/// A new `run_at` for a running step: as given, unless it was woken.
fn unless_woken(at: DateTime<Utc>) -> Expr {
    use workflow_step::Column;
    let asleep = Expr::col(Column::RunAt).eq(Expr::col(Column::LeaseUntil));
    Expr::case(asleep, at).finally(Expr::col(Column::RunAt)).into()
}
