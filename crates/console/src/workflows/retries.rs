//! `/api/workflows/retry`: retries many steps, a few at a time.

use super::{
    causes::{self, STEPS_MAX, cause_of},
    identifiers::{listed, uuid_of},
    refused,
};
use ::workflow::{StepType, names};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::FieldErrors,
    http::{Body, Created, Id, Items},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use store::entities::{
    workflow,
    workflow_retry::{self, RetryStatus},
    workflow_step::{self, StepStatus},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of retries that run at the same time.
const OPEN_MAX: u64 = 5;
const SHOWN: u64 = 10;
/// Maximum number of ids in one statement.
const CHUNK: usize = 500;

const TYPE_MISSING: &str = "Type is missing.";
const STEP_MISSING: &str = "Step Type is missing.";
const IDS_MISSING: &str = "Workflow Ids are missing.";
const WRONG_STEP: &str = "Workflows of this type have no such step.";
const TOO_MANY: &str = "Please enter at most 10,000 workflow ids.";
const NOTHING: &str = "There are no such steps to retry.";
const BUSY: &str = "Five retries are running. Please wait until one is done.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(retry_workflows))
        .route(SYSADMINS, routes!(count_retry))
        .route(SYSADMINS, routes!(workflow_retries))
        .route(SYSADMINS, routes!(stop_workflow_retry))
}

/// Which workflows are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetryType {
    Send,
    Receive,
}

impl RetryType {
    /// Names of the workflows in the database.
    fn kind(self) -> &'static str {
        match self {
            Self::Send => names::SEND,
            Self::Receive => names::RECEIVE,
        }
    }

    pub fn steps(self) -> &'static [RetryStep] {
        match self {
            Self::Send => {
                &[RetryStep::Deliver, RetryStep::RenderFax, RetryStep::SubmitFax, RetryStep::AwaitNotices]
            }
            Self::Receive => {
                &[RetryStep::Open, RetryStep::OpenFax, RetryStep::OpenInterface, RetryStep::Notify]
            }
        }
    }
}

/// The steps that can be retried, by their names in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub enum RetryStep {
    Deliver,
    RenderFax,
    SubmitFax,
    AwaitNotices,
    Open,
    OpenFax,
    OpenInterface,
    Notify,
}

impl RetryStep {
    pub fn name(self) -> &'static str {
        self.step().name
    }

    fn step(self) -> StepType {
        match self {
            Self::Deliver => names::DELIVER,
            Self::RenderFax => names::RENDER_FAX,
            Self::SubmitFax => names::SUBMIT_FAX,
            Self::AwaitNotices => names::AWAIT_NOTICES,
            Self::Open => names::OPEN_MAIL,
            Self::OpenFax => names::OPEN_FAX,
            Self::OpenInterface => names::OPEN_INTERFACE,
            Self::Notify => names::NOTIFY,
        }
    }
}

/// Steps to retry: those of given workflows, or those that failed for a cause.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowRetryForm {
    pub r#type: Option<RetryType>,
    pub retry_step: Option<RetryStep>,
    /// At most 10,000.
    #[serde(default)]
    pub workflow_ids: Vec<String>,
    /// A cause from the list of failures.
    pub cause: Option<String>,
    /// Leaves out steps that failed for the cause after this time.
    pub until: Option<DateTime<Utc>>,
}

/// A complete, checked form.
struct Wanted {
    kind: RetryType,
    step: RetryStep,
    ids: BTreeSet<Uuid>,
    cause: Option<String>,
    until: Option<DateTime<Utc>>,
}

