//! `/api/failedmessages`: deliveries that wait, failed, or have an unknown outcome.

use super::queries;
use super::types::{AcknowledgeAll, Acknowledged, FailedMessage, FailedView, OtherRecipient};
use crate::{model::Created, release::corrections};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Id, Page, Paged, Params},
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(failed_messages))
        .route(MEMBERS, routes!(acknowledge))
        .route(MEMBERS, routes!(acknowledge_all))
        .route(MEMBERS, routes!(send_now))
        .route(MEMBERS, routes!(draft_for_another))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct FailedParams {
    /// Default: both.
    #[param(inline)]
    view: Option<FailedView>,
    page_start: Option<u64>,
    /// Default 10, maximum 100.
    page_size: Option<u64>,
}

/// Unsent and failed messages that nobody has acknowledged, newest first
#[utoipa::path(get, path = "/api/failedmessages", operation_id = "failedMessages", tag = "release",
    params(FailedParams), responses((status = 200, body = Paged<FailedMessage>)))]
async fn failed_messages(
    State(app): State<App>,
    member: Member,
    Params(params): Params<FailedParams>,
) -> Result<Json<Paged<FailedMessage>>> {
    let page = Page::new(params.page_start, params.page_size, 10, 100)?;
    let found = queries::list(&app, &member, params.view, page).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "failedmessages", "")).await?;
    Ok(Json(found))
}

/// Acknowledges a failure, which removes it from the list
#[utoipa::path(put, path = "/api/failedmessages/{id}/acknowledge", operation_id = "acknowledgeFailedMessage",
    tag = "release", params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Not failed")))]
async fn acknowledge(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::acknowledge(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Acknowledges all failures, which removes them from the list
#[utoipa::path(post, path = "/api/failedmessages/acknowledgeall", operation_id = "acknowledgeAllFailedMessages",
    tag = "release", request_body = AcknowledgeAll, responses((status = 200, body = Acknowledged)))]
async fn acknowledge_all(
    State(app): State<App>,
    member: Member,
    Body(body): Body<AcknowledgeAll>,
) -> Result<Json<Acknowledged>> {
    let until = body.until.unwrap_or_else(|| app.clock.now());
    Ok(Json(Acknowledged { acknowledged: queries::acknowledge_all(&app, &member, until).await? }))
}

/// Sends a failed message again, or a waiting one at once
///
/// A Direct message has the same Message-ID, so a recipient who has it already does not get it twice.
#[utoipa::path(post, path = "/api/failedmessages/{id}/sendnow", operation_id = "sendFailedMessageNow", tag = "release",
    params(("id" = Uuid, Path)),
    responses((status = 202), (status = 409, description = "Delivered, being sent, or not permitted")))]
async fn send_now(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::send_now(&app, &member, id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Creates a draft of an undelivered message for another recipient, otherwise unchanged. Once it is sent, the failure
/// counts as corrected
#[utoipa::path(post, path = "/api/failedmessages/{id}/draft", operation_id = "draftForAnotherRecipient",
    tag = "release", params(("id" = Uuid, Path)), request_body = OtherRecipient,
    responses((status = 200, body = Created), (status = 409, description = "Not failed")))]
async fn draft_for_another(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(other): Body<OtherRecipient>,
) -> Result<Json<Created>> {
    app.health.disk.room()?;
    let failed = queries::find(app.store.db(), &member, id).await?;
    Ok(Json(Created { id: corrections::draft(&app, &member, &failed, other.to).await? }))
}
