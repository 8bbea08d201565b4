//! `/api/messages/{id}` and what staff do with a message.

use super::{
    queries::{self, announce, edit_row},
    rules,
    view::{MessageView, kind_of, message_view},
};
use crate::{
    attachments::queries as files,
    events,
    lookups::interoperability::{ExportMode, Gaps, Interoperability},
    model::{Direction, Patient, Status},
    release::drafts,
    sealed::{Content, open_meta, open_name},
};
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use platform::{
    App, Error, Member, Result,
    access::{MEMBERS, MEMBERS_AND_SYSTEMS},
    api::Api,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Body, Id, Message},
    settings::Settings as _,
};
use sea_orm::EntityTrait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Transaction,
    entities::{message, organization},
    keys::DataKey,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS_AND_SYSTEMS, routes!(get_message))
        .route(MEMBERS, routes!(delete_message))
        .route(MEMBERS, routes!(put_patient))
        .route(MEMBERS, routes!(mark_read))
        .route(MEMBERS, routes!(process_message))
        .route(MEMBERS, routes!(assign_message))
        .route(MEMBERS, routes!(copy_message))
}

/// One message
#[utoipa::path(get, path = "/api/messages/{id}", operation_id = "getMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = MessageView)))]
async fn get_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<MessageView>> {
    let row = queries::find(&app, &member, id).await?;
    audit::record_read(&app, &member.caller, Act::new(event::VIEWED, "message", id)).await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Deletes a draft or a message
#[utoipa::path(delete, path = "/api/messages/{id}", operation_id = "deleteMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Message), (status = 202, body = Message)))]
async fn delete_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Response> {
    let row = queries::delete(&app, &member, id).await?;
    let (status, text) = if row.is_draft {
        (StatusCode::OK, "The draft was deleted successfully.")
    } else if row.direction == Direction::Intake {
        (StatusCode::OK, "Message has been deleted")
    } else {
        (StatusCode::ACCEPTED, "Your message is being deleted")
    };
    Ok((status, Json(Message { message: text.into() })).into_response())
}

/// A patient, and the version that the change is based on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatientForm {
    #[serde(flatten)]
    pub patient: Patient,
    /// `patientVersion` that was read.
    pub version: Option<u32>,
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
    rules::check_patient(&patient, app.clock.now().date_naive(), &mut errors);
    errors.check()?;
    let patient = rules::tidy_patient(patient);
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "fields": ["patient"] }));
    let row = queries::change(&app, &member, id, act, |m| {
        editable(m)?;
        Error::unless_current(version, &m.content.patient_version, "this patient")?;
        if m.row.is_draft {
            // An open composer holds the patient as well, so its draft is outdated.
            m.content.draft_version += 1;
        }
        m.content.patient_version += 1;
        m.summary.patient_name = patient.display_name();
        m.content.patient = Some(patient);
        Ok(())
    })
    .await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// What was sent stays as it was sent.
fn editable(editing: &queries::Editing) -> Result<()> {
    if editing.row.direction == Direction::Release && !editing.row.is_draft {
        return Err(Error::Conflict("A sent message cannot be changed.".into()));
    }
    Ok(())
}

/// Marks a message as read
#[utoipa::path(put, path = "/api/messages/{id}/read", operation_id = "markMessageRead", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn mark_read(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    if queries::find(&app, &member, id).await?.read_at.is_some() {
        return Ok(StatusCode::NO_CONTENT);
    }
    let now = app.clock.now();
    queries::change(&app, &member, id, Act::new(event::READ, "message", id), |m| {
        m.row.read_at = m.row.read_at.or(Some(now));
        Ok(())
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessRequest {
    pub is_processed: bool,
    /// A new subject; left as it is when absent.
    pub subject: Option<String>,
    /// Printed, StructuredExport, PDFExport or NativeExport.
    pub process_type: Option<String>,
    /// A person confirmed processing without a patient or document type. Without it that is refused at this field; if the
    /// organization does not allow it at all, at `isProcessed`.
    #[serde(default)]
    pub accepts_gaps: bool,
}

/// The one way of processing that leaves no file.
pub const PRINTED: &str = "Printed";
const PROCESS_TYPES: &[&str] = &[PRINTED, "StructuredExport", "PDFExport", "NativeExport"];

/// Marks a message of the Intake as processed, or takes that back
#[utoipa::path(put, path = "/api/messages/{id}/process", operation_id = "processMessage", tag = "messages",
    params(("id" = Uuid, Path)), request_body = ProcessRequest, responses((status = 200, body = MessageView)))]
