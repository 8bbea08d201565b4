//! Creates messages from the documents of a batch. Each document is a step of one workflow, so that a failed one does
//! not hold up others, and a finished one is not created again.

use super::{
    plan::{Plan, PlannedPart},
    queries::{self, changed, file_kind, files_of, lock, open_part, pages_of, parts_of, record, seal_part},
    reading::{stored, words},
};
use crate::{
    arrival::{Arrival, NewIntake},
    attachments::describe::described,
    files::{self, FILE_LIMIT, NewFile},
    messages::patients::named_for,
    model::{AttachmentMeta, Confidentiality, Patient, PreviewState, SourceType, Status},
    sealed::{Content, Summary},
    workflows::{TRIAGE_FILE, conversion_policy, platform_error},
};
use bytes::Bytes;
use documents::{
    Kind,
    kind::extension,
    paging::PickedPage,
    worker::{ConvertError, Input},
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    text::Line,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{
    Transaction,
    blobs::BlobInfo,
    entities::{
        attachment, message,
        triage_batch::{self, BatchState},
        triage_file, triage_part, triage_sheet,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// Creates one document.
pub const FILE_PART: StepType = StepType::new("FileTriagePart", Lane::Conversion);

/// Problem of a document larger than the attachment limit.
const TOO_LARGE: &str =
    "It would be larger than 20 MB. Please split it into several documents, or exclude some pages.";

#[derive(Clone, Serialize, Deserialize)]
struct Meta {
    part: Uuid,
    /// The person who files the batch.
    user_id: Uuid,
    user_name: String,
}

/// Files an open batch by its plan. For a batch in progress, retries the failed documents; for a finished one, changes
/// nothing.
pub async fn start(
    app: &App,
    member: &Member,
    id: Uuid,
    version: Option<i32>,
) -> Result<triage_batch::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let batch = lock(&txn, member, id).await?;
    let (batch, parts) = match batch.state {
        BatchState::Filed => return Ok(batch),
        BatchState::Filing => {
            let failed = clear_problems(&txn, id).await?;
            (batch, failed)
        }
        BatchState::Open => {
            let files = files_of(&txn, id).await?;
            queries::require_read(&files)?;
            Error::unless_current(version, &batch.version, "this batch")?;
            // Documents that are already in the Intake since the last filing.
            let made = parts_of(&txn, id).await?;
            let filed = queries::filed_pages(&key, &made)?;
            let plan = queries::open_plan(&key, &batch)?.checked(&pages_of(&files), &filed)?;
            plan.check_fileable()?;
            // Colleagues and types in a saved plan may be gone.
            queries::require_choices(&txn, member, &plan).await?;
            let parts = insert_parts(&txn, &key, &batch, &plan, made.len()).await?;
            let batch = changed(app, &txn, member, batch, |row| row.state = Set(BatchState::Filing)).await?;
            (batch, parts)
        }
    };
    if parts.is_empty() {
        return Ok(batch);
    }
    let now = app.clock.now();
    let caller = &member.caller;
    let step = |part: &Uuid| {
        let meta = Meta { part: *part, user_id: caller.user_id, user_name: caller.full_name.clone() };
        NewStep::new(0, FILE_PART, now).with_meta(json!(meta))
    };
    let job = NewWorkflow {
        organization_id: batch.organization_id,
        kind: TRIAGE_FILE.into(),
        object_id: id,
        steps: parts.iter().map(step).collect(),
    };
    workflow::enqueue(&txn, now, job).await?;
    let act =
        Act::new(event::CHANGED, "triagebatch", id).detail(json!({ "what": "filed", "messages": parts }));
    record(app, &txn, member, act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(batch)
}

async fn insert_parts(
    txn: &Transaction,
    key: &DataKey,
    batch: &triage_batch::Model,
    plan: &Plan,
    first: usize,
) -> Result<Vec<Uuid>> {
    let mut ids = Vec::new();
    for (position, part) in (first..).zip(&plan.parts) {
        let id = Uuid::now_v7();
        let row = triage_part::Model {
            id,
            batch_id: batch.id,
            organization_id: batch.organization_id,
            position: position as i32,
            sealed_part: seal_part(key, id, part)?,
            filed_at: None,
            problem: None,
        };
        triage_part::Entity::insert(row.into_active_model()).exec_without_returning(txn).await?;
        ids.push(id);
    }
    Ok(ids)
}

/// The failed documents, reset for another attempt.
async fn clear_problems(txn: &Transaction, batch: Uuid) -> Result<Vec<Uuid>> {
    let parts = parts_of(txn, batch).await?;
    let failed: Vec<Uuid> =
        parts.into_iter().filter(|part| part.problem.is_some()).map(|part| part.id).collect();
    triage_part::Entity::update_many()
        .set(triage_part::ActiveModel { problem: Set(None), ..Default::default() })
        .filter(triage_part::Column::Id.is_in(failed.iter().copied()))
        .exec(txn)
        .await?;
    Ok(failed)
}

pub struct FilePart {
    pub app: App,
}

#[async_trait::async_trait]
impl Step for FilePart {
    fn policy(&self) -> Policy {
        conversion_policy()
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let (app, db) = (self.app.clone(), self.app.store.db());
        let meta = cx.meta::<Meta>()?;
        let part = triage_part::Entity::find_by_id(meta.part).one(db).await?;
        let Some(part) = part.filter(|part| part.filed_at.is_none()) else { return Ok(Done::skipped()) };
        let batch = triage_batch::Entity::find_by_id(part.batch_id).one(db).await?;
        let Some(batch) = batch else { return Ok(Done::skipped()) };
        let document = match Document::make(&app, &batch, &part, cx.workflow_id()).await? {
            Ok(document) => document,
            Err(problem) => {
                return Ok(Done::with(move |txn| {
                    Box::pin(async move { Ok(note_problem(txn, part.id, problem).await?) })
                }));
            }
        };
        let (published, organization_id, message_id) = (app.clone(), batch.organization_id, part.id);
        let done = Done::with(move |txn| Box::pin(async move { document.store(&app, txn, meta).await }));
        Ok(done.then(async move {
            published.bus.publish(Event::Intake { organization_id, message_id }).await;
            published.bus.publish(Event::Work).await;
        }))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let Ok(Meta { part, .. }) = cx.meta() else { return Ok(()) };
        note_problem(txn, part, "It could not be created. Please try again.".into()).await
    }
}

async fn note_problem(txn: &Transaction, part: Uuid, problem: String) -> Result<(), DbErr> {
    triage_part::Entity::update_many()
        .set(triage_part::ActiveModel { problem: Set(Some(problem)), ..Default::default() })
        .filter(triage_part::Column::Id.eq(part))
        .filter(triage_part::Column::FiledAt.is_null())
        .exec(txn)
        .await?;
    Ok(())
}

/// A document ready for the Intake.
struct Document {
    batch_id: Uuid,
    arrival: Arrival,
    /// Its files and pages, for the audit trail.
    pages: serde_json::Value,
}

/// A file that was created or kept, with its metadata.
struct Made {
    file: NewFile,
    pdf_blob_id: Option<Uuid>,
    pages: Option<i32>,
    patient: Option<Patient>,
}

impl Document {
    async fn make(
        app: &App,
        batch: &triage_batch::Model,
        part: &triage_part::Model,
        workflow_id: Uuid,
    ) -> Result<Result<Self, String>, StepError> {
        let organization_id = batch.organization_id;
        let key = app.keys.data_key(organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
        let planned = open_part(&key, part).map_err(platform_error)?;
        let sources = files_of(app.store.db(), batch.id).await.map_err(platform_error)?;
        let made = match planned.whole_file(&pages_of(&sources)) {
            Some(position) => kept(app, &key, &planned, position, &sources).await?,
            None => match assembled(app, &planned, &sources, organization_id).await? {
                Ok(made) => made,
                Err(error) if error.is_permanent() => return Ok(Err(words(&error))),
                Err(error) => return Err(StepError::again(error.to_string())),
            },
        };
        if made.file.blob.size > FILE_LIMIT {
            return Ok(Err(TOO_LARGE.into()));
        }
        let document_type = made.file.meta.document_type.clone().unwrap_or_default();
        let summary = Summary { subject: planned.name.to_string(), document_type, ..Summary::default() }
            .of_patient(made.patient.as_ref());
        let content = Content { patient: made.patient, ..Content::default() };
        let source_type = SourceType::Triage;
        let came = NewIntake { id: part.id, organization_id, source_type, workflow_id, at: app.clock.now() };
        let message = message::Model {
            status: Status::Triaged,
            from_name: batch.created_by_name.clone(),
            assigned_to: planned.assigned_to,
            created_by: Some(batch.created_by),
            attachment_count: 1,
            ..came.row(&key, &summary, &content).map_err(platform_error)?
        };
        let row = files::row(&key, &message, 0, made.file, message.received_at).map_err(platform_error)?;
        let has_pdf = made.pdf_blob_id.is_some();
        let row = attachment::Model {
            page_count: made.pages,
            pdf_blob_id: made.pdf_blob_id,
            preview_state: if has_pdf { PreviewState::Available } else { row.preview_state },
            ..row
        };
        let pages: Vec<_> = sources
            .iter()
            .map(|file| (file.id, planned.pages_of(file.position)))
            .filter(|(_, pages)| !pages.is_empty())
            .map(|(file, pages)| json!({ "file": file, "pages": pages }))
            .collect();
        let arrival = Arrival { key, message, summary, files: vec![row] };
        Ok(Ok(Self { batch_id: batch.id, arrival, pages: json!(pages) }))
    }

    async fn store(self, app: &App, txn: &Transaction, meta: Meta) -> Result<(), StepError> {
        // Lock order: the batch first.
        let batch = triage_batch::Entity::find_by_id(self.batch_id).lock_exclusive().one(txn).await?;
        let part = triage_part::Entity::find_by_id(meta.part).lock_exclusive().one(txn).await?;
        let (Some(batch), Some(part)) = (batch, part.filter(|part| part.filed_at.is_none())) else {
            return Ok(());
        };
        let organization_id = batch.organization_id;
        let actor = Actor { id: Some(meta.user_id), name: meta.user_name, ..Actor::system(organization_id) };
        let detail = json!({ "batch": batch.id, "files": self.pages });
        let act = Act::new(event::CREATED, "message", part.id).detail(detail);
        self.arrival.store(app, txn).await?;
        audit::record(app, txn, &actor, act).await.map_err(platform_error)?;
        let mut row = part.into_active_model();
        row.filed_at = Set(Some(app.clock.now()));
        row.problem = Set(None);
        row.update(txn).await?;
        finish(app, txn, batch).await
    }
}

/// Ends the filing when every document has its message.
async fn finish(app: &App, txn: &Transaction, batch: triage_batch::Model) -> Result<(), StepError> {
    let parts = parts_of(txn, batch.id).await.map_err(platform_error)?;
    if parts.iter().any(|part| part.filed_at.is_none()) {
        return Ok(());
    }
    Ok(close(app, txn, batch).await?)
}

/// Closes a batch. The images of its pages are no longer needed.
pub async fn close(app: &App, txn: &Transaction, batch: triage_batch::Model) -> Result<(), DbErr> {
    triage_sheet::Entity::delete_many().filter(triage_sheet::Column::BatchId.eq(batch.id)).exec(txn).await?;
    let version = batch.version + 1;
    let mut row = batch.into_active_model();
    row.state = Set(BatchState::Filed);
    row.filed_at = Set(Some(app.clock.now()));
    row.version = Set(version);
    row.update(txn).await.map(|_| ())
}

fn meta_of(planned: &PlannedPart) -> AttachmentMeta {
    AttachmentMeta {
        document_type: planned.document_type.as_deref().filter(|name| !name.is_empty()).map(Into::into),
        confidentiality: Some(Confidentiality::Normal),
        ..AttachmentMeta::default()
    }
}

/// An unchanged file, byte for byte.
async fn kept(
    app: &App,
    key: &DataKey,
    planned: &PlannedPart,
    position: i32,
    sources: &[triage_file::Model],
) -> Result<Made, StepError> {
    let source = sources.iter().find(|file| file.position == position);
    let source = source.ok_or_else(|| StepError::failed("a file of the batch is missing"))?;
    let kind = file_kind(source);
    let content = files::read(app, source.organization_id, source.blob_id).await.map_err(platform_error)?;
    let sha256 = Sha256::digest(&content).into();
    let mut meta = meta_of(planned);
    let mut patient = None;
    if kind.structured() {
        let converter = app.batch_converter.of(source.organization_id);
        let said = described(&converter, Input::bytes(kind, content)).await;
        let (own, named) = said.map_err(|error| StepError::again(error.to_string()))?;
        patient = named_for(app, source.organization_id, named).await.map_err(platform_error)?;
        meta = AttachmentMeta { document_type: meta.document_type.or(own.document_type.clone()), ..own };
    }
    let original = queries::open_file_name(key, source).map_err(platform_error)?;
    let file = NewFile {
        name: named(&planned.name, &extension(&original).unwrap_or_default()),
        kind,
        mime_type: source.mime_type.clone(),
        blob: BlobInfo { id: source.blob_id, size: source.size_bytes as u64, sha256 },
        meta,
        problem: None,
    };
    let pages = source.pdf_blob_id.map(|_| source.page_count);
    Ok(Made { file, pdf_blob_id: source.pdf_blob_id, pages, patient })
}

/// Its pages as a new PDF.
async fn assembled(
    app: &App,
    planned: &PlannedPart,
    sources: &[triage_file::Model],
    organization_id: Uuid,
) -> Result<Result<Made, ConvertError>, StepError> {
    let mut used: Vec<i32> = planned.pages.iter().map(|page| page.file).collect();
    used.sort_unstable();
    used.dedup();
    let mut contents: Vec<Bytes> = Vec::new();
    for position in &used {
        let source = sources.iter().find(|file| file.position == *position);
        let pdf = source.and_then(|file| file.pdf_blob_id);
        let pdf = pdf.ok_or_else(|| StepError::failed("a file of the batch has no pages"))?;
        contents.push(files::read(app, organization_id, pdf).await.map_err(platform_error)?);
    }
    let place = |file: i32| used.iter().position(|used| *used == file).unwrap_or_default();
    let picked: Vec<PickedPage> = planned
        .pages
        .iter()
        .map(|page| PickedPage {
            file: place(page.file),
            page: page.page as u32,
            turn: page.turn,
            straighten: page.straighten,
        })
        .collect();
    let made = match app.batch_converter.of(organization_id).assemble(&contents, &picked).await {
        Ok(made) => Bytes::from(made),
        Err(error) => return Ok(Err(error)),
    };
    let blob = stored(app, organization_id, made).await?;
    let pdf_blob_id = Some(blob.id);
    let file = NewFile {
        name: named(&planned.name, "pdf"),
        kind: Kind::Pdf,
        mime_type: Kind::Pdf.mime_type().into(),
        blob,
        meta: meta_of(planned),
        problem: None,
    };
    let pages = Some(picked.len() as i32);
    Ok(Ok(Made { file, pdf_blob_id, pages, patient: None }))
}

/// The file name of a document, without characters of a path.
fn named(name: &Line, extension: &str) -> String {
    let name: String = name.chars().map(|c| if matches!(c, '/' | '\\') { '-' } else { c }).collect();
    if extension.is_empty() || name.to_lowercase().ends_with(&format!(".{extension}")) {
        name
    } else {
        format!("{name}.{extension}")
    }
}
