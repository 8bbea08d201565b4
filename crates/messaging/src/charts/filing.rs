//! Filing the documents of a message, taking one back, and trying again.

use super::{
    queries::{lock, of_message, open_chosen, seal_chosen},
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
    vocabulary::of_or_system,
};
use chrono::{DateTime, Utc};
use integrations::ehr::{self, NO_CONNECTION};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, SelectExt,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment,
        chart_filing::{self, FilingState},
        document_type,
        integration::{self, Capability, IntegrationType},
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
    let filer = Filer::person(member);
    let to =
        Target { key: &key, row: &row, connection: &connection, filer: &filer, processes: wanted.processes };
    for document in &documents {
        to.file(app, &txn, document, None).await?;
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

/// Whether the documents of a system are in charts of patients.
pub fn has_charts(connection: &integration::Model) -> bool {
    connection.kind != IntegrationType::WebService
}

/// Whether a system gets documents.
pub fn takes_documents(connection: &integration::Model) -> bool {
    [Capability::DocumentUpload, Capability::DocumentSend].into_iter().any(|own| connection.can(own))
}

/// Who files a document.
#[derive(Clone, Debug)]
pub struct Filer {
    pub actor: Actor,
    /// User name of a person.
    user_name: Option<String>,
    rule: Option<ByRule>,
}

/// An intake rule that files.
#[derive(Clone, Debug)]
pub struct ByRule {
    pub id: Uuid,
    pub name: String,
    /// How certain it is of the patient.
    pub percent: u8,
}

impl Filer {
    fn person(member: &Member) -> Self {
        Self {
            actor: Actor::from(&member.caller),
            user_name: Some(member.caller.user_name.clone()),
            rule: None,
        }
    }

    pub fn rule(organization_id: Uuid, rule: ByRule) -> Self {
        Self { actor: Actor::system(organization_id), user_name: None, rule: Some(rule) }
    }
}

/// What documents of a message are filed with.
pub struct Target<'a> {
    pub key: &'a DataKey,
    /// Locked, with its patient in the chart.
    pub row: &'a message::Model,
    pub connection: &'a integration::Model,
    pub filer: &'a Filer,
    /// Whether filing also marks the message as processed.
    pub processes: bool,
}

impl Target<'_> {
    /// Files a document that its filer may open. `proposed`: its type in the EHR, unless a person chose one.
    pub async fn file(
        &self,
        app: &App,
        txn: &Transaction,
        document: &attachment::Model,
        proposed: Option<ChosenType>,
    ) -> Result<()> {
        let now = app.clock.now();
        refuse_filed(txn, self.row, document, self.connection).await?;
        let chosen = self.chosen(txn, document, proposed).await?;
        let filing = self.insert(txn, document, &chosen, now).await?;
        workflow::enqueue(txn, now, steps::file(self.connection, &filing, now)).await?;
        let rule = self.filer.rule.as_ref().map(|rule| rule.id);
        let act = Act::new(event::SENT, "attachment", document.id)
            .detail(json!({ "chart": self.connection.id, "rule": rule }));
        audit::record(app, txn, &self.filer.actor, act).await
    }
}

