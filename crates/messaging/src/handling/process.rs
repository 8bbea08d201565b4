//! Actions of staff on Intake messages, one or many at a time: process, assign, mark as read.

use super::types::{AssignRequest, ProcessRequest};
use crate::{
    attachments, events,
    files::{self, kind_of},
    hubs::presence,
    known_patients::differs,
    messages::{
        assignment_expiry, colleagues, plans,
        queries::{self, announce, edit_row},
        rules::{self, URGENT_NEEDS_REVIEWER},
    },
    model::{AttachmentMeta, Direction, SourceType, Status},
    sealed::{Content, open_meta, open_name},
    vocabulary::own_or_system,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    interoperability::{ExportMode, Gaps, Interoperability},
    settings::{self, Settings as _},
};
use sea_orm::{ActiveEnum, ColumnTrait, EntityTrait, QueryFilter, SelectExt};
use serde_json::json;
use store::{
    Transaction,
    entities::{document_type, export_task::ExportForm, message, organization, plan::Function},
    keys::DataKey,
};
use uuid::Uuid;

/// Marks a message as processed or not processed.
pub async fn process(app: &App, member: &Member, id: Uuid, wanted: ProcessRequest) -> Result<message::Model> {
    if wanted.process_type == Some(ExportForm::StructuredExport) {
        plans::require(app.store.db(), member.organization_id, Function::StructuredExport).await?;
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    let row = process_in(app, &txn, &key, member, row, wanted).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
}

/// Like [`process`], for a message that the caller locked. A refusal changes nothing.
pub async fn process_in(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    row: message::Model,
    wanted: ProcessRequest,
) -> Result<message::Model> {
    if wanted.is_processed && !wanted.takes_over {
        refuse_held(txn, member, row.id, app.clock.now()).await?;
    }
    process_as(app, txn, key, row, wanted, &Actor::from(&member.caller)).await
}

/// Like [`process_in`], for an actor who may be nobody. Whether a colleague has the message open is not checked.
pub async fn process_as(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    row: message::Model,
    wanted: ProcessRequest,
    actor: &Actor,
) -> Result<message::Model> {
    let (id, now) = (row.id, app.clock.now());
    check(app, txn, key, &row, &wanted).await?;
    let settings = settings_of(txn, &row).await?;
    let row = edit_row(txn, key, row, |m| {
        let arrived = match m.row.source_type {
            SourceType::Upload => Status::Uploaded,
            SourceType::Triage => Status::Triaged,
            SourceType::DirectMessage | SourceType::Fax | SourceType::Interface => Status::Received,
        };
        m.row.status = if wanted.is_processed { Status::Processed } else { arrived };
        m.row.processed_at = wanted.is_processed.then_some(now);
        m.row.processed_type =
            wanted.process_type.filter(|_| wanted.is_processed).map(|form| form.to_value());
        assignment_expiry::begin(&mut m.row, settings.return_assignments_after_hours, now);
        if let Some(subject) = wanted.subject {
            m.summary.subject = subject.into();
        }
        Ok(())
    })
    .await?;
    if wanted.is_processed {
        let user = actor.id.map(|id| (id, actor.name.as_str()));
        events::queries::add_processed(txn, &row, now, user).await?;
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "isProcessed": wanted.is_processed }));
    audit::record(app, txn, actor, act).await?;
    Ok(row)
}

async fn settings_of(txn: &Transaction, row: &message::Model) -> Result<Interoperability> {
    let organization = organization::Entity::find_by_id(row.organization_id).one(txn).await?;
    Interoperability::of(&organization.ok_or(Error::NotFound)?)
}

/// Refuses what [`process_as`] refuses.
pub async fn check(
    app: &App,
    txn: &Transaction,
    key: &DataKey,
    row: &message::Model,
    wanted: &ProcessRequest,
) -> Result<()> {
    if row.direction != Direction::Intake {
        return Err(Error::Conflict("Only Intake messages can be processed.".into()));
    }
    if wanted.is_processed {
        let settings = settings_of(txn, row).await?;
        refuse_visit(key, row, app.clock.now())?;
        refuse_gaps(txn, key, &settings, row, wanted.accepts_gaps).await?;
        differs::refuse(txn, key, row, wanted.accepts_patient).await?;
    }
    Ok(())
}

/// Refuses to process a message that a colleague has open and is working on.
pub async fn refuse_held(txn: &Transaction, member: &Member, id: Uuid, now: DateTime<Utc>) -> Result<()> {
    let Some(holder) = presence::holder(txn, member, id, now).await? else { return Ok(()) };
    let text = format!("{} currently has this message open. Take it over to process it.", holder.name);
    Err(Error::field("takesOver", text))
}

