//! The steps that write a document into a chart, and take it back.

use super::{
    WORKFLOW,
    filing::{has_charts, takes_documents},
    finding,
    queries::open_chosen,
    types::{Chosen, ChosenType},
};
use crate::{
    attachments::held,
    handling::{process::process_as, types::ProcessRequest},
    model::{ChartChoices, Confidentiality},
    workflows::platform_error,
};
use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use fhir::{
    model::{self, DocumentType, Filed, GroupKind, NewDocument},
    problem::Problem,
};
use integrations::ehr::{self, Ehr, Failure, For, Outgoing};
use patients::{compare::Field, values::Values};
use platform::{
    App,
    audit::{self, Act, Actor, event},
    bus::Event as BusEvent,
    session,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect, sea_query::Expr,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment,
        chart_filing::{Column, Entity, FilingState, Model},
        integration::{self, IntegrationType},
        message,
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// Writes a document into a chart.
pub const FILE: StepType = StepType::new("FileToChart", Lane::Webhooks);
/// Marks a document in a chart as entered in error.
pub const WITHDRAW: StepType = StepType::new("WithdrawFromChart", Lane::Webhooks);

const OTHER_PATIENT: &str = "The patient of the chart differs from the patient of the message.";
const REPLACED: &str = "This chart was merged into another one. Please find the patient again.";
const INACTIVE: &str = "This chart is no longer active. Please find the patient again.";
const NO_CHART: &str = "The EHR no longer has this patient. Please find the patient again.";
const NO_CONNECTION: &str = "The EHR is no longer connected.";
const GONE: &str = "The document was deleted here before it was filed.";
const OTHER_EHR: &str = "The connection leads to another EHR by now.";
const LEFT: &str = "The person who filed it no longer works here. Please try again.";
const NOT_SHOWN: &str = "The EHR does not show this document. Please look for it there.";
const NOT_A_PERSON: &str =
    "By now each person signs in at the EHR, which a rule cannot. Sign in there and try again.";
const LOGIN: &str = "The person who filed it is no longer signed in at the EHR. Sign in there and try again.";

/// The workflow that files a document.
pub fn file(connection: &integration::Model, filing: &Model, now: DateTime<Utc>) -> NewWorkflow {
    work(FILE, connection, filing, now)
}

/// The workflow that takes a document back.
pub fn withdraw(connection: &integration::Model, filing: &Model, now: DateTime<Utc>) -> NewWorkflow {
    work(WITHDRAW, connection, filing, now)
}

fn work(step: StepType, connection: &integration::Model, filing: &Model, now: DateTime<Utc>) -> NewWorkflow {
    // Connections to one EHR share its workers.
    let partner = fetch::host_and_port(&connection.settings.base_url);
    NewWorkflow {
        organization_id: filing.organization_id,
        kind: WORKFLOW.into(),
        object_id: filing.id,
        steps: vec![NewStep::new(0, step, now).for_partner(partner)],
    }
}

/// About two days.
fn policy() -> Policy {
    Policy {
        max_attempts: 16,
        backoff: |attempt| Duration::seconds((15 << (2 * (attempt - 1).clamp(0, 6))).min(4 * 3_600)),
        ..Policy::default()
    }
}

/// What a failed call means for a step.
pub fn step_error(app: &App, connection: &integration::Model, failure: Failure) -> StepError {
    match failure {
        Failure::Paused => {
            let until = connection.retry_at.unwrap_or_else(|| app.clock.now() + Duration::minutes(1));
            StepError::Wait { until }
        }
        Failure::Problem(Problem::Busy { retry_after }) => {
            let after = retry_after.and_then(|after| Duration::from_std(after).ok());
            StepError::Again { reason: Problem::Busy { retry_after }.text(), after }
        }
        // What is mended there goes on by itself.
        Failure::Problem(problem) if problem.is_temporary() || is_of_connection(&problem) => {
            StepError::again(problem.text())
        }
        Failure::Problem(problem) => StepError::failed(problem.text()),
        Failure::Unreached(text) => StepError::again(text),
        Failure::Refused(text) => StepError::failed(text),
        Failure::LoginRequired => StepError::failed(LOGIN),
        Failure::NoConnection => StepError::failed(NO_CONNECTION),
        Failure::Here(error) => platform_error(error),
    }
}

/// Whether the way to the EHR is the problem, and not this document.
fn is_of_connection(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::SignInRefused { .. }
            | Problem::Tls(_)
            | Problem::Forbidden
            | Problem::NameNotFound
            | Problem::Redirected
            | Problem::Address
            | Problem::Unreadable
    )
}