impl WorkflowRetryForm {
    fn check(self) -> Result<Wanted> {
        let mut errors = FieldErrors::default();
        let ids = listed(self.workflow_ids.iter().map(String::as_str));
        errors.require(self.r#type.is_some(), "type", TYPE_MISSING);
        errors.require(self.retry_step.is_some(), "retryStep", STEP_MISSING);
        errors.require(!ids.is_empty() || self.cause.is_some(), "workflowIds", IDS_MISSING);
        errors.require(ids.len() as u64 <= STEPS_MAX, "workflowIds", TOO_MANY);
        if let Some(wrong) = ids.iter().find(|id| uuid_of(id).is_none()) {
            let shown: String = wrong.chars().take(40).collect();
            errors.add("workflowIds", format!("“{shown}” is not a workflow id."));
        }
        if let (Some(kind), Some(step)) = (self.r#type, self.retry_step) {
            errors.require(kind.steps().contains(&step), "retryStep", WRONG_STEP);
        }
        errors.check()?;
        let (Some(kind), Some(step)) = (self.r#type, self.retry_step) else {
            return Err(Error::internal("the form was checked"));
        };
        let ids = ids.iter().filter_map(|id| uuid_of(id)).collect();
        Ok(Wanted { kind, step, ids, cause: self.cause, until: self.until })
    }
}

impl Wanted {
    /// The steps that would be retried, oldest first.
    async fn steps(&self, db: &impl ConnectionTrait) -> Result<Vec<Uuid>> {
        if self.ids.is_empty() {
            let failed = causes::failed(db, self.step, self.until).await?;
            let of_cause =
                failed.into_iter().rev().filter(|step| Some(cause_of(step.error.as_deref())) == self.cause);
            return Ok(of_cause.map(|step| step.id).collect());
        }
        use workflow_step::Column;
        let ids: Vec<Uuid> = self.ids.iter().copied().collect();
        let mut steps = Vec::new();
        for part in ids.chunks(CHUNK) {
            let of_kind: Vec<Uuid> = workflow::Entity::find()
                .select_only()
                .column(workflow::Column::Id)
                .filter(workflow::Column::Id.is_in(part.iter().copied()))
                .filter(workflow::Column::Kind.eq(self.kind.kind()))
                .into_tuple()
                .all(db)
                .await?;
            let found: Vec<Uuid> = workflow_step::Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(Column::WorkflowId.is_in(of_kind))
                .filter(Column::Name.eq(self.step.name()))
                .filter(Column::Status.is_in([StepStatus::Failed, StepStatus::Pending, StepStatus::Skipped]))
                .order_by_asc(Column::Id)
                .into_tuple()
                .all(db)
                .await?;
            steps.extend(found);
        }
        if self.step == RetryStep::Deliver {
            let wanted = self.ids.iter().copied().collect();
            steps.extend(refused::steps(db, self.until, Some(&wanted)).await?.iter().map(|step| step.id));
        }
        steps.truncate(usize::try_from(STEPS_MAX).unwrap_or(usize::MAX));
        Ok(steps)
    }
}

/// A retry of many steps and its progress.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowRetry {
    pub id: Uuid,
    pub retry_step: String,
    pub cause: Option<String>,
    pub total: i32,
    /// Number of steps tried so far.
    pub done: i32,
    /// Those that run again; the others had completed or were running.
    pub retried: i32,
    pub status: RetryStatus,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub end_date: Option<DateTime<Utc>>,
}

impl From<workflow_retry::Model> for WorkflowRetry {
    fn from(row: workflow_retry::Model) -> Self {
        Self {
            id: row.id,
            retry_step: row.step,
            cause: row.cause,
            total: row.total,
            done: row.done,
            retried: row.retried,
            status: row.status,
            created_by: row.created_by,
            create_date: row.created_at,
            end_date: row.ended_at,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct RetryCount {
    /// Number of steps that would be retried.
    pub steps: usize,
}

/// Counts the steps that a retry would run again
#[utoipa::path(post, path = "/api/workflows/retry/count", operation_id = "countRetry", tag = "workflows",
    request_body = WorkflowRetryForm, responses((status = 200, body = RetryCount)))]
async fn count_retry(
    State(app): State<App>,
    Body(form): Body<WorkflowRetryForm>,
) -> Result<Json<RetryCount>> {
    let steps = form.check()?.steps(app.store.db()).await?.len();
    Ok(Json(RetryCount { steps }))
}

/// Retries steps of many workflows, a few at a time
#[utoipa::path(post, path = "/api/workflows/retry", operation_id = "retryWorkflows", tag = "workflows",
    request_body = WorkflowRetryForm,
    responses((status = 201, body = WorkflowRetry), (status = 409, description = "Nothing to retry")))]
