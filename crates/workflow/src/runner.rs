//! Runs steps: claims what is due, renews leases, writes results, applies back-off.

use crate::{
    Done, Lane, PerLane, Policy, Registry, Step, StepContext, StepError, StepStatus, Workers,
    attempts::{self, End},
    claim::{Assigned, Claimed, Lease, Turns, claim, commit_and_claim_next},
    crashed,
    lanes::{Load, Slot},
    probe::{Point, Probe, Verdict},
    settle::change_and_settle,
};
use admission::Party;
use chrono::{DateTime, Duration, Utc};
use futures::{FutureExt, future::join_all};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, Iterable, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Statement,
};
use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
};
use store::{
    Clock, Store, Transaction,
    batching::BatchedWrites,
    entities::{step_attempt, workflow_step},
};
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{MissedTickBehavior, timeout},
};
use tokio_util::sync::CancellationToken;

/// How long a step unknown to this node is left to others; it may be from a newer release.
const UNKNOWN_STEP_REST: Duration = Duration::minutes(1);

/// Polling without a pause would starve everybody else of the database.
const SHORTEST_POLL: std::time::Duration = std::time::Duration::from_millis(1);

/// More runs than this in one drain mean that steps trigger each other endlessly.
const DRAIN_AT_MOST: usize = 100_000;

/// Options of a runner.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub workers: Workers,
    /// How often to poll for due steps without a notification.
    pub poll: std::time::Duration,
    /// How long a lease lasts without renewal, unless the step's policy says otherwise.
    pub lease: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: Workers::each(8),
            poll: std::time::Duration::from_secs(1),
            lease: Duration::seconds(60),
        }
    }
}

/// Runs the steps of a registry. Cloning shares it; several may work on one database.
#[derive(Clone)]
pub struct Runner {
    store: Store,
    clock: Clock,
    registry: Registry,
    options: Options,
    notify: Arc<Notify>,
    load: Arc<Load>,
    turns: Arc<Turns>,
    probe: Option<Arc<dyn Probe>>,
    node: Arc<str>,
}

impl Runner {
    pub fn new(store: Store, clock: Clock, registry: Registry, options: Options) -> Self {
        let load = Arc::new(Load::new(options.workers));
        let (notify, turns) = Default::default();
        Self { store, clock, registry, options, notify, load, turns, probe: None, node: "".into() }
    }

    /// Names the node, for the record of attempts.
    #[must_use]
    pub fn on_node(mut self, name: &str) -> Self {
        self.node = name.into();
        self
    }

