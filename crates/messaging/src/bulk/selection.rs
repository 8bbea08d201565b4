//! `POST /api/messages/bulk`: one action on many messages, with a result for each.

use crate::{
    handling::{
        process, restore,
        types::{AssignRequest, ProcessRequest},
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

/// Maximum number of messages per call.
const MOST: usize = 100;
const TOO_MANY: &str = "Choose between 1 and 100 messages.";

/// The action on each message, with the same checks as for a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BulkAct {
    Process,
    /// Returns a processed message to the list of open ones.
    Reopen,
    Read,
    Assign,
    /// Marks it as urgent or not urgent.
    Urgent,
    /// Hides it from the open messages until a time.
    Snooze,
    /// Sets the document type of files that do not contain one.
    Type,
    Delete,
    /// Restores a deleted message, for an hour after the deletion.
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

/// An action and its parameters.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BulkWhat {
    pub act: BulkAct,
    /// For `process`: a person confirmed that a patient or document type is missing.
    #[serde(default)]
    pub accepts_gaps: bool,
    /// For `assign`: null for nobody.
    pub user_id: Option<Uuid>,
    /// For `urgent`: a message without a reviewer is assigned to the caller.
    #[serde(default)]
    pub urgent: bool,
    /// For `process`: even if a colleague has the message open.
    #[serde(default)]
    pub takes_over: bool,
    /// For `snooze`: null brings it back now.
    pub until: Option<DateTime<Utc>>,
    /// For `type`.
    #[schema(max_length = 255)]
    pub document_type: Option<String>,
}

/// A refused message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    pub id: Uuid,
    /// Sentences for people.
    pub reasons: Vec<String>,
    /// Whether it is done once the gaps are accepted.
    pub can_be_confirmed: bool,
    /// Subject of the message, for a question to the person; empty if the caller may not see it.
    pub subject: String,
    pub patient_name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct BulkAnswer {
    pub done: Vec<Uuid>,
    pub refused: Vec<Refused>,
}

/// Performs an action on many messages
///
/// Each message is done or refused separately; the answer says why.
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
        match apply_to(&app, &member, id, &body.what).await {
            Ok(()) => answer.done.push(id),
            Err(error) => answer.refused.push(refused(id, error)),
        }
    }
    name(&app, &member, &mut answer.refused).await?;
    Ok(Json(answer))
}

/// Adds the subjects that the caller may see.
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

/// Performs the action on one message.
pub async fn apply_to(app: &App, member: &Member, id: Uuid, body: &BulkWhat) -> Result<()> {
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

/// A refusal for an error. Earlier messages stay done, so internal errors are reported in the same way.
pub fn refused(id: Uuid, error: Error) -> Refused {
    let sentence = |text: &str| vec![text.to_owned()];
    let (reasons, can_be_confirmed) = match error {
        Error::Invalid(errors) => {
            let can_be_confirmed = errors.0.contains_key("acceptsGaps");
            (errors.0.into_values().flatten().collect(), can_be_confirmed)
        }
        Error::Conflict(text) => (sentence(&text), false),
        Error::NotFound => (sentence("This message no longer exists."), false),
        error => {
            tracing::error!(%id, "a bulk action failed for a message: {error:?}");
            (sentence("Something went wrong. Please try again."), false)
        }
    };
    Refused { id, reasons, can_be_confirmed, subject: String::new(), patient_name: String::new() }
}
