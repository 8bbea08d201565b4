//! The step that files the documents of an arrived message by a rule, or says why not.

use super::{
    super::{
        filing::{ByRule, Filer, Target},
        finding,
        steps::step_error,
        types::ChosenType,
    },
    judging::{self, Refusal},
};
use crate::{
    files,
    handling::{
        process::{self, process_as},
        types::ProcessRequest,
    },
    hubs::presence,
    messages::queries::{announce, edit_row},
    model::{Direction, Patient},
    rules::{filing::Wanted, queries::enabled_one, terms::FileToChart},
    sealed::{Content, open_meta},
    workflows::{DESCRIPTION, platform_error},
};
use chrono::Duration;
use integrations::{
    ehr::{self, Ehr, Failure, For},
    lookup_views,
};
use platform::{
    App,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, SelectExt,
    sea_query::OnConflict,
};
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};
use store::{
    Transaction,
    entities::{
        attachment::{self, ScanState},
        chart_filing::{self, FilingState},
        filing_refusal, integration,
        integration::Capability,
        message,
        patient_extraction::{self, ExtractionState},
        workflow as run,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Policy, Step, StepContext, StepError, WorkflowStatus};

/// Interval in which a message is looked at until its documents have been read.
const LOOK_AGAIN: Duration = Duration::seconds(10);
/// How long reading may take.
const READING_TIME: Duration = Duration::hours(1);
/// How long the EHR is asked. Then the message is left to people.
const ASKING_TIME: Duration = Duration::hours(4);

/// Files the documents of a message by a rule.
pub struct FileByRule(pub App);

/// Why a run ends without filing.
enum Left {
    Refused(Refusal),
    Later(StepError),
}

impl From<Refusal> for Left {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StepError> for Left {
    fn from(error: StepError) -> Self {
        Self::Later(error)
    }
}

impl From<platform::Error> for Left {
    fn from(error: platform::Error) -> Self {
        Self::Later(platform_error(error))
    }
}

impl From<DbErr> for Left {
    fn from(error: DbErr) -> Self {
        Self::Later(error.into())
    }
}

/// A message for which a rule is asked.
struct Asked {
    key: DataKey,
    row: message::Model,
    files: Vec<attachment::Model>,
    wanted: Wanted,
    rule_name: String,
    to: FileToChart,
}

/// What is filed.
struct Plan {
    connection: integration::Model,
    /// As the chart has it.
    patient: Patient,
    percent: u8,
    /// Types of the EHR with the names of the documents' types.
    types: HashMap<Uuid, ChosenType>,
}

/// Whether a message is as it arrived: nobody has opened, assigned, snoozed or processed it.
fn is_untouched(row: &message::Model, wanted: &Wanted) -> bool {
    row.read_at.is_none()
        && row.processed_at.is_none()
        && row.snoozed_until.is_none()
        && row.assigned_to == wanted.assigned_to
}

#[async_trait::async_trait]
impl Step for FileByRule {
    /// The EHR is asked until [`ASKING_TIME`] is over.
    fn policy(&self) -> Policy {
        Policy {
            max_attempts: 24,
            backoff: |attempt| Duration::seconds((15 << (2 * (attempt - 1).clamp(0, 4))).min(1_800)),
            ..Policy::default()
        }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = &self.0;
        let Some(asked) = Asked::read(app, cx).await? else { return Ok(Done::skipped()) };
        match asked.plan(app, cx).await {
            Ok(plan) => Ok(asked.file(app, plan)),
            Err(Left::Refused(refusal)) => Ok(asked.leave(app, refusal)),
            Err(Left::Later(error)) => Err(error),
        }
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let wanted = cx.meta::<Wanted>().ok();
        let row = message::Entity::find_by_id(cx.object_id()).one(txn).await?;
        let (Some(wanted), Some(row)) = (wanted, row) else { return Ok(()) };
        let rule = store::entities::intake_rule::Entity::find_by_id(wanted.rule_id).one(txn).await?;
        let Some(rule) = rule else { return Ok(()) };
        note(&self.0, txn, &row, (rule.id, &rule.name), &Refusal::GaveUp)
            .await
            .map_err(|_| DbErr::Custom("why a rule filed nothing could not be noted".into()))
    }
}

impl Asked {
    /// `None` if there is nothing to decide any more: the message was removed or processed, or the rule is off.
    async fn read(app: &App, cx: &StepContext) -> Result<Option<Self>, StepError> {
        let db = app.store.db();
        let wanted: Wanted = cx.meta()?;
        let row = message::Entity::find_by_id(cx.object_id()).one(db).await?;
        let is_open = |row: &message::Model| {
            row.direction == Direction::Intake && row.deleted_at.is_none() && row.processed_at.is_none()
        };
        let Some(row) = row.filter(is_open) else { return Ok(None) };
        let key = app.keys.data_key(row.organization_id).await.map_err(|e| platform_error(e.into()))?;
        let rule =
            enabled_one(db, &key, row.organization_id, wanted.rule_id).await.map_err(platform_error)?;
        let Some((rule, terms)) = rule else { return Ok(None) };
        let Some(to) = terms.file_to_chart else { return Ok(None) };
        let files = files::of_message(db, &row).await.map_err(platform_error)?;
        Ok(Some(Self { key, row, files, wanted, rule_name: rule.name, to }))
    }

    /// What is to be filed.
    async fn plan(&self, app: &App, cx: &StepContext) -> Result<Plan, Left> {
        let db = app.store.db();
        let since = app.clock.now() - cx.workflow.created_at;
        if !is_untouched(&self.row, &self.wanted) {
            return Err(Refusal::Touched.into());
        }
        if self.is_being_read(app).await? {
            let later = StepError::Wait { until: app.clock.now() + LOOK_AGAIN };
            return Err(if since > READING_TIME { Refusal::NotRead.into() } else { later.into() });
        }
        if Content::open(&self.key, &self.row)?.has_patient_by_person() {
            return Err(Refusal::Touched.into());
        }
        judging::check_files(&self.key, &self.files)??;
        self.refuse_filed(app).await?;
        let named = judging::named(db, &self.key, &self.row, &self.files, true).await??;
        let asked = self.ask(app, &named).await;
        match asked {
            Err(Left::Later(_)) if since > ASKING_TIME => Err(Refusal::GaveUp.into()),
            asked => asked,
        }
    }

    /// Whether a document waits for the malware scanner, or to be read.
    async fn is_being_read(&self, app: &App) -> Result<bool, DbErr> {
        let db = app.store.db();
        if self.files.iter().any(|file| file.scan_state == ScanState::Waiting) {
            return Ok(true);
        }
        let ids: Vec<Uuid> = self.files.iter().map(|file| file.id).collect();
        let read = patient_extraction::Entity::find()
            .filter(patient_extraction::Column::AttachmentId.is_in(ids.iter().copied()))
            .filter(patient_extraction::Column::State.eq(ExtractionState::Processing));
        let described = run::Entity::find()
            .filter(run::Column::ObjectId.is_in(ids))
            .filter(run::Column::Kind.eq(DESCRIPTION))
            .filter(run::Column::Status.is_in([WorkflowStatus::Pending, WorkflowStatus::Running]));
        Ok(read.exists(db).await? || described.exists(db).await?)
    }

    async fn refuse_filed(&self, app: &App) -> Result<(), Left> {
        let filed = chart_filing::Entity::find()
            .filter(chart_filing::Column::MessageId.eq(self.row.id))
            .filter(chart_filing::Column::State.ne(FilingState::Withdrawn));
        if filed.exists(app.store.db()).await? { Err(Refusal::InChart.into()) } else { Ok(()) }
    }

    /// Asks the EHR for the patient, and for its document types.
    async fn ask(&self, app: &App, named: &judging::Named) -> Result<Plan, Left> {
        let organization = self.row.organization_id;
        let row = ehr::usable(app, organization, self.to.integration_id).await?;
        let is_able = |row: &integration::Model| {
            row.can(Capability::PatientLookup) && row.can(Capability::DocumentUpload)
        };
        let row = row.filter(is_able).ok_or(Refusal::NotConnected)?;
        let failed = |failure| left(app, &row, failure);
        let ehr = Ehr::of(app, row.clone(), For::System).await.map_err(failed)?;
        note_search(app, &row, &self.row).await?;
        let found = finding::search(&ehr, &named.patient).await.map_err(failed)?;
        let only = judging::decide(named, &found, self.to.minimum_percent, row.id)?;
        let types = self.types(&ehr).await.map_err(failed)?;
        if row.settings.requires_document_type && types.len() < self.files.len() {
            return Err(Refusal::NoType.into());
        }
        Ok(Plan {
            percent: only.shown.percent,
            patient: lookup_views::patient(only.found.clone(), row.id),
            types,
            connection: row,
        })
    }

    /// The types of the EHR with the names of the documents' types.
    async fn types(&self, ehr: &Ehr) -> Result<HashMap<Uuid, ChosenType>, Failure> {
        if !ehr.row().can(Capability::DocumentTypeLookup) {
            return Ok(HashMap::new());
        }
        let read = async {
            let found = ehr.document_types().await?;
            let name = ehr.row().name.as_str();
            Ok(found
                .items
                .into_iter()
                .map(|kind| lookup_views::document_type(kind, name))
                .collect::<Vec<_>>())
        };
        let known = ehr.list("documentTypes", read).await?;
        let mut types = HashMap::new();
        for file in &self.files {
            let Some(name) = open_meta(&self.key, file)?.document_type else { continue };
            let same = known.iter().find(|kind| kind.name.trim().eq_ignore_ascii_case(name.trim()));
            let Some((same, (system, code))) = same.and_then(|kind| Some((kind, kind.id.rsplit_once('|')?)))
            else {
                continue;
            };
            let chosen = ChosenType { system: system.into(), code: code.into(), name: same.name.clone() };
            types.insert(file.id, chosen);
        }
        Ok(types)
    }

    /// Files everything, if the message is still as it was.
    fn file(self, app: &App, plan: Plan) -> Done {
        let (writer, teller) = (app.clone(), app.clone());
        let changed = Arc::new(OnceLock::new());
        let told = changed.clone();
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let row = self.write(&writer, txn, plan).await?;
                let _ = changed.set(row);
                Ok(())
            })
        });
        done.then(async move {
            if let Some(row) = told.get() {
                announce(&teller, row).await;
            }
            teller.bus.publish(Event::Work).await;
        })
    }

    async fn write(self, app: &App, txn: &Transaction, plan: Plan) -> Result<message::Model, StepError> {
        let before = message::Entity::find_by_id(self.row.id).lock_exclusive().one(txn).await?;
        let row = before.filter(|row| row.deleted_at.is_none()).ok_or_else(changed)?;
        match self.written(app, txn, &row, plan).await {
            Ok(filed) => Ok(filed),
            Err(Left::Later(error)) => Err(error),
            Err(Left::Refused(refusal)) => {
                let rule = (self.wanted.rule_id, self.rule_name.as_str());
                note(app, txn, &row, rule, &refusal).await.map_err(platform_error)?;
                Ok(row)
            }
        }
    }

    /// Refuses before it writes anything.
    async fn written(
        &self,
        app: &App,
        txn: &Transaction,
        row: &message::Model,
        plan: Plan,
    ) -> Result<message::Model, Left> {
        if !is_untouched(row, &self.wanted) {
            return Err(Refusal::Touched.into());
        }
        if presence::is_open(txn, row, app.clock.now()).await? {
            return Err(Refusal::HasOpen.into());
        }
        let files = files::of_message(txn, row).await?;
        let content_of = |files: &[attachment::Model]| -> Vec<_> {
            files
                .iter()
                .map(|file| (file.id, file.blob_id, file.scan_state, file.sealed_meta.clone()))
                .collect()
        };
        if row.version != self.row.version || content_of(&files) != content_of(&self.files) {
            return Err(changed().into());
        }
        let rule = enabled_one(txn, &self.key, row.organization_id, self.wanted.rule_id).await?;
        if rule.and_then(|(_, terms)| terms.file_to_chart).as_ref() != Some(&self.to) {
            return Err(changed().into());
        }
        let Plan { connection, patient, percent, mut types } = plan;
        let mut content = Content::open(&self.key, row)?;
        content.patient = Some(patient.clone());
        let as_filed = message::Model { sealed_content: content.seal(&self.key, row.id)?, ..row.clone() };
        let processed = processed();
        match process::check(app, txn, &self.key, &as_filed, &processed).await {
            Err(platform::Error::Invalid(_)) => return Err(Refusal::Gaps.into()),
            checked => checked?,
        }
        let row = edit_row(txn, &self.key, row.clone(), |m| {
            m.content.patient_version += 1;
            m.summary.name_patient(Some(&patient));
            m.content.patient = Some(patient);
            Ok(())
        })
        .await?;
        let by = ByRule { id: self.wanted.rule_id, name: self.rule_name.clone(), percent };
        let filer = Filer::rule(row.organization_id, by);
        let processes = self.to.marks_processed;
        let to = Target { key: &self.key, row: &row, connection: &connection, filer: &filer, processes };
        for file in &files {
            to.file(app, txn, file, types.remove(&file.id)).await?;
        }
        self.tell(app, txn, &row, &format!("filed to chart by rule “{}”", self.rule_name)).await?;
        Ok(match processes {
            true => process_as(app, txn, &self.key, row, processed, &filer.actor).await?,
            false => row,
        })
    }

    /// Writes into the activity of the message.
    async fn tell(&self, app: &App, txn: &Transaction, row: &message::Model, what: &str) -> Result<(), Left> {
        let detail = json!({ "rule": self.wanted.rule_id, "what": what, "fields": ["patient"] });
        let act = Act::new(event::CHANGED, "message", row.id).detail(detail);
        Ok(audit::record(app, txn, &Actor::system(row.organization_id), act).await?)
    }

    /// Leaves the message to people.
    fn leave(self, app: &App, refusal: Refusal) -> Done {
        let (writer, teller, row) = (app.clone(), app.clone(), self.row.clone());
        let done = Done::with(move |txn| {
            Box::pin(async move {
                let rule = (self.wanted.rule_id, self.rule_name.as_str());
                note(&writer, txn, &self.row, rule, &refusal).await.map_err(platform_error)
            })
        });
        done.then(async move { announce(&teller, &row).await })
    }
}

