//! Claiming steps by lease, renewing the lease and releasing it.
//!
//! While a step runs, its `run_at` equals its `lease_until`. [`crate::wake`] sets it to the present, so a difference
//! at the end means that the step was woken meanwhile and has to run again.

use crate::{
    StepStatus, WorkflowStatus,
    attempts::{self, End},
    lanes::{Lane, Load, PerLane, Refused, Slot},
};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveEnum,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, IdenStatic, Iterable,
    QueryFilter, QueryOrder, QueryResult, QuerySelect, QueryTrait, Statement, UpdateMany, Value,
    entity::prelude::Uuid,
    sea_query::{Expr, ExprTrait, Func, LockBehavior, LockType},
};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::{
    Store, Transaction,
    batching::BatchedWrites,
    dialect,
    entities::{step_attempt, workflow, workflow_step},
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

/// A step whose lease this runner holds, with the worker that is to run it.
pub struct Assigned {
    pub claimed: Claimed,
    pub slot: Slot,
}

/// Due steps of a lane that are read beyond the free workers, in the order of their time.
const LOOK_AHEAD: usize = 16;

/// Claims due steps, or steps whose lease has expired, for the free workers of the lanes, for the duration of `lease`.
/// Returns them with the lanes in which more is due than was claimed.
pub async fn claim(
    store: &Store,
    now: DateTime<Utc>,
    lease: Duration,
    load: &Arc<Load>,
    turns: &Turns,
    lanes: PerLane<bool>,
    node: &str,
) -> Result<(Vec<Assigned>, PerLane<bool>), DbErr> {
    let free = PerLane::of_each(|lane| if lanes[lane] { load.free(lane) } else { 0 });
    let owner = Uuid::new_v4();
    // One transaction, so that SQLite's write lock is taken once.
    let txn = store.begin().await?;
    let looked_at = PerLane::of_each(|lane| if free[lane] > 0 { free[lane] + LOOK_AHEAD } else { 0 });
    let mut due = due(&txn, now, owner, looked_at).await?;
    let (mut chosen, mut more) = (Vec::new(), PerLane::all(false));
    for lane in Lane::iter().filter(|lane| free[*lane] > 0) {
        let mut of_lane: Vec<_> = due.extract_if(.., |claimed| claimed.step.lane == lane).collect();
        let is_crowded = of_lane.len() == looked_at[lane];
        if is_crowded {
            // Organizations waiting behind many steps of another one.
            for claimed in turns.next(&txn, now, owner, lane, load).await? {
                if of_lane.iter().all(|known| known.step.id != claimed.step.id) {
                    of_lane.push(claimed);
                }
            }
        }
        let (taken, left) = choose(load, of_lane, free[lane]);
        more[lane] = is_crowded || left > 0;
        chosen.extend(taken);
    }
    let chosen = locked(&txn, chosen).await?;
    let mut claimed: Vec<_> = chosen.iter().map(|assigned| assigned.claimed.clone()).collect();
    if !claimed.is_empty() {
        take(&txn, now, now + lease, node, &mut claimed).await?;
        start_workflows(&txn, now, &mut claimed).await?;
    }
    txn.commit().await?;
    let slots = chosen.into_iter().map(|assigned| assigned.slot);
    Ok((claimed.into_iter().zip(slots).map(|(claimed, slot)| Assigned { claimed, slot }).collect(), more))
}

/// Gives the free workers to organizations in turn, to each for its oldest steps. Returns how many steps were left.
fn choose(load: &Arc<Load>, mut due: Vec<Claimed>, free: usize) -> (Vec<Assigned>, usize) {
    due.sort_by_key(|claimed| claimed.step.run_at);
    let mut chosen = Vec::new();
    while chosen.len() < free && !due.is_empty() {
        let turn = |claimed: &Claimed| load.turn_of(claimed.step.lane, claimed.step.organization_id);
        let mut order: Vec<_> = due.iter().enumerate().map(|(at, claimed)| (turn(claimed), at)).collect();
        order.sort_unstable();
        let slot = order.into_iter().find_map(|(_, at)| {
            let step = &due[at].step;
            load.take(step.lane, step.organization_id, &step.partner).map(|slot| (at, slot))
        });
        let Some((at, slot)) = slot else { break };
        chosen.push(Assigned { claimed: due.remove(at), slot });
    }
    (chosen, due.len())
}

/// On PostgreSQL leaves out steps that another node claims at this moment, or has claimed since they were read.
async fn locked(txn: &Transaction, chosen: Vec<Assigned>) -> Result<Vec<Assigned>, DbErr> {
    use workflow_step::Column;
    if chosen.is_empty() || !dialect::has_row_locks(txn.get_database_backend()) {
        return Ok(chosen);
    }
    let rows: Vec<(Uuid, i32, DateTime<Utc>)> = workflow_step::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Attempt, Column::RunAt])
        .filter(Column::Id.is_in(chosen.iter().map(|assigned| assigned.claimed.step.id)))
        .filter(Column::Status.is_in([StepStatus::Pending, StepStatus::Running]))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .into_tuple()
        .all(txn)
        .await?;
    let unchanged = |assigned: &Assigned| {
        let step = &assigned.claimed.step;
        rows.contains(&(step.id, step.attempt, step.run_at))
    };
    Ok(chosen.into_iter().filter(unchanged).collect())
}

