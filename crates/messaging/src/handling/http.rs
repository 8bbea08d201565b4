//! `/api/messages/{id}`: a message, and actions of staff on it.

use super::process;
use super::types::{AssignRequest, PatientForm, ProcessRequest};
use crate::{
    handling::restore,
    hubs::presence,
    known_patients::{
        differs::{self, DifferingDocument},
        set::set_patient,
    },
    messages::{notes, queries},
    model::Created,
    release::drafts,
    view::{MessageView, message_view},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Member, Result,
    access::{MEMBERS, MEMBERS_AND_SYSTEMS},
    api::Api,
    audit::{self, Act, event},
    fields::FieldErrors,
    http::{Body, Id, Items, Message},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS_AND_SYSTEMS, routes!(get_message))
        .route(MEMBERS, routes!(delete_message))
        .route(MEMBERS, routes!(put_patient))
        .route(MEMBERS, routes!(differing_documents))
        .route(MEMBERS, routes!(mark_read))
        .route(MEMBERS, routes!(process_message))
        .route(MEMBERS, routes!(assign_message))
        .route(MEMBERS, routes!(take_over_message))
        .route(MEMBERS, routes!(copy_message))
}

/// One message
#[utoipa::path(get, path = "/api/messages/{id}", operation_id = "getMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = MessageView)))]
async fn get_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<MessageView>> {
    let row = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "message", id)).await?;
    if notes::note_seen(&app, &member, id).await? {
        queries::announce(&app, &row).await;
    }
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Deletes a draft or a message
#[utoipa::path(delete, path = "/api/messages/{id}", operation_id = "deleteMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Message)))]
async fn delete_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Message>> {
    let row = restore::delete(&app, &member, id).await?;
    let text = if row.is_draft { "The draft was deleted successfully." } else { "Message has been deleted" };
    Ok(Json(Message { message: text.into() }))
}

/// Sets the patient of a message
#[utoipa::path(put, path = "/api/messages/{id}/patient", operation_id = "putMessagePatient", tag = "messages",
    params(("id" = Uuid, Path)), request_body = PatientForm, responses((status = 200, body = MessageView)))]
async fn put_patient(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(PatientForm { patient, version }): Body<PatientForm>,
) -> Result<Json<MessageView>> {
    let mut errors = FieldErrors::default();
    patients::rules::check(&patient, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let patient = patients::rules::tidy(patient);
    let row = set_patient(&app, &member, id, patient, version).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// The documents of a message that name a different patient than the message, as far as they were read
#[utoipa::path(get, path = "/api/messages/{id}/patient/differences", operation_id = "differingDocuments",
    tag = "messages", params(("id" = Uuid, Path)), responses((status = 200, body = Items<DifferingDocument>)))]
async fn differing_documents(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<DifferingDocument>>> {
    let row = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "message", id)).await?;
    Ok(Json(Items { items: differs::differing_documents(&app, &member, &row).await? }))
}

/// Marks a message as read
#[utoipa::path(put, path = "/api/messages/{id}/read", operation_id = "markMessageRead", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn mark_read(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    process::mark_read(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Marks an Intake message as processed or not processed
#[utoipa::path(put, path = "/api/messages/{id}/process", operation_id = "processMessage", tag = "messages",
    params(("id" = Uuid, Path)), request_body = ProcessRequest, responses((status = 200, body = MessageView)))]
async fn process_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<ProcessRequest>,
) -> Result<Json<MessageView>> {
    let row = process::process(&app, &member, id, body).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Assigns an Intake message to a colleague
#[utoipa::path(put, path = "/api/messages/{id}/assign", operation_id = "assignMessage", tag = "messages",
    params(("id" = Uuid, Path)), request_body = AssignRequest, responses((status = 200, body = MessageView)))]
async fn assign_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<AssignRequest>,
) -> Result<Json<MessageView>> {
    let row = process::assign(&app, &member, id, body).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Takes over an Intake message that a colleague has open
#[utoipa::path(put, path = "/api/messages/{id}/takeover", operation_id = "takeOverMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = MessageView)))]
async fn take_over_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<MessageView>> {
    let row = queries::find(&app, &member, id).await?;
    presence::take_over(&app, &member, &row).await?;
    queries::announce(&app, &row).await;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Copies a message with its files to a draft
#[utoipa::path(post, path = "/api/messages/{id}/copy", operation_id = "copyMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Created)))]
async fn copy_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Created>> {
    Ok(Json(Created { id: drafts::copy(&app, &member, id, drafts::Copy::Forward).await? }))
}
