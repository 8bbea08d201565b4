//! Enqueueing and waking workflows, inside the caller's transaction.

use crate::{
    Lane, StepStatus, StepType, WorkflowStatus,
    settle::{change_and_settle, settle},
};
use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{self, Set},
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Iterable, PaginatorTrait, QueryFilter, QueryTrait,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, InsertStatement, Query, SelectStatement},
};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{workflow, workflow_step},
};

/// Rows of one `INSERT`.
const INSERT_ROWS: usize = 500;

/// A new workflow.
#[derive(Clone, Debug)]
pub struct NewWorkflow {
    pub organization_id: Uuid,
    /// Which workflow, such as `message.send`.
    pub kind: String,
    /// The object it works on, such as a message.
    pub object_id: Uuid,
    pub steps: Vec<NewStep>,
}

/// A new step.
#[derive(Clone, Debug)]
pub struct NewStep {
    /// Steps of a stage run side by side, after those of all lower stages.
    pub stage: i32,
    pub name: String,
    pub lane: Lane,
    pub channel: &'static str,
    /// Outside party that the step waits for, such as the domain of a recipient; empty if there is none.
    pub partner: String,
    /// The earliest time to run.
    pub run_at: DateTime<Utc>,
    /// Parameters of the step. No patient data: they are stored in the clear.
    pub meta: Value,
}

impl NewStep {
    pub fn new(stage: i32, kind: StepType, run_at: DateTime<Utc>) -> Self {
        let StepType { name, lane, channel, .. } = kind;
        let meta = Value::Object(serde_json::Map::new());
        Self { stage, name: name.into(), lane, channel, partner: String::new(), run_at, meta }
    }

    /// Names the outside party, which then holds no more than its share of the lane.
    #[must_use]
    pub fn for_partner(mut self, partner: impl Into<String>) -> Self {
        self.partner = partner.into();
        self
    }

    #[must_use]
    pub fn with_meta(mut self, meta: Value) -> Self {
        self.meta = meta;
        self
    }
}

/// Adds a workflow, which starts once the transaction commits; call [`crate::Runner::notify`] then.
pub async fn enqueue(txn: &Transaction, now: DateTime<Utc>, new: NewWorkflow) -> Result<Uuid, DbErr> {
    let ids = enqueue_all(txn, now, vec![new]).await?;
    Ok(ids[0])
}

/// Like [`enqueue`], but only if `wanted` finds a row when the statements run. Nothing is read for it, so that it
/// costs the path of every message no round trip.
pub async fn enqueue_if(
    txn: &Transaction,
    now: DateTime<Utc>,
    new: NewWorkflow,
    wanted: &SelectStatement,
) -> Result<(), DbErr> {
    let (id, organization_id) = (Uuid::now_v7(), new.organization_id);
    let first = new.steps.iter().map(|step| step.stage).min();
    insert_if(txn, workflow_row(id, &new, first, now), wanted).await?;
    for step in new.steps {
        let status = if Some(step.stage) == first { StepStatus::Pending } else { StepStatus::Blocked };
        insert_if(txn, step_row(id, organization_id, step, status), wanted).await?;
    }
    Ok(())
}

async fn insert_if<A: ActiveModelTrait>(
    txn: &Transaction,
    row: A,
    wanted: &SelectStatement,
) -> Result<(), DbErr> {
    let (mut columns, mut values) = (Vec::new(), Query::select());
    for column in <A::Entity as EntityTrait>::Column::iter() {
        if let ActiveValue::Set(value) = row.get(column) {
            columns.push(column);
            values.expr(Expr::value(value));
        }
    }
    values.and_where(Expr::exists(wanted.clone()));
    let mut insert = Query::insert();
    insert.into_table(A::Entity::default()).columns(columns);
    insert.select_from(values.to_owned()).map_err(|error| DbErr::Custom(error.to_string()))?;
    txn.later(Write(insert)).await
}

/// A statement that no entity builds.
struct Write(InsertStatement);

impl QueryTrait for Write {
    type QueryStatement = InsertStatement;

    fn query(&mut self) -> &mut InsertStatement {
        &mut self.0
    }

    fn as_query(&self) -> &InsertStatement {
        &self.0
    }

    fn into_query(self) -> InsertStatement {
        self.0
    }
}

/// Adds several workflows with few statements. Returns their ids in the same order.
pub async fn enqueue_all(
    txn: &Transaction,
    now: DateTime<Utc>,
    all: Vec<NewWorkflow>,
) -> Result<Vec<Uuid>, DbErr> {
    let (mut ids, mut rows, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for new in all {
        let id = Uuid::now_v7();
        let first = new.steps.iter().map(|step| step.stage).min();
        ids.push(id);
        rows.push(workflow_row(id, &new, first, now));
        steps.extend(new.steps.into_iter().map(|step| {
            let status = if Some(step.stage) == first { StepStatus::Pending } else { StepStatus::Blocked };
            step_row(id, new.organization_id, step, status)
        }));
    }
    for part in rows.chunks(INSERT_ROWS) {
        txn.later(workflow::Entity::insert_many(part.iter().cloned())).await?;
    }
    insert_steps(txn, steps).await?;
    Ok(ids)
}

/// Adds steps to the workflow of a running step, in that step's commit. They are scheduled when it ends.
pub async fn add_steps(
    txn: &Transaction,
    workflow_id: Uuid,
    organization_id: Uuid,
    steps: Vec<NewStep>,
) -> Result<(), DbErr> {
    let row = |step| step_row(workflow_id, organization_id, step, StepStatus::Blocked);
    insert_steps(txn, steps.into_iter().map(row).collect()).await
}

/// Makes waiting steps of this name due now, because what they wait for may have happened. Returns their number. A
/// step that is running now runs again if it decides to wait; one whose stage is not open runs once it is.
pub async fn wake(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    kind: StepType,
) -> Result<u64, DbErr> {
    use workflow_step::Column;
    let waiting = [StepStatus::Blocked, StepStatus::Pending, StepStatus::Running];
    let woken = workflow_step::Entity::update_many()
        .col_expr(Column::RunAt, Expr::value(now))
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Name.eq(kind.name))
        .filter(Column::Status.is_in(waiting))
        .filter(Column::RunAt.gt(now).or(Column::Status.eq(StepStatus::Running)))
        .exec(txn)
        .await?;
    Ok(woken.rows_affected)
}