/// Refuses to file for a patient whom somebody else has chosen meanwhile. The message is locked.
fn refuse_other_patient(
    key: &DataKey,
    row: &message::Model,
    connection: &integration::Model,
    wanted: &FileRequest,
) -> Result<()> {
    if !has_charts(connection) {
        return Ok(());
    }
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
    let found = ehr::usable(app, member.organization_id, id).await?.filter(takes_documents);
    let chart = chart_of(key, row)?;
    match (chart, found) {
        (_, Some(found)) if !has_charts(&found) => Ok(found),
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

/// Refuses a document that is in a chart, or on its way there; a system without charts counts for itself. The message
/// is locked.
async fn refuse_filed(
    txn: &Transaction,
    row: &message::Model,
    file: &attachment::Model,
    connection: &integration::Model,
) -> Result<()> {
    let same = match has_charts(connection) {
        true => chart_filing::Column::IntegrationKind.ne(IntegrationType::WebService),
        false => chart_filing::Column::IntegrationId.eq(connection.id),
    };
    let rows = of_message(row.organization_id, row.id)
        .filter(chart_filing::Column::AttachmentId.eq(file.id))
        .filter(same)
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

impl Target<'_> {
    /// What is filed, from what the message and the document say.
    async fn chosen(
        &self,
        txn: &Transaction,
        file: &attachment::Model,
        proposed: Option<ChosenType>,
    ) -> Result<Chosen> {
        let Self { key, row, connection, filer, processes } = *self;
        let (meta, name) = (open_meta(key, file)?, open_name(key, file)?);
        let patient = Content::open(key, row)?.patient.unwrap_or_default();
        let chart = patient.integration_meta.clone().unwrap_or_default();
        let is_of_chart = has_charts(connection);
        // What was chosen in a chart means nothing to a system without charts.
        let choices = meta.integration_meta.filter(|_| is_of_chart);
        let mut choices = choices.unwrap_or_default();
        choices.user_email.clone_from(&filer.user_name);
        let document_type = match chart_type(&choices).or(proposed) {
            Some(own) => own,
            None if connection.settings.requires_document_type => {
                let text = format!("\"Document Type\" is required for file {name}");
                return Err(Error::field("documentType", text));
            }
            None => known_type(txn, row.organization_id, meta.document_type.as_deref()).await?,
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
            patient_id: chart.patient_id.filter(|_| is_of_chart).unwrap_or_default(),
            visit_id: chart.visit_id.filter(|_| is_of_chart),
            patient,
            base_url: connection.settings.base_url.clone(),
            choices,
            document_type,
            date: meta.document_date,
            confidentiality: meta.confidentiality.unwrap_or_default(),
            title,
            from: from.clone(),
            processes,
        })
    }

    async fn insert(
        &self,
        txn: &Transaction,
        file: &attachment::Model,
        chosen: &Chosen,
        now: DateTime<Utc>,
    ) -> Result<chart_filing::Model> {
        let id = Uuid::now_v7();
        let rule = self.filer.rule.as_ref();
        let filing = chart_filing::Model {
            id,
            organization_id: self.row.organization_id,
            message_id: self.row.id,
            attachment_id: file.id,
            integration_id: self.connection.id,
            integration_kind: self.connection.kind,
            state: FilingState::Waiting,
            sealed_chosen: seal_chosen(self.key, id, chosen)?,
            chart_document_id: None,
            filed_at: None,
            user_id: self.filer.actor.id.unwrap_or_default(),
            rule_id: rule.map(|rule| rule.id),
            rule_name: rule.map(|rule| rule.name.clone()),
            percent: rule.map(|rule| rule.percent.into()),
            problem: String::new(),
            withdrawn_by: None,
            withdrawn_at: None,
            acknowledged_at: None,
            created_at: now,
        };
        Ok(filing.into_active_model().insert(txn).await?)
    }
}

/// A chosen type of the EHR: `system|code`.
fn chart_type(choices: &ChartChoices) -> Option<ChosenType> {
    let (system, code) = choices.document_type_id.as_deref()?.rsplit_once('|')?;
    let name = choices.document_type.clone().unwrap_or_default();
    Some(ChosenType { system: system.into(), code: code.into(), name })
}

/// The LOINC code of one of our document types, or otherwise that of a note.
async fn known_type(txn: &Transaction, organization_id: Uuid, name: Option<&str>) -> Result<ChosenType> {
    let (system, code, title) = NOTE;
    let note = ChosenType { system: system.into(), code: code.into(), name: name.unwrap_or(title).into() };
    let Some(name) = name else { return Ok(note) };
    let found = document_type::Entity::find()
        .filter(of_or_system(document_type::Column::OrganizationId, organization_id))
        .filter(document_type::Column::Name.eq(name))
        .filter(document_type::Column::Code.ne(""))
        .one(txn)
        .await?;
    Ok(match found {
        Some(row) => ChosenType { system: LOINC.into(), code: row.code, name: row.name },
        None => note,
    })
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
    // Sending to a system without charts does not process a message.
    let reopens = row.processed_at.is_some() && filing.integration_kind != IntegrationType::WebService;
    let row = match reopens {
        true => process::process_in(app, &txn, &key, member, row, steps::reopened()).await?,
        false => row,
    };
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

/// Tries again what failed. A message that was to be processed with it is marked as processed again.
pub async fn retry(app: &App, member: &Member, id: Uuid, filing_id: Uuid) -> Result<message::Model> {
    let txn = app.store.begin().await?;
    let row = queries::lock(&txn, member, id).await?;
    let filing = lock(&txn, &row, filing_id).await?;
    let connection = integration::Entity::find_by_id(filing.integration_id).one(&txn).await?;
    let connection = connection.ok_or(Error::Conflict(NO_CONNECTION.into()))?;
    let now = app.clock.now();
    let key = app.keys.data_key(member.organization_id).await?;
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
    change.acknowledged_at = Set(None);
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
    let processes = state == FilingState::Waiting && open_chosen(&key, &filing)?.processes;
    let row = match processes && row.processed_at.is_none() && is_last(&txn, &row, &filing).await? {
        true => process::process_in(app, &txn, &key, member, row, again()).await?,
        false => row,
    };
    app.store.commit_durable(txn).await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

/// Whether no other document of the message failed.
async fn is_last(txn: &Transaction, row: &message::Model, filing: &chart_filing::Model) -> Result<bool> {
    let others = of_message(row.organization_id, row.id)
        .filter(chart_filing::Column::Id.ne(filing.id))
        .filter(chart_filing::Column::State.eq(FilingState::Failed));
    Ok(!others.exists(txn).await?)
}

/// What was accepted when it was filed first.
fn again() -> ProcessRequest {
    ProcessRequest { is_processed: true, accepts_gaps: true, accepts_patient: true, ..steps::reopened() }
}
