//! Filing the documents of a message, taking one back, and trying again.

use super::{
    queries::{lock, of_message, seal_chosen},
    steps,
    types::{Chosen, ChosenType, FileRequest},
};
use crate::{
    attachments::{held, opening},
    files,
    handling::{process, types::ProcessRequest},
    known_patients::differs,
    messages::queries::{self, announce},
    model::{ChartChoices, Direction, IntegrationMeta},
    sealed::{Content, Summary, open_meta, open_name},
    vocabulary::own_or_system,
};
use chrono::{DateTime, Utc};
use integrations::ehr::{self, NO_CONNECTION};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment,
        chart_filing::{self, FilingState},
        document_type,
        integration::{self, Capability},
        message,
    },
    keys::DataKey,
};
use uuid::Uuid;

const NOT_INTAKE: &str = "Only Intake messages can be filed.";
const NO_PATIENT: &str = "Please find the patient in the chart first.";
const OTHER_CONNECTION: &str =
    "The patient was looked up in an EHR that is no longer connected. Please find the patient again.";
const OTHER_PATIENT: &str =
    "The patient of this message was changed meanwhile. Please check it and file again.";
const NO_DOCUMENT: &str = "There is no document to file.";
const IN_CHART: &str = "This document is already in the chart, or on its way there.";
const FAILED: &str = "This document could not be filed. Try it again, or take it back first.";
/// A document without a type of the EHR or a LOINC code: a note (LOINC).
const NOTE: (&str, &str, &str) = ("http://loinc.org", "34109-9", "Note");
const LOINC: &str = "http://loinc.org";