/// Opens the EHR of a filing, on behalf of a person.
async fn open(app: &App, filing: &Model, chosen: &Chosen, user: Uuid) -> Result<Ehr, StepError> {
    let row =
        ehr::usable(app, filing.organization_id, filing.integration_id).await.map_err(platform_error)?;
    let row = row.ok_or_else(|| StepError::failed(NO_CONNECTION))?;
    if row.settings.base_url != chosen.base_url {
        return Err(StepError::failed(OTHER_EHR));
    }
    // A rule is the organization's, so it does not leave.
    let whom = match user.is_nil() {
        true => For::System,
        false => For::Person(user),
    };
    if let For::Person(user) = whom {
        let role = session::organization_role(app.store.db(), user, filing.organization_id).await;
        if role.map_err(platform_error)?.is_none() {
            return Err(StepError::failed(LEFT));
        }
    }
    match Ehr::of(app, row.clone(), whom).await {
        Err(Failure::LoginRequired) if user.is_nil() => Err(StepError::failed(NOT_A_PERSON)),
        opened => opened.map_err(|failure| step_error(app, &row, failure)),
    }
}

async fn find(app: &App, id: Uuid, state: FilingState) -> Result<Option<Model>, StepError> {
    let found = Entity::find_by_id(id).one(app.store.db()).await?;
    Ok(found.filter(|row| row.state == state))
}

pub struct FileDocument(pub App);

#[async_trait]
impl Step for FileDocument {
    fn policy(&self) -> Policy {
        policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.0;
        let Some(filing) = Entity::find_by_id(cx.object_id()).one(app.store.db()).await? else {
            return Ok(Done::skipped());
        };
        // An earlier attempt may have written it although its answer was lost.
        let is_wanted = filing.state == FilingState::Waiting;
        if !is_wanted && (filing.state != FilingState::Withdrawn || cx.attempt() == 1) {
            return Ok(Done::skipped());
        }
        let key = app.keys.data_key(filing.organization_id).await.map_err(|e| platform_error(e.into()))?;
        let chosen = open_chosen(&key, &filing).map_err(platform_error)?;
        if !is_wanted {
            return take_back_late(app, filing, &chosen).await;
        }
        let file = attachment::Entity::find_by_id(filing.attachment_id)
            .filter(attachment::Column::DeletedAt.is_null())
            .one(app.store.db())
            .await?
            .ok_or_else(|| StepError::failed(GONE))?;
        let content = held::read_in_step(app, &file).await?;
        let ehr = open(app, &filing, &chosen, filing.user_id).await?;
        if !takes_documents(ehr.row()) {
            return Err(StepError::failed(NO_CONNECTION));
        }
        if has_charts(ehr.row()) {
            check_patient(app, &ehr, &chosen).await?;
        }
        let filed = ehr.file(&outgoing(&filing, &chosen, file.mime_type, content)).await;
        let filed = filed.map_err(|failure| step_error(app, ehr.row(), failure))?;
        Ok(settled(app, ehr.row().clone(), filing, filed))
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        // The message first, as people's acts lock both.
        let row = message_of(txn, cx.object_id()).await?;
        give_up(txn, cx.object_id(), FilingState::Waiting, FilingState::Failed, reason).await?;
        let Some(row) = row else { return Ok(()) };
        // A message whose document is not in the chart must not look done.
        let reopened = reopen(&self.0, txn, row, cx.object_id()).await;
        reopened.map_err(|_| DbErr::Custom("the message could not be opened again".into()))
    }
}

/// The message of a filing, locked.
async fn message_of(txn: &Transaction, id: Uuid) -> Result<Option<message::Model>, DbErr> {
    let Some(filing) = Entity::find_by_id(id).one(txn).await? else { return Ok(None) };
    message::Entity::find_by_id(filing.message_id).lock_exclusive().one(txn).await
}