/// Refuses to process a message with an invalid visit, which may come from its document.
fn refuse_visit(key: &DataKey, row: &message::Model, now: DateTime<Utc>) -> Result<()> {
    let content = Content::open(key, row)?;
    let mut errors = FieldErrors::default();
    rules::check_visit(content.origin.as_deref(), content.patient.as_ref(), now.date_naive(), &mut errors);
    errors.check()
}

/// Refuses to process documents without a patient or type, unless that is accepted. Printing needs neither.
async fn refuse_gaps(
    txn: &Transaction,
    key: &DataKey,
    settings: &Interoperability,
    row: &message::Model,
    is_accepted: bool,
) -> Result<()> {
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
    // First, so that a message of another organization is not found, regardless of other errors.
    let row = queries::find(app, member, id).await?;
    if let Some(user) = wanted.user_id {
        colleagues::require_reader(app.store.db(), &row, "userId", user).await?;
    }
    if wanted.urgent == Some(true) && wanted.user_id.is_none() {
        return Err(Error::field("urgent", URGENT_NEEDS_REVIEWER));
    }
    let settings: Interoperability = settings::find(app, member.organization_id).await?;
    let now = app.clock.now();
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "assignedTo": wanted.user_id }));
    queries::change(app, member, id, act, |m| {
        m.row.assigned_to = wanted.user_id;
        assignment_expiry::begin(&mut m.row, settings.return_assignments_after_hours, now);
        m.row.is_urgent = wanted.user_id.is_some() && wanted.urgent.unwrap_or(m.row.is_urgent);
        Ok(())
    })
    .await
}

/// Marks a message as urgent or not urgent. An urgent message needs a reviewer: the caller, unless it has one.
pub async fn set_urgent(app: &App, member: &Member, id: Uuid, urgent: bool) -> Result<message::Model> {
    let settings: Interoperability = settings::find(app, member.organization_id).await?;
    let now = app.clock.now();
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "isUrgent": urgent }));
    queries::change(app, member, id, act, |m| {
        if m.row.direction != Direction::Intake {
            return Err(Error::Conflict("Only Intake messages can be urgent.".into()));
        }
        if urgent && m.row.assigned_to.is_none() {
            m.row.assigned_to = Some(member.caller.user_id);
            assignment_expiry::begin(&mut m.row, settings.return_assignments_after_hours, now);
        }
        m.row.is_urgent = urgent;
        Ok(())
    })
    .await
}

/// Maximum duration of snoozing.
const SNOOZE_MAX: Duration = Duration::days(366);

/// Hides a message from the open ones until a time, or brings it back now.
pub async fn snooze(
    app: &App,
    member: &Member,
    id: Uuid,
    until: Option<DateTime<Utc>>,
) -> Result<message::Model> {
    let now = app.clock.now();
    if until.is_some_and(|until| until <= now || until > now + SNOOZE_MAX) {
        return Err(Error::field("until", "Please choose a time within the next year."));
    }
    let act = Act::new(event::CHANGED, "message", id).detail(json!({ "snoozedUntil": until }));
    queries::change(app, member, id, act, |m| {
        if m.row.direction != Direction::Intake {
            return Err(Error::Conflict("Only Intake messages can be snoozed.".into()));
        }
        if until.is_some() && m.row.processed_at.is_some() {
            return Err(Error::Conflict("The message is already processed.".into()));
        }
        m.row.snoozed_until = until;
        Ok(())
    })
    .await
}

/// Sets the document type of all files of a message that do not contain one.
pub async fn set_type(app: &App, member: &Member, id: Uuid, name: &str) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    if row.direction != Direction::Intake {
        return Err(Error::Conflict("This way, a document type can only be set on Intake messages.".into()));
    }
    let known = document_type::Entity::find()
        .filter(own_or_system(document_type::Column::OrganizationId, member))
        .filter(document_type::Column::Name.eq(name));
    if !known.exists(&txn).await? {
        return Err(Error::field("documentType", DEFAULT_FIELD_ERROR));
    }
    let all = files::of_message(&txn, &row).await?;
    let unsaid: Vec<_> = all.iter().filter(|file| !kind_of(file).structured()).collect();
    if unsaid.is_empty() {
        return Err(Error::Conflict("Its documents contain their own type, which cannot be changed.".into()));
    }
    for file in unsaid {
        let meta = AttachmentMeta { document_type: Some(name.to_owned()), ..open_meta(&key, file)? };
        attachments::queries::describe(app, &txn, member, &key, id, file.id, meta).await?;
    }
    let document_type = files::document_type(&txn, &key, &row).await?;
    let row = edit_row(&txn, &key, row, |m| {
        m.summary.document_type = document_type;
        Ok(())
    })
    .await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
}

/// Marks a message as read; repeating it has no effect.
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