/// Completes a waiting step of this name without running it, because there is nothing left to do. One that is running
/// now runs again, as after [`wake`].
pub async fn complete_waiting(
    txn: &Transaction,
    now: DateTime<Utc>,
    workflow_id: Uuid,
    kind: StepType,
) -> Result<(), DbErr> {
    use workflow_step::Column;
    let complete = workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Completed))
        .col_expr(Column::RunAt, Expr::value(now))
        .col_expr(Column::EndedAt, Expr::value(now))
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Name.eq(kind.name))
        .filter(Column::Status.eq(StepStatus::Pending))
        .build(txn.get_database_backend());
    if change_and_settle(txn, now, workflow_id, complete).await?.is_none() {
        wake(txn, now, workflow_id, kind).await?;
    }
    Ok(())
}

/// Ends a workflow of which no step has started yet. Returns whether it did: one that has begun goes on, and the caller rolls
/// back.
pub async fn call_off(txn: &Transaction, now: DateTime<Utc>, workflow_id: Uuid) -> Result<bool, DbErr> {
    use workflow_step::Column;
    let of_workflow = Column::WorkflowId.eq(workflow_id);
    let ended = workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Skipped))
        .col_expr(Column::EndedAt, Expr::value(now))
        .filter(of_workflow.clone())
        .filter(Column::Status.is_in([StepStatus::Blocked, StepStatus::Pending]))
        .filter(Column::Attempt.eq(0))
        .exec(txn)
        .await?
        .rows_affected;
    if ended == 0 || ended != workflow_step::Entity::find().filter(of_workflow).count(txn).await? {
        return Ok(false);
    }
    settle(txn, now, workflow_id).await?;
    Ok(true)
}

/// Lets a step of this name that has ended run again at this time, because a retried step has made work for it. Belongs
/// to a stage that is open.
pub async fn reopen(
    txn: &Transaction,
    workflow_id: Uuid,
    kind: StepType,
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    use workflow_step::Column;
    let again = workflow_step::ActiveModel {
        status: Set(StepStatus::Pending),
        attempt: Set(0),
        run_at: Set(at),
        ended_at: Set(None),
        error: Set(None),
        ..Default::default()
    };
    workflow_step::Entity::update_many()
        .set(again)
        .filter(Column::WorkflowId.eq(workflow_id))
        .filter(Column::Name.eq(kind.name))
        .filter(Column::Status.is_in([StepStatus::Completed, StepStatus::Skipped, StepStatus::Failed]))
        .exec(txn)
        .await?;
    Ok(())
}

fn workflow_row(
    id: Uuid,
    new: &NewWorkflow,
    first_stage: Option<i32>,
    now: DateTime<Utc>,
) -> workflow::ActiveModel {
    let is_empty = first_stage.is_none();
    let channels: BTreeSet<&str> =
        new.steps.iter().map(|step| step.channel).filter(|channel| !channel.is_empty()).collect();
    workflow::ActiveModel {
        id: Set(id),
        organization_id: Set(new.organization_id),
        kind: Set(new.kind.clone()),
        channel: Set(channels.into_iter().collect::<Vec<_>>().join("+")),
        object_id: Set(new.object_id),
        status: Set(if is_empty { WorkflowStatus::Completed } else { WorkflowStatus::Pending }),
        error: Set(None),
        created_at: Set(now),
        started_at: Set(None),
        ended_at: Set(is_empty.then_some(now)),
    }
}

fn step_row(
    workflow_id: Uuid,
    organization_id: Uuid,
    step: NewStep,
    status: StepStatus,
) -> workflow_step::ActiveModel {
    workflow_step::ActiveModel {
        id: Set(Uuid::now_v7()),
        workflow_id: Set(workflow_id),
        organization_id: Set(organization_id),
        stage: Set(step.stage),
        name: Set(step.name),
        status: Set(status),
        lane: Set(step.lane),
        partner: Set(step.partner),
        attempt: Set(0),
        run_at: Set(step.run_at),
        lease_owner: Set(None),
        lease_until: Set(None),
        started_at: Set(None),
        ended_at: Set(None),
        meta: Set(step.meta),
        error: Set(None),
        retried_at: Set(None),
        node: Set(None),
        begun_at: Set(None),
        ended_process: Set(false),
    }
}

async fn insert_steps(txn: &Transaction, rows: Vec<workflow_step::ActiveModel>) -> Result<(), DbErr> {
    for part in rows.chunks(INSERT_ROWS) {
        txn.later(workflow_step::Entity::insert_many(part.iter().cloned())).await?;
    }
    Ok(())
}
