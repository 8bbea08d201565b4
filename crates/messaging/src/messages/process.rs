//! What staff do with messages of the Intake, one or many at a time: process, assign, mark as read.

use super::{
    http::{AssignRequest, PRINTED, ProcessRequest},
    queries::{self, announce, edit_row},
    rules,
    view::kind_of,
};
use crate::{
    attachments::queries as files,
    events,
    lookups::interoperability::{ExportMode, Gaps, Interoperability},
    model::{Direction, SourceType, Status},
    sealed::{Content, open_meta, open_name},
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    settings::Settings as _,
};
use sea_orm::EntityTrait;
use serde_json::json;
use store::{
    Transaction,
    entities::{message, organization},
    keys::DataKey,
};
use uuid::Uuid;

const PROCESS_TYPES: &[&str] = &[PRINTED, "StructuredExport", "PDFExport", "NativeExport"];

/// Marks a message as processed, or takes that back.
pub async fn process(app: &App, member: &Member, id: Uuid, wanted: ProcessRequest) -> Result<message::Model> {
    let known = wanted.process_type.as_deref().is_none_or(|t| PROCESS_TYPES.contains(&t));
    if !known {
        return Err(Error::field("processType", DEFAULT_FIELD_ERROR));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    if row.direction != Direction::Intake {
        return Err(Error::Conflict("Only messages of the Intake are processed.".into()));
    }
    if wanted.is_processed {
        refuse_gaps(&txn, &key, &row, wanted.accepts_gaps).await?;
    }
    let row = edit_row(&txn, &key, row, |m| {
        let arrived =
            if m.row.source_type == SourceType::Upload { Status::Uploaded } else { Status::Received };
        m.row.status = if wanted.is_processed { Status::Processed } else { arrived };
        m.row.processed_at = wanted.is_processed.then_some(now);
        m.row.processed_type = wanted.process_type.filter(|_| wanted.is_processed);
        if let Some(subject) = wanted.subject {
            m.summary.subject = subject;
        }
        Ok(())
    })
    .await?;
    if wanted.is_processed {
        let user = (member.caller.user_id, member.caller.full_name.as_str());
        events::queries::add_processed(&txn, &row, now, user).await?;
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "isProcessed": wanted.is_processed }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
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

/// Assigns a message to a colleague, or to nobody.
pub async fn assign(app: &App, member: &Member, id: Uuid, wanted: AssignRequest) -> Result<message::Model> {
    // First of all, so that another organization's message is not found, whatever else is wrong.
    queries::find(app, member, id).await?;
    if let Some(user) = wanted.user_id
        && platform::session::organization_role(app.store.db(), user, member.organization_id).await?.is_none()
    {
        return Err(Error::field("userId", DEFAULT_FIELD_ERROR));
    }
    if wanted.urgent == Some(true) && wanted.user_id.is_none() {
        return Err(Error::field("urgent", "Urgent needs a reviewer."));
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "assignedTo": wanted.user_id }));
    queries::change(app, member, id, act, |m| {
        m.row.assigned_to = wanted.user_id;
        m.row.is_urgent = wanted.user_id.is_some() && wanted.urgent.unwrap_or(m.row.is_urgent);
        Ok(())
    })
    .await
}

/// Marks a message as read; a second time changes nothing.
pub async fn mark_read(app: &App, member: &Member, id: Uuid) -> Result<()> {
    if queries::find(app, member, id).await?.read_at.is_some() {
        return Ok(());
    }
    let now = app.clock.now();
    queries::change(app, member, id, Act::new(event::READ, "message", id), |m| {
        m.row.read_at = m.row.read_at.or(Some(now));
        Ok(())
    })
    .await
    .map(|_| ())
}
