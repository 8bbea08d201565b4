//! `POST /api/messages/bulk`: one act on many messages, each answered for by itself

use crate::{
    handling::{
        http::{AssignRequest, ProcessRequest},
        process, restore,
    },
    sealed::Summary,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{App, Error, Member, Result, access::MEMBERS, api::Api, http::Body};
use sea_orm::{ColumnTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use store::entities::message;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers().route(MEMBERS, routes!(bulk_messages))
}

/// Messages of one call; more are sent in several calls.
const MOST: usize = 100;
const TOO_MANY: &str = "Choose between 1 and 100 messages.";

/// What is done with each message. It passes the same checks as alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BulkAct {
    Process,
    /// Takes back that it is processed.
    Reopen,
    Read,
    Assign,
    /// Marks it as urgent, or takes that back.
    Urgent,
    /// Takes it out of what is to be done until a time.
    Snooze,
    /// Sets the document type of the files that do not say it themselves.
    Type,
    Delete,
    /// Takes a deletion back, for an hour.
    Restore,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkRequest {
    #[schema(min_items = 1, max_items = 100)]
    pub ids: Vec<Uuid>,
    #[serde(flatten)]
    pub what: BulkWhat,
}

/// An act, and what it needs to know.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkWhat {
    pub act: BulkAct,
    /// Of `process`: a person confirmed that a patient or document type is missing.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// Of `assign`: nobody when null.
    pub user_id: Option<Uuid>,
    /// Of `urgent`: a message without a reviewer becomes the caller's.
    #[serde(default)]
    pub urgent: bool,
    /// Of `process`: though a colleague has the message open.
    #[serde(default)]
    pub takes_over: bool,
    /// Of `snooze`: brought back at once when null.
    pub until: Option<DateTime<Utc>>,
    /// Of `type`.
    #[schema(max_length = 255)]
    pub document_type: Option<String>,
}

/// A message with which it was not done.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    pub id: Uuid,
    /// Sentences for the user.
    pub reasons: Vec<String>,
    /// It is done once the gaps are accepted.
    pub can_be_confirmed: bool,
    /// What the message is called, for whoever asks back; empty where the caller may not see it.
    pub subject: String,
    pub patient_name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAnswer {
    pub done: Vec<Uuid>,
    pub refused: Vec<Refused>,
}

/// Does one thing with many messages
///
/// Each message is done or refused by itself; the answer says why.
#[utoipa::path(post, path = "/api/messages/bulk", operation_id = "bulkMessages", tag = "messages",
    request_body = BulkRequest, responses((status = 200, body = BulkAnswer)))]
async fn bulk_messages(
    State(app): State<App>,
    member: Member,
    Body(body): Body<BulkRequest>,
) -> Result<Json<BulkAnswer>> {
    if body.ids.is_empty() || body.ids.len() > MOST {
        return Err(Error::field("ids", TOO_MANY));
    }
    let mut answer = BulkAnswer { done: Vec::new(), refused: Vec::new() };
    for &id in &body.ids {
        match one(&app, &member, id, &body.what).await {
            Ok(()) => answer.done.push(id),
            Err(error) => answer.refused.push(refused(id, error)),
        }
    }
    name(&app, &member, &mut answer.refused).await?;
    Ok(Json(answer))
}

/// Names the messages by what the caller sees of them.
async fn name(app: &App, member: &Member, refused: &mut [Refused]) -> Result<()> {
    if refused.is_empty() {
        return Ok(());
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let ids = refused.iter().map(|one| one.id);
    let rows = member.tenant().messages().filter(message::Column::Id.is_in(ids)).all(app.store.db()).await?;
    for one in refused {
        let Some(row) = rows.iter().find(|row| row.id == one.id) else { continue };
        let summary = Summary::open(&key, row)?;
        one.subject = summary.subject;
        one.patient_name = summary.patient_name;
    }
    Ok(())
}

/// Does it with one message.
pub async fn one(app: &App, member: &Member, id: Uuid, body: &BulkWhat) -> Result<()> {
    match body.act {
        BulkAct::Process | BulkAct::Reopen => {
            let wanted = ProcessRequest {
                is_processed: body.act == BulkAct::Process,
                subject: None,
                process_type: None,
                accepts_gaps: body.accepts_gaps,
                accepts_patient: false,
                takes_over: body.takes_over,
            };
            process::process(app, member, id, wanted).await.map(|_| ())
        }
        BulkAct::Read => process::mark_read(app, member, id).await,
        BulkAct::Assign => {
            let wanted = AssignRequest { user_id: body.user_id, urgent: None };
            process::assign(app, member, id, wanted).await.map(|_| ())
        }
        BulkAct::Urgent => process::set_urgent(app, member, id, body.urgent).await.map(|_| ()),
        BulkAct::Snooze => process::snooze(app, member, id, body.until).await.map(|_| ()),
        BulkAct::Type => {
            let name = body.document_type.as_deref().unwrap_or_default();
            process::set_type(app, member, id, name).await.map(|_| ())
        }
        BulkAct::Delete => restore::delete(app, member, id).await.map(|_| ()),
        BulkAct::Restore => restore::restore(app, member, id).await,
    }
}

/// Whatever was done before stays done, so an error of the product itself is told like a refusal.
pub fn refused(id: Uuid, error: Error) -> Refused {
    let sentence = |text: &str| vec![text.to_owned()];
    let (reasons, can_be_confirmed) = match error {
        Error::Invalid(errors) => {
            let can_be_confirmed = errors.0.contains_key("acceptsGaps");
            (errors.0.into_values().flatten().collect(), can_be_confirmed)
        }
        Error::Conflict(text) => (sentence(&text), false),
        Error::NotFound => (sentence("There is no such message any more."), false),
        error => {
            tracing::error!(%id, "a message of a bulk act: {error:?}");
            (sentence("Something went wrong. Please try again."), false)
        }
    };
    Refused { id, reasons, can_be_confirmed, subject: String::new(), patient_name: String::new() }
}