/// Opens the message of a failed filing again, if it was processed.
async fn reopen(app: &App, txn: &Transaction, row: message::Model, id: Uuid) -> platform::Result<()> {
    let Some(filing) = Entity::find_by_id(id).one(txn).await? else { return Ok(()) };
    // Sending to a system without charts did not process it.
    let is_wanted =
        filing.state == FilingState::Failed && filing.integration_kind != IntegrationType::WebService;
    if !is_wanted || row.processed_at.is_none() || row.deleted_at.is_some() {
        return Ok(());
    }
    let key = app.keys.data_key(row.organization_id).await?;
    let actor = Actor::system(row.organization_id);
    process_as(app, txn, &key, row, reopened(), &actor).await.map(drop)
}

/// Marks a message as not processed.
pub fn reopened() -> ProcessRequest {
    ProcessRequest {
        is_processed: false,
        subject: None,
        process_type: None,
        accepts_gaps: false,
        accepts_patient: false,
        takes_over: true,
    }
}

/// Takes back a document that was taken back while it was on its way, if it has reached the chart after all.
async fn take_back_late(app: &App, filing: Model, chosen: &Chosen) -> Result<Done, StepError> {
    let ehr = open(app, &filing, chosen, filing.withdrawn_by.unwrap_or(filing.user_id)).await?;
    let found = ehr.find_filed(filing.id).await;
    let found = found.map_err(|failure| step_error(app, ehr.row(), failure))?;
    Ok(match found {
        Some(filed) => settled(app, ehr.row().clone(), filing, filed),
        None => Done::skipped(),
    })
}

/// Notes that a document is in the chart, with the end of the step.
fn settled(app: &App, connection: integration::Model, filing: Model, filed: Filed) -> Done {
    let (told, app) = (telling(app, &filing), app.clone());
    let done = Done::with(move |txn| {
        Box::pin(async move {
            let act = Act::new(event::SENT, "attachment", filing.attachment_id)
                .detail(json!({ "chart": connection.id, "confirmed": true }));
            audit::record(&app, txn, &Actor::system(filing.organization_id), act)
                .await
                .map_err(platform_error)?;
            Ok(settle(txn, &connection, &filing, filed, app.clock.now()).await?)
        })
    });
    done.then(told)
}

/// Tells open screens that something happened to the message of a filing.
fn telling(app: &App, filing: &Model) -> impl Future<Output = ()> + Send + 'static {
    let (app, organization_id, message_id) = (app.clone(), filing.organization_id, filing.message_id);
    async move { app.bus.publish(BusEvent::Intake { organization_id, message_id }).await }
}

/// Refuses a patient of the chart who is somebody else by now.
async fn check_patient(app: &App, ehr: &Ehr, chosen: &Chosen) -> Result<(), StepError> {
    let found = ehr.patient(&chosen.patient_id).await;
    let found = found.map_err(|failure| step_error(app, ehr.row(), failure))?;
    let found = found.ok_or_else(|| StepError::failed(NO_CHART))?;
    if found.replaced_by.is_some() {
        return Err(StepError::failed(REPLACED));
    }
    if !found.is_active {
        return Err(StepError::failed(INACTIVE));
    }
    let comparison = finding::compare(&Values::of(&chosen.patient), &found, ehr.row().id);
    let is_somebody =
        comparison.fields.iter().any(|found| matches!(found.field, Field::LastName | Field::BirthDate));
    if !is_somebody || !comparison.differences().is_empty() {
        return Err(StepError::failed(OTHER_PATIENT));
    }
    Ok(())
}

fn outgoing(filing: &Model, chosen: &Chosen, media_type: String, content: bytes::Bytes) -> Outgoing {
    Outgoing { document: document(filing, chosen, media_type, content), patient: chosen.patient.clone() }
}

fn document(filing: &Model, chosen: &Chosen, media_type: String, content: bytes::Bytes) -> NewDocument {
    let ChosenType { system, code, name } = chosen.document_type.clone();
    let ChartChoices { order_ids, reviewer_id, group_reviewer_id, reviewer_note, urgent, .. } =
        chosen.choices.clone();
    NewDocument {
        identifier: filing.id,
        patient_id: chosen.patient_id.clone(),
        visit_id: chosen.visit_id.clone(),
        order_ids,
        reviewer_id,
        reviewer_group: group_reviewer_id.as_deref().and_then(group),
        kind: DocumentType { system, code, name },
        title: chosen.title.clone(),
        date: chosen.date,
        confidentiality: match chosen.confidentiality {
            Confidentiality::Normal => model::Confidentiality::Normal,
            Confidentiality::Restricted => model::Confidentiality::Restricted,
            Confidentiality::VeryRestricted => model::Confidentiality::VeryRestricted,
        },
        media_type,
        content,
        note: reviewer_note,
        is_urgent: urgent,
        author: chosen.from.clone(),
    }
}

