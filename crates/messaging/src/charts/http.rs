//! `/api/messages/{id}/chart`: the documents of a message in charts. `/api/failedmessages/charts`: those that are not there.

use super::{
    failures, filing, finding,
    queries::chart_view,
    types::{ChartMatches, ChartView, FailedFiling, FailedFilingParams, FileRequest, MatchParams},
};
use crate::messages::queries;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Paged, Params},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(chart_filings, file_to_chart))
        .route(MEMBERS, routes!(chart_matches))
        .route(MEMBERS, routes!(undo_chart_filing))
        .route(MEMBERS, routes!(retry_chart_filing))
        .route(MEMBERS, routes!(failed_chart_filings))
        .route(MEMBERS, routes!(acknowledge_chart_filing))
}

/// The documents of a message in charts, newest first
#[utoipa::path(get, path = "/api/messages/{id}/chart", operation_id = "chartFilings", tag = "charts",
    params(("id" = Uuid, Path)), responses((status = 200, body = ChartView)))]
async fn chart_filings(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<ChartView>> {
    let row = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "message", id)).await?;
    Ok(Json(chart_view(&app, &member, &row).await?))
}

/// Files documents of a message into the chart of its patient
///
/// The patient of the message has to be one that was looked up in the chart (`integrationMeta`).
#[utoipa::path(post, path = "/api/messages/{id}/chart", operation_id = "fileToChart", tag = "charts",
    params(("id" = Uuid, Path)), request_body = FileRequest, responses((status = 200, body = ChartView)))]
async fn file_to_chart(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(wanted): Body<FileRequest>,
) -> Result<Json<ChartView>> {
    let row = filing::file(&app, &member, id, wanted).await?;
    Ok(Json(chart_view(&app, &member, &row).await?))
}

/// The patients of the chart who may be the patient of a message
#[utoipa::path(get, path = "/api/messages/{id}/chart/matches", operation_id = "chartMatches", tag = "charts",
    params(("id" = Uuid, Path), MatchParams), responses((status = 200, body = ChartMatches)))]
async fn chart_matches(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(params): Params<MatchParams>,
) -> Result<Json<ChartMatches>> {
    Ok(Json(finding::matches(&app, &member, id, params.integration_id).await?))
}

/// Takes a filed document back from the chart
///
/// One that is there already is marked as entered in error. The message can be processed again.
#[utoipa::path(post, path = "/api/messages/{id}/chart/{filingId}/undo", operation_id = "undoChartFiling",
    tag = "charts", params(("id" = Uuid, Path), ("filingId" = Uuid, Path)),
    responses((status = 200, body = ChartView)))]
async fn undo_chart_filing(
    State(app): State<App>,
    member: Member,
    Id((id, filing)): Id<(Uuid, Uuid)>,
) -> Result<Json<ChartView>> {
    let row = filing::undo(&app, &member, id, filing).await?;
    Ok(Json(chart_view(&app, &member, &row).await?))
}

/// Tries again what failed
#[utoipa::path(post, path = "/api/messages/{id}/chart/{filingId}/retry", operation_id = "retryChartFiling",
    tag = "charts", params(("id" = Uuid, Path), ("filingId" = Uuid, Path)),
    responses((status = 200, body = ChartView)))]
async fn retry_chart_filing(
    State(app): State<App>,
    member: Member,
    Id((id, filing)): Id<(Uuid, Uuid)>,
) -> Result<Json<ChartView>> {
    let row = filing::retry(&app, &member, id, filing).await?;
    Ok(Json(chart_view(&app, &member, &row).await?))
}

/// Documents that are not in a chart, newest first
///
/// Those that wait for more than ten minutes, could not be filed, or could not be taken back, until somebody
/// acknowledges them.
#[utoipa::path(get, path = "/api/failedmessages/charts", operation_id = "failedChartFilings", tag = "charts",
    params(FailedFilingParams), responses((status = 200, body = Paged<FailedFiling>)))]
async fn failed_chart_filings(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FailedFilingParams>,
) -> Result<Json<Paged<FailedFiling>>> {
    let found = failures::list(&app, &member, &params).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "failedmessages", "")).await?;
    Ok(Json(found))
}

/// Acknowledges a document that is not in a chart, which removes it from the list
#[utoipa::path(put, path = "/api/failedmessages/charts/{id}/acknowledge", operation_id = "acknowledgeChartFiling",
    tag = "charts", params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Not failed")))]
async fn acknowledge_chart_filing(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    failures::acknowledge(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
