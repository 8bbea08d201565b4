//! `/api/conversations`: tracked referrals.

use super::sending;
use crate::conversations::{
    queries,
    types::{ConversationView, TrackedConversation, TrackedRequest},
};
use axum::{Json, extract::State};
use chrono::{DateTime, NaiveDate, Utc};
use platform::{
    App, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Created, Id, Paged},
    text::Rule,
};
use serde::Deserialize;
use store::entities::conversation_step::StepAction;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(request_referral))
        .route(MEMBERS, routes!(tracked_conversations))
        .route(MEMBERS, routes!(conversation))
        .route(MEMBERS, routes!(respond))
}

platform::text! {
    /// Why a patient is referred.
    pub ReferralReason = Rule::line(1, 500).says("Please say why the patient is referred.");
    /// Text of an answer.
    pub ReferralNote = Rule::lines(0, 2_000);
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferralForm {
    /// A draft with a patient, a C-CDA document and one Direct recipient. It is sent at once.
    pub message_id: Uuid,
    pub reason: ReferralReason,
    /// Default: 30 days from today.
    pub due_date: Option<NaiveDate>,
    /// A person confirmed that a document names a different patient than the draft. Otherwise that is refused at this
    /// field.
    pub accepts_patient: Option<bool>,
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

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationResponse {
    /// The answered message of the referral; default: the latest.
    pub response_to_message_id: Option<Uuid>,
    /// Always `360x`.
    #[schema(max_length = 20)]
    pub response_type: Option<String>,
    pub response_action: StepAction,
    #[serde(default)]
    pub note: ReferralNote,
    /// For an appointment.
    pub appointment_date: Option<DateTime<Utc>>,
    /// A draft whose files are included, such as the consultation note of an outcome.
    pub draft_id: Option<Uuid>,
    /// A person confirmed that a document names a different patient than the referral. Otherwise that is refused at
    /// this field.
    pub accepts_patient: Option<bool>,
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
