//! `/api/messages/bulk/jobs`: bulk jobs of the caller.

use super::{
    queries,
    types::{BulkJob, BulkJobRequest, RefusedMessage},
};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Items, Page, Paged, Params},
};
use serde::Deserialize;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(bulk_jobs, start_bulk_job))
        .route(MEMBERS, routes!(bulk_job))
        .route(MEMBERS, routes!(bulk_job_refused))
        .route(MEMBERS, routes!(stop_bulk_job))
}

/// Performs an action on all matching messages, without limit
///
/// The job runs in the background. Each message is done or refused separately.
#[utoipa::path(post, path = "/api/messages/bulk/jobs", operation_id = "startBulkJob", tag = "messages",
    request_body = BulkJobRequest,
    responses((status = 200, body = BulkJob), (status = 409, description = "Another job is still running")))]
async fn start_bulk_job(
    State(app): State<App>,
    member: Member,
    Body(body): Body<BulkJobRequest>,
) -> Result<Json<BulkJob>> {
    Ok(Json(queries::start(&app, &member, body).await?))
}

/// The caller's jobs of the last week, newest first
#[utoipa::path(get, path = "/api/messages/bulk/jobs", operation_id = "bulkJobs", tag = "messages",
    responses((status = 200, body = Items<BulkJob>)))]
async fn bulk_jobs(State(app): State<App>, member: Member) -> Result<Json<Items<BulkJob>>> {
    Ok(Json(Items { items: queries::list(&app, &member).await? }))
}

/// Progress of a job of the caller
#[utoipa::path(get, path = "/api/messages/bulk/jobs/{id}", operation_id = "bulkJob", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = BulkJob)))]
async fn bulk_job(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<BulkJob>> {
    let row = queries::find(app.store.db(), &member, id).await?;
    Ok(Json(queries::view(app.store.db(), row).await?))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct RefusedParams {
    /// Default 30, maximum 100
    page_size: Option<u64>,
    page_start: Option<u64>,
}

/// The messages that a job of the caller refused, with reasons
#[utoipa::path(get, path = "/api/messages/bulk/jobs/{id}/refused", operation_id = "bulkJobRefused", tag = "messages",
    params(("id" = Uuid, Path), RefusedParams), responses((status = 200, body = Paged<RefusedMessage>)))]
async fn bulk_job_refused(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(params): Params<RefusedParams>,
) -> Result<Json<Paged<RefusedMessage>>> {
    let page = Page::new(params.page_start, params.page_size, 30, 100)?;
    let found = queries::refused(&app, &member, id, page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "bulkjob", id)).await?;
    Ok(Json(found))
}

/// Stops a job of the caller after its current message; finished messages stay as they are
#[utoipa::path(post, path = "/api/messages/bulk/jobs/{id}/stop", operation_id = "stopBulkJob", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = BulkJob)))]
async fn stop_bulk_job(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<BulkJob>> {
    Ok(Json(queries::stop(&app, &member, id).await?))
}