async fn process_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<ProcessRequest>,
) -> Result<Json<MessageView>> {
    let known = body.process_type.as_deref().is_none_or(|t| PROCESS_TYPES.contains(&t));
    if !known {
        return Err(Error::field("processType", DEFAULT_FIELD_ERROR));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, &member, id).await?;
    if row.direction != Direction::Intake {
        return Err(Error::Conflict("Only messages of the Intake are processed.".into()));
    }
    if body.is_processed {
        refuse_gaps(&txn, &key, &row, body.accepts_gaps).await?;
    }
    let row = edit_row(&txn, &key, row, |m| {
        let arrived = if m.row.source_type == crate::model::SourceType::Upload {
            Status::Uploaded
        } else {
            Status::Received
        };
        m.row.status = if body.is_processed { Status::Processed } else { arrived };
        m.row.processed_at = body.is_processed.then_some(now);
        m.row.processed_type = body.process_type.filter(|_| body.is_processed);
        if let Some(subject) = body.subject {
            m.summary.subject = subject;
        }
        Ok(())
    })
    .await?;
    if body.is_processed {
        let user = (member.caller.user_id, member.caller.full_name.as_str());
        events::queries::add_processed(&txn, &row, now, user).await?;
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "isProcessed": body.is_processed }));
    audit::record(&app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(&app, &row).await;
    Ok(Json(message_view(&app, &member, row).await?))
}

/// Refuses to process documents without a patient or type, unless that is accepted. Printing needs neither.
async fn refuse_gaps(
    txn: &Transaction,
    key: &DataKey,
    row: &message::Model,
    is_accepted: bool,
) -> Result<()> {
    let organization = organization::Entity::find_by_id(row.organization_id).one(txn).await?;
    let settings = Interoperability::of(&organization.ok_or(Error::NotFound)?)?;
    if settings.export_mode == ExportMode::Print {
        return Ok(());
    }
    let files = files::of_message(txn, row).await?;
    let files = files
        .iter()
        .map(|f| Ok((open_name(key, f)?, kind_of(f).structured(), open_meta(key, f)?)))
        .collect::<Result<Vec<_>>>()?;
    let patient = Content::open(key, row)?.patient;
    if !settings.non_patient_export {
        return rules::check_processable(patient.as_ref(), &files).check();
    }
    if is_accepted && settings.gaps == Gaps::Ask {
        return Ok(());
    }
    let field = if settings.gaps == Gaps::Ask { "acceptsGaps" } else { "isProcessed" };
    let mut errors = FieldErrors::default();
    for gap in rules::gaps(patient.as_ref(), &files) {
        errors.add(field, gap);
    }
    errors.check()
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignRequest {
    /// Nobody when null.
    pub user_id: Option<Uuid>,
    /// Left as it is when absent. Taken off when nobody is assigned.
    pub urgent: Option<bool>,
}

/// Assigns a message of the Intake to a colleague
#[utoipa::path(put, path = "/api/messages/{id}/assign", operation_id = "assignMessage", tag = "messages",
    params(("id" = Uuid, Path)), request_body = AssignRequest, responses((status = 200, body = MessageView)))]
async fn assign_message(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(body): Body<AssignRequest>,
) -> Result<Json<MessageView>> {
    // Before anything else: what belongs to others is not found, whatever else is wrong.
    queries::find(&app, &member, id).await?;
    if let Some(user) = body.user_id
        && platform::session::organization_role(app.store.db(), user, member.organization_id).await?.is_none()
    {
        return Err(Error::field("userId", DEFAULT_FIELD_ERROR));
    }
    if body.urgent == Some(true) && body.user_id.is_none() {
        return Err(Error::field("urgent", "Urgent needs a reviewer."));
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "assignedTo": body.user_id }));
    let row = queries::change(&app, &member, id, act, |m| {
        m.row.assigned_to = body.user_id;
        m.row.is_urgent = body.user_id.is_some() && body.urgent.unwrap_or(m.row.is_urgent);
        Ok(())
    })
    .await?;
    Ok(Json(message_view(&app, &member, row).await?))
}

#[derive(Serialize, ToSchema)]
pub struct Created {
    pub id: Uuid,
}

/// Copies a message with its files as a draft
#[utoipa::path(post, path = "/api/messages/{id}/copy", operation_id = "copyMessage", tag = "messages",
    params(("id" = Uuid, Path)), responses((status = 200, body = Created)))]
async fn copy_message(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<Created>> {
    Ok(Json(Created { id: drafts::copy(&app, &member, id).await? }))
}