/// Files documents of a message into the chart of its patient. Everything commits together, or nothing.
pub async fn file(app: &App, member: &Member, id: Uuid, wanted: FileRequest) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let before = queries::find(app, member, id).await?;
    if before.direction != Direction::Intake {
        return Err(Error::Conflict(NOT_INTAKE.into()));
    }
    let connection = connection(app, member, &key, &before, wanted.integration_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    refuse_other_patient(&key, &row, &connection, &wanted)?;
    // Also if the message is processed already.
    if !wanted.takes_over {
        process::refuse_held(&txn, member, id, app.clock.now()).await?;
    }
    differs::refuse(&txn, &key, &row, wanted.accepts_patient).await?;
    let documents = documents(&txn, &key, member, &row, &wanted).await?;
    let now = app.clock.now();
    for document in &documents {
        refuse_filed(&txn, &row, document).await?;
        let chosen = chosen(&txn, &key, member, (&row, document), &connection).await?;
        let filing = insert(&txn, &key, member, (&row, document), &connection, &chosen, now).await?;
        workflow::enqueue(&txn, now, steps::file(&connection, &filing, now)).await?;
        let act = Act::new(event::SENT, "attachment", document.id).detail(json!({ "chart": connection.id }));
        audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    }
    let row = match wanted.processes && row.processed_at.is_none() {
        true => process::process_in(app, &txn, &key, member, row, processed(&wanted)).await?,
        false => row,
    };
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

/// Refuses to file for a patient whom somebody else has chosen meanwhile. The message is locked.
fn refuse_other_patient(
    key: &DataKey,
    row: &message::Model,
    connection: &integration::Model,
    wanted: &FileRequest,
) -> Result<()> {
    let chart = chart_of(key, row)?.unwrap_or_default();
    let is_same = chart.patient_id.as_deref() == Some(&*wanted.chart_patient_id)
        && chart.integration_id == Some(connection.id);
    if is_same { Ok(()) } else { Err(Error::field("patient", OTHER_PATIENT)) }
}

fn processed(wanted: &FileRequest) -> ProcessRequest {
    ProcessRequest {
        is_processed: true,
        subject: None,
        process_type: None,
        accepts_gaps: wanted.accepts_gaps,
        accepts_patient: wanted.accepts_patient,
        takes_over: wanted.takes_over,
    }
}

/// The connection of a chart, if the message has a patient who was found in it.
async fn connection(
    app: &App,
    member: &Member,
    key: &DataKey,
    row: &message::Model,
    id: Uuid,
) -> Result<integration::Model> {
    let found = ehr::find(app, member.organization_id, Some(id), Capability::DocumentUpload).await?;
    let chart = chart_of(key, row)?;
    match (chart, found) {
        (None, _) => Err(Error::field("patient", NO_PATIENT)),
        (Some(_), None) => Err(Error::field("patient", OTHER_CONNECTION)),
        (Some(_), Some(found)) => Ok(found),
    }
}

/// Where the patient of a message is in a chart.
fn chart_of(key: &DataKey, row: &message::Model) -> Result<Option<IntegrationMeta>> {
    let meta = Content::open(key, row)?.patient.and_then(|patient| patient.integration_meta);
    Ok(meta.filter(|meta| meta.patient_id.as_deref().is_some_and(|id| !id.is_empty())))
}

/// The documents to file, which the member may open.
async fn documents(
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    row: &message::Model,
    wanted: &FileRequest,
) -> Result<Vec<attachment::Model>> {
    let mut all = files::of_message(txn, row).await?;
    if let Some(ids) = &wanted.attachment_ids {
        if ids.iter().any(|id| all.iter().all(|file| file.id != *id)) {
            return Err(Error::field("attachmentIds", "This document no longer exists."));
        }
        all.retain(|file| ids.contains(&file.id));
    }
    if all.is_empty() {
        return Err(Error::field("attachmentIds", NO_DOCUMENT));
    }
    for file in &all {
        opening::permit(member, key, file)?;
        held::require_open(file)?;
    }
    Ok(all)
}

/// Refuses a document that is in a chart, or on its way there. The message is locked.
async fn refuse_filed(txn: &Transaction, row: &message::Model, file: &attachment::Model) -> Result<()> {
    let rows = of_message(row.organization_id, row.id)
        .filter(chart_filing::Column::AttachmentId.eq(file.id))
        .all(txn)
        .await?;
    // One that failed may be in the chart all the same.
    let open = rows.iter().find(|row| row.state != FilingState::Withdrawn);
    match open.map(|row| row.state) {
        None => Ok(()),
        Some(FilingState::Failed) => Err(Error::field("attachmentIds", FAILED)),
        Some(_) => Err(Error::field("attachmentIds", IN_CHART)),
    }
}

/// What is filed, from what the message and the document say.
async fn chosen(
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    (row, file): (&message::Model, &attachment::Model),
    connection: &integration::Model,
) -> Result<Chosen> {
    let (meta, name) = (open_meta(key, file)?, open_name(key, file)?);
    let patient = Content::open(key, row)?.patient.unwrap_or_default();
    let chart = patient.integration_meta.clone().unwrap_or_default();
    let mut choices = meta.integration_meta.unwrap_or_default();
    choices.user_email = Some(member.caller.user_name.clone());
    let document_type = match chart_type(&choices) {
        Some(own) => own,
        None if connection.settings.requires_document_type => {
            let text = format!("\"Document Type\" is required for file {name}");
            return Err(Error::field("documentType", text));
        }
        None => known_type(txn, member, meta.document_type.as_deref()).await?,
    };
    let from = if row.from_name.is_empty() { &row.from_address } else { &row.from_name };
    let title = integrations::describe(
        &connection.settings.description_template,
        &integrations::Described {
            document_type: meta.document_type.as_deref().unwrap_or(&document_type.name),
            date: meta.document_date,
            from,
            subject: &Summary::open(key, row)?.subject,
        },
    );
    Ok(Chosen {
        patient_id: chart.patient_id.unwrap_or_default(),
        visit_id: chart.visit_id,
        patient,
        base_url: connection.settings.base_url.clone(),
        choices,
        document_type,
        date: meta.document_date,
        confidentiality: meta.confidentiality.unwrap_or_default(),
        title,
        from: from.clone(),
    })
}

/// A chosen type of the EHR: `system|code`.
fn chart_type(choices: &ChartChoices) -> Option<ChosenType> {
    let (system, code) = choices.document_type_id.as_deref()?.rsplit_once('|')?;
    let name = choices.document_type.clone().unwrap_or_default();
    Some(ChosenType { system: system.into(), code: code.into(), name })
}

/// The LOINC code of one of our document types, or otherwise that of a note.
async fn known_type(txn: &Transaction, member: &Member, name: Option<&str>) -> Result<ChosenType> {
    let (system, code, title) = NOTE;
    let note = ChosenType { system: system.into(), code: code.into(), name: name.unwrap_or(title).into() };
    let Some(name) = name else { return Ok(note) };
    let found = document_type::Entity::find()
        .filter(own_or_system(document_type::Column::OrganizationId, member))
        .filter(document_type::Column::Name.eq(name))
        .filter(document_type::Column::Code.ne(""))
        .one(txn)
        .await?;
    Ok(match found {
        Some(row) => ChosenType { system: LOINC.into(), code: row.code, name: row.name },
        None => note,
    })
}

async fn insert(
    txn: &Transaction,
    key: &DataKey,
    member: &Member,
    (row, file): (&message::Model, &attachment::Model),
    connection: &integration::Model,
    chosen: &Chosen,
    now: DateTime<Utc>,
) -> Result<chart_filing::Model> {
    let id = Uuid::now_v7();
    let filing = chart_filing::Model {
        id,
        organization_id: row.organization_id,
        message_id: row.id,
        attachment_id: file.id,
        integration_id: connection.id,
        state: FilingState::Waiting,
        sealed_chosen: seal_chosen(key, id, chosen)?,
        chart_document_id: None,
        filed_at: None,
        user_id: member.caller.user_id,
        problem: String::new(),
        withdrawn_by: None,
        withdrawn_at: None,
        created_at: now,
    };
    Ok(filing.into_active_model().insert(txn).await?)
}

/// Takes a document back: one that is in the chart is marked there as entered in error. The message can be processed
/// again.
pub async fn undo(app: &App, member: &Member, id: Uuid, filing_id: Uuid) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    let filing = lock(&txn, &row, filing_id).await?;
    let now = app.clock.now();
    if matches!(filing.state, FilingState::Withdrawing | FilingState::Withdrawn) {
        return Err(Error::Conflict("This document was already taken back.".into()));
    }
    let connection = integration::Entity::find_by_id(filing.integration_id).one(&txn).await?;
    let connection = connection.ok_or(Error::Conflict(NO_CONNECTION.into()))?;
    let mut change = filing.into_active_model();
    // Also for one that is on its way or failed: it may be in the chart already.
    change.state = Set(FilingState::Withdrawing);
    change.problem = Set(String::new());
    change.withdrawn_by = Set(Some(member.caller.user_id));
    let filing = change.update(&txn).await?;
    workflow::enqueue(&txn, now, steps::withdraw(&connection, &filing, now)).await?;
    let act = Act::new(event::CHANGED, "attachment", filing.attachment_id);
    let act = act.detail(json!({ "chart": filing.integration_id, "takenBack": true }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    let row = match row.processed_at {
        Some(_) => process::process_in(app, &txn, &key, member, row, reopened()).await?,
        None => row,
    };
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

fn reopened() -> ProcessRequest {
    ProcessRequest {
        is_processed: false,
        subject: None,
        process_type: None,
        accepts_gaps: false,
        accepts_patient: false,
        takes_over: true,
    }
}

/// Tries again what failed.
pub async fn retry(app: &App, member: &Member, id: Uuid, filing_id: Uuid) -> Result<message::Model> {
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    let filing = lock(&txn, &row, filing_id).await?;
    let connection = integration::Entity::find_by_id(filing.integration_id).one(&txn).await?;
    let connection = connection.ok_or(Error::Conflict(NO_CONNECTION.into()))?;
    let now = app.clock.now();
    let (state, work) = match filing.state {
        FilingState::Failed => (FilingState::Waiting, steps::file(&connection, &filing, now)),
        FilingState::WithdrawalFailed => {
            (FilingState::Withdrawing, steps::withdraw(&connection, &filing, now))
        }
        _ => return Err(Error::Conflict("This document did not fail.".into())),
    };
    let mut change = filing.clone().into_active_model();
    change.state = Set(state);
    change.problem = Set(String::new());
    // The person who tries again may be another one, and signed in at the EHR.
    match state {
        FilingState::Withdrawing => change.withdrawn_by = Set(Some(member.caller.user_id)),
        _ => change.user_id = Set(member.caller.user_id),
    }
    change.update(&txn).await?;
    workflow::enqueue(&txn, now, work).await?;
    let act =
        Act::new(event::SENT, "attachment", filing.attachment_id).detail(json!({ "chart": connection.id }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(row)
}