/// Commits, and claims a due step of the workflow for the worker that has just ended another one: one of a lane that
/// has a worker free.
pub async fn commit_and_claim_next(
    txn: Transaction,
    now: DateTime<Utc>,
    lease: Duration,
    workflow: &workflow::Model,
    load: &Arc<Load>,
    node: &str,
    db: &impl ConnectionTrait,
) -> Result<Option<Assigned>, DbErr> {
    use workflow_step::Column;
    let owner = Uuid::new_v4();
    let Some(open) = open_to(load, workflow.organization_id) else {
        txn.commit().await?;
        return Ok(None);
    };
    let next = workflow_step::Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::WorkflowId.eq(workflow.id))
        .filter(Column::Status.eq(StepStatus::Pending))
        .filter(Column::RunAt.lte(now))
        .filter(open)
        .order_by_asc(Column::RunAt)
        .order_by_asc(Column::Id)
        .limit(1)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    // `=` instead of `IN`: PostgreSQL may evaluate an `IN` subquery more than once.
    let mut take =
        taken(now, now + lease, owner, node).filter(Expr::col(Column::Id).eq(next.into_query())).into_query();
    take.returning_all();
    let take = txn.get_database_backend().build(&take);
    let rows = txn.query_and_commit(take).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let step = workflow_step::Model::from_query_result(row, "")?;
    let claimed = Claimed { workflow: workflow.clone(), lease: Lease { step_id: step.id, owner }, step };
    let step = &claimed.step;
    match load.take(step.lane, step.organization_id, &step.partner) {
        Some(slot) => Ok(Some(Assigned { claimed, slot })),
        None => {
            // Others took the lane's last worker in between.
            claimed.hand_back(db, now).await?;
            Ok(None)
        }
    }
}

/// Condition for steps of the lanes that accept another step of the organization; none if there is no such lane.
fn open_to(load: &Load, organization_id: Uuid) -> Option<Condition> {
    use workflow_step::Column;
    let refused = PerLane::of_each(|lane| load.refused_to(lane, organization_id));
    if Lane::iter().all(|lane| refused[lane].is_nothing()) {
        return Some(Condition::all());
    }
    let mut open = Condition::any();
    for lane in Lane::iter().filter(|lane| !refused[*lane].everything) {
        let Refused { all_partners, partners, .. } = &refused[lane];
        let mut of_lane = Condition::all().add(Column::Lane.eq(lane));
        if *all_partners {
            of_lane = of_lane.add(Column::Partner.eq(""));
        } else if !partners.is_empty() {
            of_lane = of_lane.add(Column::Partner.is_not_in(partners));
        }
        open = open.add(of_lane);
    }
    (!open.is_empty()).then_some(open)
}