    /// Injects faults, for tests.
    #[must_use]
    pub fn with_probe(mut self, probe: Arc<dyn Probe>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// `notify_one` makes the runner poll at once. Call it after the commit that enqueued or woke steps.
    pub fn notify(&self) -> Arc<Notify> {
        self.notify.clone()
    }

    /// Works until cancelled, then waits for running steps. To stop at once drop the future; the running steps are
    /// taken over when their leases expire.
    pub async fn run(&self, cancel: CancellationToken) {
        let mut running = JoinSet::new();
        let mut poll = tokio::time::interval(self.options.poll.max(SHORTEST_POLL));
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Lanes in which more may be due than was claimed, since when. A step that made others due notifies.
        let mut waiting = PerLane::all(Some(None));
        while !cancel.is_cancelled() {
            while running.try_join_next().is_some() {}
            let assigned = self.claim_where_waiting(&mut waiting).await;
            let look_again = !assigned.is_empty();
            for assigned in assigned {
                if cancel.is_cancelled() {
                    self.hand_back(assigned).await;
                    continue;
                }
                let (runner, cancel) = (self.clone(), cancel.clone());
                running.spawn(async move { runner.run_in_turn(assigned, &cancel).await });
            }
            if look_again {
                continue;
            }
            tokio::select! {
                () = cancel.cancelled() => {}
                () = self.notify.notified() => waiting = PerLane::all(Some(None)),
                () = self.load.freed.notified() => {}
                _ = poll.tick() => waiting = PerLane::all(Some(None)),
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Claims for the lanes in which steps may wait and a worker is free, unless no worker has become free since the
    /// last claim.
    async fn claim_where_waiting(&self, waiting: &mut PerLane<Waiting>) -> Vec<Assigned> {
        let freed = PerLane::of_each(|lane| self.load.times_freed(lane));
        let lanes = PerLane::of_each(|lane| {
            waiting[lane].is_some_and(|since| since != Some(freed[lane])) && self.load.free(lane) > 0
        });
        if Lane::iter().all(|lane| !lanes[lane]) {
            return Vec::new();
        }
        let (assigned, more) = self.claim(lanes).await.unwrap_or_else(|error| {
            tracing::warn!(error = %StepError::from(error), "steps cannot be claimed");
            Default::default()
        });
        for lane in Lane::iter().filter(|lane| lanes[*lane]) {
            let got_some = assigned.iter().any(|assigned| assigned.claimed.step.lane == lane);
            waiting[lane] = more[lane].then_some(Some(freed[lane]).filter(|_| !got_some));
        }
        assigned
    }

    async fn claim(&self, lanes: PerLane<bool>) -> Result<(Vec<Assigned>, PerLane<bool>), DbErr> {
        claim(&self.store, self.clock.now(), self.options.lease, &self.load, &self.turns, lanes, &self.node)
            .await
    }

    /// Runs everything that is due, including what becomes due meanwhile. Returns the number of runs. For tests.
    pub async fn drain(&self) -> Result<usize, DbErr> {
        let mut runs = 0;
        loop {
            match self.drain_once().await? {
                0 => return Ok(runs),
                more => runs += more,
            }
            assert!(runs < DRAIN_AT_MOST, "steps trigger each other endlessly");
        }
    }

    /// Runs as many of the due steps as there are workers for. Returns the number of runs. For tests.
    pub async fn drain_once(&self) -> Result<usize, DbErr> {
        let (steps, _) = self.claim(PerLane::all(true)).await?;
        let cancel = CancellationToken::new();
        let runs = join_all(steps.into_iter().map(|step| self.run_in_turn(step, &cancel))).await;
        Ok(runs.into_iter().sum())
    }

    /// Drains, advancing a manual clock from one due time to the next up to `end`. For tests.
    pub async fn drain_until(&self, end: DateTime<Utc>) -> Result<usize, DbErr> {
        let mut runs = self.drain().await?;
        while let Some(due) = self.next_due().await?.filter(|due| *due <= end) {
            self.clock.advance(due - self.clock.now());
            runs += self.drain().await?;
        }
        self.clock.advance((end - self.clock.now()).max(Duration::zero()));
        Ok(runs)
    }

    /// When the next step is due, or may be taken over.
    pub async fn next_due(&self) -> Result<Option<DateTime<Utc>>, DbErr> {
        use workflow_step::Column;
        let earliest = async |status: StepStatus, column: Column| {
            workflow_step::Entity::find()
                .select_only()
                .column(column)
                .filter(Column::Status.eq(status))
                .order_by_asc(column)
                .into_tuple::<DateTime<Utc>>()
                .one(self.store.db())
                .await
        };
        let pending = earliest(StepStatus::Pending, Column::RunAt).await?;
        let running = earliest(StepStatus::Running, Column::LeaseUntil).await?;
        Ok(pending.into_iter().chain(running).min())
    }

    /// Runs a step, then a step of the same workflow that became due with it. Not a third one, so that other work
    /// gets its chance. Returns the number of runs.
    async fn run_in_turn(&self, assigned: Assigned, cancel: &CancellationToken) -> usize {
        let Some(next) = self.run_claimed(assigned, Some(cancel)).await else { return 1 };
        self.run_claimed(next, None).await;
        2
    }

    /// Runs a step. Returns the next one of its workflow, claimed, unless cancelled or without a token.
    async fn run_claimed(&self, assigned: Assigned, cancel: Option<&CancellationToken>) -> Option<Assigned> {
        let Assigned { claimed: Claimed { workflow, step, lease }, slot } = assigned;
        let cx = StepContext { store: self.store.clone(), clock: self.clock.clone(), workflow, step };
        let (step_id, kind, name) = (cx.step.id, cx.workflow.kind.clone(), cx.step.name.clone());
        let organization_id = cx.step.organization_id;
        let ended = match self.registry.find(&kind, &name) {
            Some(handler) => {
                let policy = handler.policy();
                let slot = Mutex::new(Some(slot));
                let run = Run { runner: self, handler: &*handler, policy, cx, lease, slot, cancel };
                Party::from(organization_id).working(crashed::marked(step_id, run.run())).await
            }
            None => self.leave_to_others(&cx, lease).await.map(|()| None),
        };
        match ended {
            Ok(next) => return next,
            Err(Stopped::Crashed) => {
                tracing::debug!(%step_id, kind, name, "the test made the worker die")
            }
            Err(Stopped::LeaseLost) => {
                tracing::warn!(%step_id, kind, name, "the step was taken over by another worker")
            }
            Err(Stopped::Database(error)) => {
                let error = StepError::from(error);
                tracing::warn!(%step_id, kind, name, %error, "the step runs again when its lease ends");
            }
        }
        None
    }

    async fn leave_to_others(&self, cx: &StepContext, lease: Lease) -> Result<(), Stopped> {
        let end = End::Later {
            at: self.clock.now() + UNKNOWN_STEP_REST,
            attempt: cx.step.attempt - 1,
            error: Some("no worker knows this step".into()),
        };
        lease.end(self.store.db(), self.clock.now(), end).await?;
        Ok(())
    }

    /// Releases a step that was claimed while the runner was being cancelled. If that fails it is taken over when its
    /// lease expires.
    async fn hand_back(&self, Assigned { claimed, .. }: Assigned) {
        let step_id = claimed.step.id;
        if let Err(error) = claimed.hand_back(self.store.db(), self.clock.now()).await {
            let error = StepError::from(error);
            tracing::warn!(%step_id, %error, "the step runs when its lease ends");
        }
    }
}

/// Whether steps may wait in a lane: the count of workers freed at the last claim, after which nothing was left that
/// could be claimed; none if that is not known.
type Waiting = Option<Option<u64>>;

/// Why a run ended without a result.
enum Stopped {
    Crashed,
    LeaseLost,
    Database(DbErr),
}

impl From<DbErr> for Stopped {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

type Outcome = Result<Done, StepError>;

/// One run of a claimed step.
struct Run<'a> {
    runner: &'a Runner,
    handler: &'a dyn Step,
    policy: Policy,
    cx: StepContext,
    lease: Lease,
    /// The worker; none once the result is being written and the worker takes another step.
    slot: Mutex<Option<Slot>>,
    /// If none, or once cancelled, no further step is claimed.
    cancel: Option<&'a CancellationToken>,
}

impl Run<'_> {
    /// Runs the step to its end. Returns the next step of its workflow if that is due.
    async fn run(self) -> Result<Option<Assigned>, Stopped> {
        if self.policy.lease.is_some() && !self.renew_lease().await? {
            return Err(Stopped::LeaseLost);
        }
        if self.cx.step.ended_process {
            return self.finish(Err(StepError::failed(crashed::REASON))).await;
        }
        if self.cx.step.attempt > self.policy.max_attempts {
            let reason = "the worker died or lost the step during the last attempt";
            return self.finish(Err(StepError::failed(reason))).await;
        }
        if self.probe(Point::BeforeRun)? {
            let _ = self.attempt().await?;
        }
        let outcome = self.attempt().await?;
        let next = self.finish(outcome).await?;
        if self.probe(Point::AfterCommit)? {
            let outcome = self.attempt().await?;
            match self.finish(outcome).await {
                Ok(_) | Err(Stopped::LeaseLost) => {}
                Err(stopped) => return Err(stopped),
            }
        }
        Ok(next)
    }

    /// Runs the handler while renewing the lease.
    async fn attempt(&self) -> Result<Outcome, Stopped> {
        let work = AssertUnwindSafe(timeout(self.policy.deadline, self.handler.run(&self.cx))).catch_unwind();
        tokio::select! {
            biased;
            outcome = work => Ok(match outcome {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Err(StepError::again("the step took too long")),
                Err(_) => Err(StepError::again("the step panicked")),
            }),
            () = self.keep_lease() => Err(Stopped::LeaseLost),
        }
    }

    /// Renews the lease until it is lost.
    async fn keep_lease(&self) {
        let pause = (self.lease_time() / 3).to_std().unwrap_or_default();
        let mut held_until = self.runner.clock.now() + self.lease_time();
        loop {
            tokio::time::sleep(pause).await;
            let now = self.runner.clock.now();
            match self.renew_lease().await {
                Ok(true) => held_until = now + self.lease_time(),
                Ok(false) => return,
                // The database may recover before the lease expires.
                Err(_) if now < held_until => {}
                Err(_) => return,
            }
        }
    }

    async fn renew_lease(&self) -> Result<bool, DbErr> {
        self.lease.renew(self.runner.store.db(), self.runner.clock.now() + self.lease_time()).await
    }

    fn lease_time(&self) -> Duration {
        self.policy.lease.unwrap_or(self.runner.options.lease)
    }

    /// Writes the outcome. If that fails, the error becomes the outcome.
    async fn finish(&self, outcome: Outcome) -> Result<Option<Assigned>, Stopped> {
        match self.write(outcome).await {
            Ok(Written::Committed(next)) => Ok(next.map(|next| *next)),
            Ok(Written::Refused(error)) => self.write_error(error).await,
            Ok(Written::RunAgain) => {
                let outcome = self.attempt().await?;
                match self.write(outcome).await? {
                    Written::Committed(next) => Ok(next.map(|next| *next)),
                    Written::Refused(error) => self.write_error(error).await,
                    Written::RunAgain => Ok(None),
                }
            }
            Err(Stopped::Database(error)) => self.write_error(error.into()).await,
            Err(stopped) => Err(stopped),
        }
    }

    async fn write_error(&self, error: StepError) -> Result<Option<Assigned>, Stopped> {
        self.write(Err(error)).await.map(|_| None)
    }

    async fn write(&self, outcome: Outcome) -> Result<Written, Stopped> {
        let now = self.runner.clock.now();
        let txn = self.runner.store.begin().await?;
        let mut after = None;
        let end = match outcome {
            Ok(done) => {
                after = done.after;
                if let Some(commit) = done.commit
                    && let Err(error) = commit(&txn).await
                {
                    txn.rollback().await?;
                    return Ok(Written::Refused(error));
                }
                if done.skipped { End::Skipped } else { End::Completed }
            }
            Err(error) => self.end_of(error, now),
        };
        if let End::Failed { error } = &end {
            tracing::warn!(step_id = %self.cx.step.id, kind = self.cx.workflow.kind, name = self.cx.step.name, reason = error, "step failed");
            self.handler.failed(&self.cx, error, &txn).await?;
        }
        let through = !matches!(end, End::Later { .. } | End::Moved { .. });
        let failed = matches!(end, End::Failed { .. });
        let change = self.change(&txn, now, end).await?;
        let made_due = if through {
            change_and_settle(&txn, now, self.cx.workflow.id, change).await?
        } else {
            (txn.execute_raw(change).await?.rows_affected() > 0).then_some(0)
        };
        let Some(made_due) = made_due else {
            txn.rollback().await?;
            return Err(Stopped::LeaseLost);
        };
        if self.probe(Point::BeforeCommit)? {
            txn.rollback().await?;
            return Ok(Written::RunAgain);
        }
        let next = if made_due > 0 && self.cancel.is_some_and(|cancel| !cancel.is_cancelled()) {
            let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            drop(slot);
            let (runner, workflow) = (self.runner, &self.cx.workflow);
            let (lease, node, db) = (runner.options.lease, &runner.node, runner.store.db());
            commit_and_claim_next(txn, now, lease, workflow, &runner.load, node, db).await?
        } else {
            txn.commit().await?;
            None
        };
        // A step that runs again may have been woken meanwhile; a failure may have woken others.
        if made_due > usize::from(next.is_some()) || failed || !through {
            self.runner.notify.notify_one();
        }
        if let Some(after) = after {
            after.await;
        }
        Ok(Written::Committed(next.map(Box::new)))
    }

    /// The change that ends the run, with the record of the attempt.
    async fn change(&self, txn: &Transaction, now: DateTime<Utc>, end: End) -> Result<Statement, DbErr> {
        let attempt = attempts::ended(&self.cx.step, now, &end);
        let change = self.lease.ending(now, end).into_query();
        match attempt {
            Some(attempt) => {
                txn.taking_along(change, step_attempt::Entity::insert(attempt).into_query()).await
            }
            None => Ok(txn.get_database_backend().build(&change)),
        }
    }

    /// How the run ends for this error, with the back-off applied.
    fn end_of(&self, error: StepError, now: DateTime<Utc>) -> End {
        let attempt = self.cx.step.attempt;
        match error {
            StepError::Failed { reason } => End::Failed { error: reason },
            StepError::Move { lane } => End::Moved { lane, attempt: attempt - 1 },
            StepError::Wait { until } => End::Later { at: until, attempt: attempt - 1, error: None },
            StepError::Again { reason, .. } if attempt >= self.policy.max_attempts => {
                End::Failed { error: reason }
            }
            StepError::Again { reason, after } => {
                let at = now + after.unwrap_or_else(|| (self.policy.backoff)(attempt));
                End::Later { at, attempt, error: Some(reason) }
            }
        }
    }

    /// Asks the test's probe; true means "run twice".
    fn probe(&self, point: Point) -> Result<bool, Stopped> {
        let verdict = self.runner.probe.as_ref().map_or(Verdict::Continue, |p| p.at(point, &self.cx));
        match verdict {
            Verdict::Continue => Ok(false),
            Verdict::RunTwice => Ok(true),
            Verdict::Crash => Err(Stopped::Crashed),
        }
    }
}

/// The result of writing an outcome.
enum Written {
    /// Committed, perhaps with the next step of the workflow claimed.
    Committed(Option<Box<Assigned>>),
    /// The step's commit function failed, so nothing was written.
    Refused(StepError),
    /// A test wants the step to run twice.
    RunAgain,
}
