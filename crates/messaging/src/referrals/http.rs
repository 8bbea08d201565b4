//! `/api/conversations`: tracked referrals.

use super::sending;
use super::types::{ConversationResponse, ReferralForm};
use crate::conversations::{
    queries,
    types::{ConversationView, TrackedConversation, TrackedRequest},
};
use axum::{Json, extract::State};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Created, Id, Paged},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(request_referral))
        .route(MEMBERS, routes!(tracked_conversations))
        .route(MEMBERS, routes!(conversation))
        .route(MEMBERS, routes!(respond))
}

/// Sends a draft as a tracked referral
#[utoipa::path(post, path = "/api/conversations", operation_id = "requestReferral", tag = "conversations",
    request_body = ReferralForm,
    responses((status = 201, body = ConversationView), (status = 409, description = "Already sent")))]
async fn request_referral(
    State(app): State<App>,
    member: Member,
    Body(form): Body<ReferralForm>,
) -> Result<Created<ConversationView>> {
    let id = sending::request(&app, &member, form).await?;
    Ok(Created(format!("/api/conversations/{id}"), queries::find(&app, &member, id).await?))
}

/// The referrals of the organization, latest first
#[utoipa::path(post, path = "/api/conversations/tracked", operation_id = "trackedConversations", tag = "conversations",
    request_body = TrackedRequest, responses((status = 200, body = Paged<TrackedConversation>)))]
async fn tracked_conversations(
    State(app): State<App>,
    member: Member,
    Body(request): Body<TrackedRequest>,
) -> Result<Json<Paged<TrackedConversation>>> {
    let found = queries::page(&app, &member, &request).await?;
    audit::record_read(&app, &member.caller, Act::new(event::LISTED, "conversations", "")).await?;
    Ok(Json(found))
}

/// One referral with its messages
#[utoipa::path(get, path = "/api/conversations/{id}", operation_id = "conversation", tag = "conversations",
    params(("id" = Uuid, Path)), responses((status = 200, body = ConversationView)))]
async fn conversation(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<ConversationView>> {
    let found = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "conversation", id)).await?;
    Ok(Json(found))
}

/// Answers or continues a referral, with a message to the other side over Direct
#[utoipa::path(post, path = "/api/conversations/{id}/respond", operation_id = "respondToConversation",
    tag = "conversations", params(("id" = Uuid, Path)), request_body = ConversationResponse,
    responses((status = 200, body = ConversationView), (status = 409, description = "Not possible in its present state")))]
async fn respond(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(response): Body<ConversationResponse>,
) -> Result<Json<ConversationView>> {
    sending::respond(&app, &member, id, response).await?;
    Ok(Json(queries::find(&app, &member, id).await?))
}