/// The update that leases steps to an owner.
fn taken(
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    owner: Uuid,
    node: &str,
) -> UpdateMany<workflow_step::Entity> {
    use workflow_step::Column;
    workflow_step::Entity::update_many()
        .col_expr(Column::Status, Expr::value(StepStatus::Running))
        .col_expr(Column::Attempt, Expr::col(Column::Attempt).add(1))
        .col_expr(Column::LeaseOwner, Expr::value(owner))
        .col_expr(Column::LeaseUntil, Expr::value(until))
        .col_expr(Column::RunAt, Expr::value(until))
        .col_expr(Column::Node, Expr::value(node))
        .col_expr(Column::BegunAt, Expr::value(now))
        .col_expr(Column::StartedAt, Func::coalesce([Expr::col(Column::StartedAt), Expr::value(now)]).into())
}

/// The next organization in each crowded lane.
#[derive(Default)]
pub struct Turns(Mutex<PerLane<Uuid>>);

/// Organizations whose oldest step is read in one turn.
const ORGANIZATIONS: i32 = 64;

impl Turns {
    /// The oldest due step of each of the next organizations, but none that the lane refuses at this moment.
    async fn next(
        &self,
        txn: &Transaction,
        now: DateTime<Utc>,
        owner: Uuid,
        lane: Lane,
        load: &Load,
    ) -> Result<Vec<Claimed>, DbErr> {
        let (after, refused) = (self.turn()[lane], load.refused(lane));
        let (mut found, last) = in_turn(txn, now, owner, lane, after, &refused).await?;
        self.turn()[lane] = last.unwrap_or_default();
        if last.is_none() && !after.is_nil() {
            found.extend(in_turn(txn, now, owner, lane, Uuid::nil(), &refused).await?.0);
        }
        Ok(found)
    }

