//! `/api/diagnostics/messaging/workflows`, `/api/workflows/{id}`

use super::{
    queries,
    rerun::rerun,
    types::{Run, RunKind, RunQuery, RunRetry, RunsFilters, RunsFound, RunsPaging, RunsQuery, RunsSearch},
    view::views,
};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Error, Result,
    access::{OPERATORS, SYSADMINS},
    api::Api,
    http::{Body, Id, Page, Paged, Params},
};
use sea_orm::EntityTrait;
use std::borrow::Cow;
use store::entities::workflow;
use utoipa_axum::routes;
use uuid::Uuid;

const SIZE: u64 = 20;
const SIZE_MAX: u64 = 100;
const GONE: Error = Error::BadRequest(Cow::Borrowed(
    "The last workflow of the previous page no longer exists. Please start again from the first page.",
));

pub fn api() -> Api {
    Api::new()
        .route(OPERATORS, routes!(workflow_runs))
        .route(OPERATORS, routes!(search_workflow_runs))
        .route(SYSADMINS, routes!(workflow_run, retry_workflow_run))
}

/// Workflows that send and receive messages, newest first
#[utoipa::path(get, path = "/api/diagnostics/messaging/workflows", operation_id = "workflowRuns", tag = "workflows",
    params(RunsQuery), responses((status = 200, body = Paged<Run>)))]
async fn workflow_runs(State(app): State<App>, Params(query): Params<RunsQuery>) -> Result<Json<Paged<Run>>> {
    let paging =
        RunsPaging { cursor: query.cursor, page_number: query.page_number, page_size: query.page_size };
    let filters = RunsFilters { status: query.status, r#type: query.r#type, channel: query.channel };
    Ok(Json(paged(&app, filters, false, &paging).await?))
}

/// Workflows that send and receive messages, sorted
#[utoipa::path(post, path = "/api/diagnostics/messaging/workflows/_search", operation_id = "searchWorkflowRuns",
    tag = "workflows", request_body = RunsSearch, responses((status = 200, body = RunsFound)))]
async fn search_workflow_runs(
    State(app): State<App>,
    Body(search): Body<RunsSearch>,
) -> Result<Json<RunsFound>> {
    let RunsSearch { paging, sorting, filters } = search;
    let found = paged(&app, filters, sorting.oldest_first, &paging).await?;
    Ok(Json(RunsFound {
        message_health_data_values: found.items,
        message_health_data_values_count: found.total_count,
    }))
}

async fn paged(
    app: &App,
    filters: RunsFilters,
    is_oldest_first: bool,
    paging: &RunsPaging,
) -> Result<Paged<Run>> {
    let db = app.store.db();
    let number = paging.page_number.filter(|_| paging.cursor.is_none());
    let page = Page::new(number, paging.page_size, SIZE, SIZE_MAX)?;
    let behind = match paging.cursor {
        Some(id) => Some(workflow::Entity::find_by_id(id).one(db).await?.ok_or(GONE)?),
        None => None,
    };
    let (rows, counted) = queries::page(db, filters, is_oldest_first, behind.as_ref(), page).await?;
    Ok(Paged::capped(views(db, rows, app.clock.now(), false).await?, counted))
}

/// A workflow with its message, its steps and every attempt
#[utoipa::path(get, path = "/api/workflows/{id}", operation_id = "workflowRun", tag = "workflows",
    params(("id" = Uuid, Path), RunQuery), responses((status = 200, body = Run)))]
async fn workflow_run(
    State(app): State<App>,
    Id(id): Id<Uuid>,
    Params(query): Params<RunQuery>,
) -> Result<Json<Run>> {
    found(&app, id, query.r#type).await.map(Json)
}

async fn found(app: &App, id: Uuid, kind: Option<RunKind>) -> Result<Run> {
    let db = app.store.db();
    let row = workflow::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let found = views(db, vec![row], app.clock.now(), true).await?.pop();
    found.filter(|run| kind.is_none_or(|kind| kind == run.kind)).ok_or(Error::NotFound)
}

/// Runs a step again, and the steps after it
#[utoipa::path(put, path = "/api/workflows/{id}", operation_id = "retryWorkflowRun", tag = "workflows",
    params(("id" = Uuid, Path)), request_body = RunRetry,
    responses((status = 200, body = Run), (status = 409, description = "The step has completed, or is running")))]
async fn retry_workflow_run(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<RunRetry>,
) -> Result<Json<Run>> {
    rerun(&app, &caller, id, &form).await?;
    found(&app, id, None).await.map(Json)
}
