//! `/api/conversations`: referrals that are followed until they are closed.

use super::{queries, sending};
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
use serde::{Deserialize, Serialize};
use store::entities::{
    conversation::{ConversationRole, ConversationState},
    conversation_step::StepAction,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// The type of these conversations.
pub const KIND: &str = "360x";

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
    /// What is added to an answer.
    pub ReferralNote = Rule::lines(0, 2_000);
}

/// A referral of the organization.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrackedConversation {
    pub id: Uuid,
    /// `360x`
    #[serde(rename = "type")]
    pub kind: String,
    pub role: ConversationRole,
    pub conversation_status: ConversationState,
    pub patient_name: String,
    pub reason: String,
    pub own_address: String,
    pub other_address: String,
    pub due_date: Option<NaiveDate>,
    pub appointment_date: Option<DateTime<Utc>>,
    /// Who has to act; nobody once it is closed.
    pub turn: Option<ConversationRole>,
    pub is_own_turn: bool,
    /// The day is over by which it should have been answered or done.
    pub is_overdue: bool,
    /// Its latest message could not be delivered.
    pub is_undelivered: bool,
    /// Its latest message is one that the organization sent.
    pub is_latest_own: bool,
    /// Its latest message.
    pub message_id: Uuid,
    pub created_date: DateTime<Utc>,
    pub modified_date: DateTime<Utc>,
}

/// A message of a referral.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationStep {
    pub message_id: Uuid,
    pub action: StepAction,
    pub note: String,
    /// The organization itself sent it.
    pub is_own: bool,
    pub is_undelivered: bool,
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    #[serde(flatten)]
    pub conversation: TrackedConversation,
    /// What the organization may do now.
    pub actions: Vec<StepAction>,
    /// Oldest first.
    pub steps: Vec<ConversationStep>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReferralForm {
    /// A draft with a patient, a C-CDA document and one Direct recipient. It is sent at once.
    pub message_id: Uuid,
    pub reason: ReferralReason,
    /// 30 days from today when absent.
    pub due_date: Option<NaiveDate>,
    /// A person saw that a document names another patient than the draft. Without it that is refused at this field.
    pub accepts_patient: Option<bool>,
}

/// Sends a draft as a referral and follows it
#[utoipa::path(post, path = "/api/conversations", operation_id = "requestReferral", tag = "conversations",
    request_body = ReferralForm,
    responses((status = 201, body = ConversationView), (status = 409, description = "It was sent already")))]
async fn request_referral(
    State(app): State<App>,
    member: Member,
    Body(form): Body<ReferralForm>,
) -> Result<Created<ConversationView>> {
    let id = sending::request(&app, &member, form).await?;
    Ok(Created(format!("/api/conversations/{id}"), queries::find(&app, &member, id).await?))
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TrackedRequest {
    /// Only those that are not closed.
    pub is_open: bool,
    /// Only those that are late.
    pub is_overdue: bool,
    /// Counted from 1.
    pub page_start: Option<u64>,
    /// 25 when absent, at most 100.
    pub page_size: Option<u64>,
}

/// The referrals of the organization, the latest first
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
    /// The message of the referral that is answered; its latest when absent.
    pub response_to_message_id: Option<Uuid>,
    /// `360x`
    #[schema(max_length = 20)]
    pub response_type: Option<String>,
    pub response_action: StepAction,
    #[serde(default)]
    pub note: ReferralNote,
    /// Of an appointment.
    pub appointment_date: Option<DateTime<Utc>>,
    /// A draft whose files go along, such as the consultation note of an outcome.
    pub draft_id: Option<Uuid>,
    /// A person saw that a document names another patient than the referral. Without it that is refused at this field.
    pub accepts_patient: Option<bool>,
}

/// Answers a referral, or goes on with it: the other side is told over Direct
#[utoipa::path(post, path = "/api/conversations/{id}/respond", operation_id = "respondToConversation",
    tag = "conversations", params(("id" = Uuid, Path)), request_body = ConversationResponse,
    responses((status = 200, body = ConversationView), (status = 409, description = "Not possible as it stands")))]
async fn respond(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(response): Body<ConversationResponse>,
) -> Result<Json<ConversationView>> {
    sending::respond(&app, &member, id, response).await?;
    Ok(Json(queries::find(&app, &member, id).await?))
}