async fn retry_workflows(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<WorkflowRetryForm>,
) -> Result<Created<WorkflowRetry>> {
    let wanted = form.check()?;
    let txn = app.store.begin().await?;
    let open = workflow_retry::Entity::find()
        .filter(workflow_retry::Column::Status.eq(RetryStatus::Running))
        .count(&txn)
        .await?;
    if open >= OPEN_MAX {
        return Err(Error::Conflict(BUSY.into()));
    }
    let steps = wanted.steps(&txn).await?;
    if steps.is_empty() {
        return Err(Error::Conflict(NOTHING.into()));
    }
    let actor = Actor::platform(&caller);
    let row = workflow_retry::Model {
        id: Uuid::now_v7(),
        kind: wanted.kind.kind().into(),
        step: wanted.step.name().into(),
        cause: wanted.cause.filter(|_| wanted.ids.is_empty()),
        total: i32::try_from(steps.len()).unwrap_or(i32::MAX),
        steps: steps.iter().map(Uuid::to_string).collect(),
        done: 0,
        retried: 0,
        status: RetryStatus::Running,
        created_by: caller.user_name.clone(),
        actor_id: actor.id,
        actor_name: actor.name.clone(),
        source_ip: actor.source_ip.clone(),
        created_at: app.clock.now(),
        ended_at: None,
    };
    let row = row.into_active_model().reset_all().insert(&txn).await?;
    super::bulk_retry::enqueue(&txn, app.clock.now(), row.id).await?;
    let detail = json!({ "workflow": row.kind, "step": row.step, "steps": row.total });
    audit::record(&app, &txn, &actor, Act::new(event::CREATED, "workflowretry", row.id).detail(detail))
        .await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(Created("/api/workflows/retries".into(), row.into()))
}

/// The newest retries and their progress
#[utoipa::path(get, path = "/api/workflows/retries", operation_id = "workflowRetries", tag = "workflows",
    responses((status = 200, body = Items<WorkflowRetry>)))]
async fn workflow_retries(State(app): State<App>) -> Result<Json<Items<WorkflowRetry>>> {
    let rows = workflow_retry::Entity::find()
        .order_by_desc(workflow_retry::Column::Id)
        .limit(SHOWN)
        .all(app.store.db())
        .await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// Stops a retry; steps that it has not reached stay as they are
#[utoipa::path(post, path = "/api/workflows/retries/{id}/stop", operation_id = "stopWorkflowRetry",
    tag = "workflows", params(("id" = Uuid, Path)), responses((status = 200, body = WorkflowRetry)))]
async fn stop_workflow_retry(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<WorkflowRetry>> {
    let txn = app.store.begin().await?;
    let row = workflow_retry::Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let row = row.ok_or(Error::NotFound)?;
    if row.status != RetryStatus::Running {
        return Ok(Json(row.into()));
    }
    let detail = json!({ "stopped": true, "done": row.done });
    let mut stopped = row.into_active_model();
    stopped.status = Set(RetryStatus::Stopped);
    stopped.ended_at = Set(Some(app.clock.now()));
    let stopped = stopped.update(&txn).await?;
    let act = Act::new(event::CHANGED, "workflowretry", id).detail(detail);
    audit::record(&app, &txn, &Actor::platform(&caller), act).await?;
    txn.commit().await?;
    Ok(Json(stopped.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::types::RunKind;

    #[test]
    fn the_wire_calls_workflows_and_steps_as_the_database_does() {
        for kind in [RetryType::Send, RetryType::Receive] {
            for step in kind.steps() {
                assert_eq!(json!(step), step.name());
            }
        }
        for kind in RunKind::ALL {
            assert_eq!(json!(kind), kind.name());
        }
    }
}