    fn turn(&self) -> MutexGuard<'_, PerLane<Uuid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a step must be to be claimed at `$1`. The states are written out, because the partial indexes are chosen by
/// them.
const IS_DUE: &str = "step.status IN ('Pending', 'Running') AND step.run_at <= $1 \
    AND (step.status = 'Pending' OR step.lease_until <= $1)";

fn workflow_columns() -> String {
    let column = |column: workflow::Column| {
        let name = column.as_str();
        format!("workflow.{name} AS workflow_{name}")
    };
    workflow::Column::iter().map(column).collect::<Vec<_>>().join(", ")
}

fn claimed(row: &QueryResult, owner: Uuid) -> Result<Claimed, DbErr> {
    let step = workflow_step::Model::from_query_result(row, "")?;
    let lease = Lease { step_id: step.id, owner };
    Ok(Claimed { workflow: workflow::Model::from_query_result(row, "workflow_")?, step, lease })
}

/// The oldest due steps of each lane, limited in number, with their workflows.
async fn due(
    txn: &Transaction,
    now: DateTime<Utc>,
    owner: Uuid,
    limits: PerLane<usize>,
) -> Result<Vec<Claimed>, DbErr> {
    if Lane::iter().all(|lane| limits[lane] == 0) {
        return Ok(Vec::new());
    }
    let backend = txn.get_database_backend();
    let mut values: Vec<Value> = vec![now.into()];
    // Every lane always, so that the statement is prepared once.
    let of_lane = |lane: Lane| {
        values.push((limits[lane] as i64).into());
        let limit = values.len();
        let lane = lane.to_value();
        format!(
            "SELECT id FROM (SELECT step.id FROM workflow_step AS step \
             WHERE step.lane = '{lane}' AND {IS_DUE} ORDER BY step.run_at LIMIT ${limit}) AS {lane}"
        )
    };
    let ids = Lane::iter().map(of_lane).collect::<Vec<_>>().join(" UNION ALL ");
    let sql = format!(
        "SELECT step.*, {} FROM workflow_step AS step JOIN workflow ON workflow.id = step.workflow_id \
         WHERE step.id IN ({ids})",
        workflow_columns(),
    );
    let rows = txn.query_all_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    rows.iter().map(|row| claimed(row, owner)).collect()
}

/// The oldest due step of each organization after this one, in the order of their ids, and the last organization if
/// there may be more.
async fn in_turn(
    txn: &Transaction,
    now: DateTime<Utc>,
    owner: Uuid,
    lane: Lane,
    after: Uuid,
    refused: &Refused,
) -> Result<(Vec<Claimed>, Option<Uuid>), DbErr> {
    let backend = txn.get_database_backend();
    let lane = lane.to_value();
    let mut values: Vec<Value> = vec![now.into(), after.into(), ORGANIZATIONS.into()];
    let mut not_refused = String::new();
    if refused.all_partners {
        not_refused = "AND step.partner = ''".into();
    } else if !refused.partners.is_empty() {
        let place = |partner: &String| {
            values.push(partner.into());
            format!("${}", values.len())
        };
        let places = refused.partners.iter().map(place).collect::<Vec<_>>().join(", ");
        not_refused = format!("AND step.partner NOT IN ({places})");
    }
    let of_next = |column: &str, condition: &str, order: &str| {
        format!(
            "(SELECT step.{column} FROM workflow_step AS step \
             WHERE step.lane = '{lane}' AND {IS_DUE} AND {condition} ORDER BY {order} LIMIT 1)"
        )
    };
    let next = |after| {
        of_next("organization_id", &format!("step.organization_id > {after}"), "step.organization_id")
    };
    let oldest = of_next("id", &format!("step.organization_id = turn.id {not_refused}"), "step.run_at");
    let sql = format!(
        "WITH RECURSIVE turn(id, number) AS (SELECT {}, 1 UNION ALL \
         SELECT {}, turn.number + 1 FROM turn WHERE turn.id IS NOT NULL AND turn.number < $3) \
         SELECT turn.id AS turn_id, step.*, {} FROM turn LEFT JOIN workflow_step AS step ON step.id = {oldest} \
         LEFT JOIN workflow ON workflow.id = step.workflow_id WHERE turn.id IS NOT NULL ORDER BY turn.number",
        next("$2"),
        next("turn.id"),
        workflow_columns(),
    );
    let rows = txn.query_all_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    let (mut found, mut last) = (Vec::new(), None);
    for row in &rows {
        last = Some(row.try_get("", "turn_id")?);
        if row.try_get::<Option<Uuid>>("", "id")?.is_some() {
            found.push(claimed(row, owner)?);
        }
    }
    Ok((found, last.filter(|_| rows.len() == ORGANIZATIONS as usize)))
}

/// Leases the steps to their owner.
async fn take(
    txn: &Transaction,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    node: &str,
    claimed: &mut [Claimed],
) -> Result<(), DbErr> {
    let lost: Vec<_> = claimed.iter().filter_map(|c| attempts::lost(&c.step)).collect();
    if !lost.is_empty() {
        txn.later(step_attempt::Entity::insert_many(lost)).await?;
    }
    let ids = claimed.iter().map(|c| c.step.id);
    let taken = taken(now, until, claimed[0].lease.owner, node).filter(workflow_step::Column::Id.is_in(ids));
    txn.later(taken).await?;
    for Claimed { step, lease, .. } in claimed {
        step.status = StepStatus::Running;
        step.attempt += 1;
        step.lease_owner = Some(lease.owner);
        step.lease_until = Some(until);
        step.run_at = until;
        step.started_at.get_or_insert(now);
        step.begun_at = Some(now);
        step.node = Some(node.to_owned());
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

impl Claimed {
    /// Releases the step without having run it.
    pub async fn hand_back(self, db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<bool, DbErr> {
        let end = End::Later { at: now, attempt: self.step.attempt - 1, error: self.step.error };
        self.lease.end(db, now, end).await
    }
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
            End::Moved { lane, attempt } => {
                change.ended_at = Set(None);
                change.attempt = Set(attempt);
                change.lane = Set(lane);
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