/// A group of the EHR: `Group/…` or `CareTeam/…`.
fn group(id: &str) -> Option<(GroupKind, String)> {
    let (kind, id) = id.split_once('/')?;
    let kind = match kind {
        "Group" => GroupKind::Group,
        "CareTeam" => GroupKind::CareTeam,
        _ => return None,
    };
    Some((kind, id.to_owned()))
}

/// Notes that a document is in the chart. One that was taken back meanwhile is taken back there, too.
async fn settle(
    txn: &Transaction,
    connection: &integration::Model,
    filing: &Model,
    filed: Filed,
    now: DateTime<Utc>,
) -> Result<(), DbErr> {
    let locked = Entity::find_by_id(filing.id).lock_exclusive().one(txn).await?;
    let Some(row) = locked else { return Ok(()) };
    let state = match row.state {
        FilingState::Waiting => FilingState::Filed,
        FilingState::Withdrawing | FilingState::Withdrawn => FilingState::Withdrawing,
        // Noted by another run.
        FilingState::Filed | FilingState::Failed | FilingState::WithdrawalFailed => return Ok(()),
    };
    let is_finished = row.state == FilingState::Withdrawn;
    let mut change = row.into_active_model();
    change.chart_document_id = Set(Some(filed.id));
    change.filed_at = Set(Some(now));
    change.problem = Set(String::new());
    change.state = Set(state);
    let row = change.update(txn).await?;
    if is_finished {
        workflow::enqueue(txn, now, withdraw(connection, &row, now)).await?;
    }
    Ok(())
}

async fn give_up(
    txn: &Transaction,
    id: Uuid,
    from: FilingState,
    to: FilingState,
    reason: &str,
) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(to))
        .col_expr(Column::Problem, Expr::value(reason))
        .filter(Column::Id.eq(id))
        .filter(Column::State.eq(from))
        .exec(txn)
        .await?;
    Ok(())
}

pub struct WithdrawDocument(pub App);

#[async_trait]
impl Step for WithdrawDocument {
    fn policy(&self) -> Policy {
        policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.0;
        let Some(filing) = find(app, cx.object_id(), FilingState::Withdrawing).await? else {
            return Ok(Done::skipped());
        };
        let key = app.keys.data_key(filing.organization_id).await.map_err(|e| platform_error(e.into()))?;
        let chosen = open_chosen(&key, &filing).map_err(platform_error)?;
        let ehr = open(app, &filing, &chosen, filing.withdrawn_by.unwrap_or(filing.user_id)).await?;
        take_out(app, &ehr, &filing, &chosen).await?;
        let (now, told) = (app.clock.now(), telling(app, &filing));
        let done = Done::with(move |txn| {
            Box::pin(async move {
                Entity::update_many()
                    .col_expr(Column::State, Expr::value(FilingState::Withdrawn))
                    .col_expr(Column::WithdrawnAt, Expr::value(now))
                    .col_expr(Column::Problem, Expr::value(""))
                    .filter(Column::Id.eq(filing.id))
                    .exec(txn)
                    .await?;
                Ok(())
            })
        });
        Ok(done.then(told))
    }

    async fn failed(&self, cx: &StepContext, reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        give_up(txn, cx.object_id(), FilingState::Withdrawing, FilingState::WithdrawalFailed, reason).await
    }
}

/// Marks a document in the chart as entered in error. One that never arrived there needs nothing.
async fn take_out(app: &App, ehr: &Ehr, filing: &Model, chosen: &Chosen) -> Result<(), StepError> {
    let failed = |failure| step_error(app, ehr.row(), failure);
    let id = match &filing.chart_document_id {
        Some(id) => id.clone(),
        None => match ehr.find_filed(filing.id).await.map_err(failed)? {
            Some(filed) => filed.id,
            None => return Ok(()),
        },
    };
    let sent = outgoing(filing, chosen, String::new(), bytes::Bytes::new());
    match ehr.withdraw(&id, &sent).await {
        // Somebody deleted it there.
        Ok(()) | Err(Failure::Problem(Problem::Gone)) => Ok(()),
        Err(Failure::Problem(Problem::NotFound)) => Err(StepError::failed(NOT_SHOWN)),
        Err(failure) => Err(failed(failure)),
    }
}
