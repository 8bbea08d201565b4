//! A runner with steps made of closures, on a clock that stands still.

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use std::sync::{Arc, Mutex};
use store::{
    Clock, Store, Transaction,
    entities::{workflow as workflow_row, workflow_step},
};
use uuid::Uuid;
use workflow::{
    Done, Lane, NewStep, NewWorkflow, Options, Policy, Registry, Runner, Step, StepContext, StepError,
    StepType, Workers,
};

pub const KIND: &str = "errand";

/// The kind of a step whose lane does not matter.
pub const fn chore(name: &'static str) -> StepType {
    StepType::new(name, Lane::Chores)
}

/// The number of workers in each lane, all available to one organization.
pub fn each(count: usize) -> Workers {
    Workers { organization_percent: 100, partner_percent: 100, ..Workers::each(count) }
}

type Work = dyn Fn(&StepContext) -> BoxFuture<'static, Result<Done, StepError>> + Send + Sync;

/// A step made of a closure. It records its runs and its failure.
#[derive(Clone)]
pub struct Act {
    work: Arc<Work>,
    policy: Policy,
    pub notes: Notes,
}

/// Events in order.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub fn add(&self, note: impl Into<String>) {
        self.0.lock().unwrap().push(note.into());
    }

    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub fn sorted(&self) -> Vec<String> {
        let mut all = self.all();
        all.sort();
        all
    }
}

impl Act {
    pub fn new<F>(notes: &Notes, work: F) -> Self
    where
        F: Fn(&StepContext) -> Result<Done, StepError> + Send + Sync + 'static,
    {
        Self::slow(notes, move |cx| {
            let result = work(cx);
            Box::pin(async move { result })
        })
    }

    pub fn slow<F>(notes: &Notes, work: F) -> Self
    where
        F: Fn(&StepContext) -> BoxFuture<'static, Result<Done, StepError>> + Send + Sync + 'static,
    {
        let policy =
            Policy { max_attempts: 3, backoff: |n| Duration::minutes(n.into()), ..Policy::default() };
        Self { work: Arc::new(work), policy, notes: notes.clone() }
    }

    pub fn fine(notes: &Notes) -> Self {
        Self::new(notes, |_| Ok(Done::new()))
    }

    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.policy.lease = Some(lease);
        self
    }
}

#[async_trait]
impl Step for Act {
    fn policy(&self) -> Policy {
        self.policy
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        self.notes.add(cx.step.name.clone());
        (self.work)(cx).await
    }

    async fn failed(&self, cx: &StepContext, reason: &str, _: &Transaction) -> Result<(), DbErr> {
        self.notes.add(format!("{} failed: {reason}", cx.step.name));
        Ok(())
    }
}

pub struct World {
    pub store: Store,
    pub clock: Clock,
    pub notes: Notes,
}

impl World {
    pub fn new(store: Store) -> Self {
        let start = "2026-03-01T08:00:00Z".parse::<DateTime<Utc>>().unwrap();
        Self { store, clock: Clock::manual(start), notes: Notes::default() }
    }

    pub fn runner(&self, registry: Registry) -> Runner {
        let options =
            Options { workers: each(4), poll: std::time::Duration::from_millis(20), ..Options::default() };
        Runner::new(self.store.clone(), self.clock.clone(), registry, options)
    }

    /// A runner with one worker in each lane that polls for due steps only at the start and when notified.
    pub fn lone_worker(&self, registry: Registry) -> Runner {
        let options =
            Options { workers: each(1), poll: std::time::Duration::from_secs(3_600), ..Options::default() };
        Runner::new(self.store.clone(), self.clock.clone(), registry, options)
    }

    /// Steps that all succeed.
    pub fn fine(&self, names: &[&'static str]) -> Registry {
        names.iter().fold(Registry::new(), |r, name| r.with(KIND, chore(name), Act::fine(&self.notes)))
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn minutes(&self, minutes: i64) -> DateTime<Utc> {
        self.now() + Duration::minutes(minutes)
    }

    pub fn plan(&self, steps: &[(i32, &'static str)]) -> NewWorkflow {
        NewWorkflow {
            organization_id: Uuid::now_v7(),
            kind: KIND.to_owned(),
            object_id: Uuid::now_v7(),
            steps: steps.iter().map(|(stage, name)| NewStep::new(*stage, chore(name), self.now())).collect(),
        }
    }

    pub async fn enqueue(&self, steps: &[(i32, &'static str)]) -> Uuid {
        let txn = self.store.begin().await.unwrap();
        let id = workflow::enqueue(&txn, self.now(), self.plan(steps)).await.unwrap();
        txn.commit().await.unwrap();
        id
    }

    pub async fn wake(&self, id: Uuid, name: &'static str) -> u64 {
        let txn = self.store.begin().await.unwrap();
        let woken = workflow::wake(&txn, self.now(), id, chore(name)).await.unwrap();
        txn.commit().await.unwrap();
        woken
    }

    pub async fn complete_waiting(&self, id: Uuid, name: &'static str) {
        let txn = self.store.begin().await.unwrap();
        workflow::complete_waiting(&txn, self.now(), id, chore(name)).await.unwrap();
        txn.commit().await.unwrap();
    }

    pub async fn retry(&self, step_id: Uuid) -> Result<(), workflow::RetryError> {
        let txn = self.store.begin().await.unwrap();
        let result = workflow::retry(&txn, self.now(), step_id).await;
        txn.commit().await.unwrap();
        result
    }

    pub async fn workflow(&self, id: Uuid) -> workflow_row::Model {
        workflow_row::Entity::find_by_id(id).one(self.store.db()).await.unwrap().unwrap()
    }

    pub async fn status(&self, id: Uuid) -> String {
        self.workflow(id).await.status.to_string()
    }

    pub async fn step(&self, id: Uuid, name: &str) -> workflow_step::Model {
        workflow_step::Entity::find()
            .filter(workflow_step::Column::WorkflowId.eq(id))
            .filter(workflow_step::Column::Name.eq(name))
            .one(self.store.db())
            .await
            .unwrap()
            .unwrap()
    }

    /// Name and state of every step.
    pub async fn steps(&self, id: Uuid) -> Vec<(String, String)> {
        let steps = workflow_step::Entity::find()
            .filter(workflow_step::Column::WorkflowId.eq(id))
            .order_by_asc(workflow_step::Column::Stage)
            .order_by_asc(workflow_step::Column::Name)
            .all(self.store.db())
            .await
            .unwrap();
        steps.into_iter().map(|s| (s.name, s.status.to_string())).collect()
    }
}

pub fn states(states: &[(&str, &str)]) -> Vec<(String, String)> {
    states.iter().map(|(name, state)| (name.to_string(), state.to_string())).collect()
}