fn processed() -> ProcessRequest {
    ProcessRequest {
        is_processed: true,
        subject: None,
        process_type: None,
        accepts_gaps: true,
        accepts_patient: false,
        takes_over: false,
    }
}

/// The message changed while the EHR was asked, such as by a document that was read again.
fn changed() -> StepError {
    StepError::again("the message changed meanwhile")
}

fn left(app: &App, row: &integration::Model, failure: Failure) -> Left {
    match failure {
        Failure::NoConnection => Refusal::NotConnected.into(),
        Failure::LoginRequired => Refusal::SignsIn.into(),
        failure => match step_error(app, row, failure) {
            StepError::Failed { .. } => Refusal::NotAnswered.into(),
            later => later.into(),
        },
    }
}

/// Notes in the audit trail that a patient is looked up, before the EHR is asked.
async fn note_search(app: &App, connection: &integration::Model, row: &message::Model) -> Result<(), Left> {
    let txn = app.store.begin().await?;
    let act = Act::new(event::SEARCHED, "integration", connection.id)
        .detail(json!({ "of": "patients", "message": row.id }));
    audit::record(app, &txn, &Actor::system(row.organization_id), act).await?;
    Ok(txn.commit().await?)
}

/// Notes why a message was left to people, where they see it.
async fn note(
    app: &App,
    txn: &Transaction,
    row: &message::Model,
    (rule_id, rule_name): (Uuid, &str),
    refusal: &Refusal,
) -> platform::Result<()> {
    use filing_refusal::Column;
    let reason = refusal.words();
    let what = format!("not filed by rule “{rule_name}”: {reason}");
    let refused = filing_refusal::ActiveModel {
        message_id: Set(row.id),
        organization_id: Set(row.organization_id),
        rule_id: Set(rule_id),
        rule_name: Set(rule_name.to_owned()),
        reason: Set(reason),
        at: Set(app.clock.now()),
    };
    let columns = [Column::RuleId, Column::RuleName, Column::Reason, Column::At];
    let anew = OnConflict::column(Column::MessageId).update_columns(columns).to_owned();
    filing_refusal::Entity::insert(refused).on_conflict(anew).exec_without_returning(txn).await?;
    let act =
        Act::new(event::CHANGED, "message", row.id).detail(json!({ "rule": rule_id, "what": what })).failed();
    audit::record(app, txn, &Actor::system(row.organization_id), act).await
}
