//! The workflow that retries steps of other workflows.

use chrono::{DateTime, TimeDelta, Utc};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, DbErr, EntityTrait, IntoActiveModel, QuerySelect};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        workflow_retry::{self, RetryStatus},
        workflow_step,
    },
};
use uuid::Uuid;
use workflow::{
    Done, Lane, NewStep, NewWorkflow, Registry, RetryError, Step, StepContext, StepError, StepType, names,
};

const RETRY: &str = "BulkRetryWorkflow";
const RETRY_STEPS: StepType = StepType::new("RetrySteps", Lane::Chores);
/// Steps that are retried at once, and the pause after them: steps that failed because a partner was overloaded must
/// not all return at the same time.
const STEPS_AT_ONCE: usize = 20;
const PAUSE: TimeDelta = TimeDelta::seconds(1);

/// The steps of retries.
pub fn registry(app: &App) -> Registry {
    Registry::new().with(RETRY, RETRY_STEPS, RetrySteps(app.clone()))
}

/// Enqueues a retry as a workflow of the platform.
pub async fn enqueue(txn: &Transaction, now: DateTime<Utc>, retry_id: Uuid) -> Result<(), DbErr> {
    let steps = vec![NewStep::new(0, RETRY_STEPS, now)];
    let new = NewWorkflow { organization_id: Uuid::nil(), kind: RETRY.into(), object_id: retry_id, steps };
    workflow::enqueue(txn, now, new).await.map(drop)
}

struct RetrySteps(App);

#[async_trait::async_trait]
impl Step for RetrySteps {
    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let Self(app) = self;
        let now = app.clock.now();
        let txn = app.store.begin().await?;
        // The progress is committed with the retries, so that none is done twice.
        let row = workflow_retry::Entity::find_by_id(cx.object_id()).lock_exclusive().one(&txn).await?;
        let Some(row) = row.filter(|row| row.status == RetryStatus::Running) else { return Ok(Done::new()) };
        let done = usize::try_from(row.done).unwrap_or_default();
        let part: Vec<Uuid> =
            row.steps.0.iter().skip(done).take(STEPS_AT_ONCE).filter_map(|id| id.parse().ok()).collect();
        let mut retried = row.retried;
        for step_id in &part {
            if retry(app, &txn, &row, *step_id).await? {
                retried += 1;
            }
        }
        let is_last = done + part.len() >= row.steps.0.len();
        let mut moved = workflow_retry::ActiveModel { id: Set(row.id), ..Default::default() };
        moved.done = Set(i32::try_from(done + part.len()).unwrap_or(i32::MAX));
        moved.retried = Set(retried);
        if is_last {
            moved.status = Set(RetryStatus::Completed);
            moved.ended_at = Set(Some(now));
        }
        moved.update(&txn).await?;
        txn.commit().await?;
        app.bus.publish(platform::bus::Event::Work).await;
        if is_last { Ok(Done::new()) } else { Err(StepError::Wait { until: now + PAUSE }) }
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        if let Some(row) = workflow_retry::Entity::find_by_id(cx.object_id()).one(txn).await? {
            let mut stopped = row.into_active_model();
            stopped.status = Set(RetryStatus::Stopped);
            stopped.ended_at = Set(Some(self.0.clock.now()));
            stopped.update(txn).await?;
        }
        Ok(())
    }
}

/// Retries one step for the person who requested the retry. Returns whether it runs again.
async fn retry(
    app: &App,
    txn: &Transaction,
    row: &workflow_retry::Model,
    step_id: Uuid,
) -> Result<bool, StepError> {
    let actor = Actor {
        id: row.actor_id,
        name: row.actor_name.clone(),
        organization_id: None,
        source_ip: row.source_ip.clone(),
    };
    let retried = retry_as(app, txn, &actor, step_id, row.step == names::DELIVER.name).await;
    retried.map_err(|_| StepError::again("the step cannot be retried, or the retry cannot be audited"))
}

/// Retries one step, as an act on its organization. Returns whether it runs again: steps that have completed
/// meanwhile or are running stay as they are. With `repeats`, completed steps with refused recipients run again too,
/// and find the remaining recipients themselves.
pub async fn retry_as(
    app: &App,
    txn: &Transaction,
    actor: &Actor,
    step_id: Uuid,
    repeats: bool,
) -> Result<bool> {
    let now = app.clock.now();
    let retried = match workflow::retry(txn, now, step_id).await {
        Err(RetryError::Completed) if repeats => workflow::repeat(txn, now, step_id).await,
        retried => retried,
    };
    match retried {
        Ok(()) => {}
        Err(RetryError::Database(error)) => return Err(error.into()),
        Err(RetryError::NotFound | RetryError::Completed | RetryError::Running) => return Ok(false),
    }
    let step = workflow_step::Entity::find_by_id(step_id)
        .one(txn)
        .await?
        .ok_or_else(|| Error::internal("a retried step does not exist"))?;
    let actor = Actor { organization_id: Some(step.organization_id), ..actor.clone() };
    let act = Act::new(event::CHANGED, "workflow", step.workflow_id).detail(json!({ "retried": step.name }));
    audit::record(app, txn, &actor, act).await?;
    Ok(true)
}
