//! Reads the pages of an uploaded file: counts them, creates thumbnails, and classifies them.

use super::{
    plan::PAGES_MAX,
    queries::{self, file_kind},
};
use crate::{
    attachments::scan::{self, Outcome as Scanned},
    files,
    workflows::{TRIAGE_READ, conversion_policy, platform_error},
};
use bytes::Bytes;
use documents::{
    Kind,
    paging::PageLook,
    worker::{ConvertError, Converter, Fault, Input},
};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, sea_query::OnConflict,
};
use serde_json::json;
use std::time::Duration;
use store::{
    Transaction,
    blobs::BlobInfo,
    entities::{
        attachment::ScanState,
        held_file::{self, HeldState},
        triage_batch::{self, BatchState},
        triage_file::{self, FileState},
        triage_sheet,
    },
};
use uuid::Uuid;
use workflow::{Done, Lane, NewStep, NewWorkflow, Policy, Step, StepContext, StepError, StepType};

/// The only step of its workflow.
pub const READ_FILE: StepType = StepType::new("ReadTriageFile", Lane::Conversion);
/// Number of pages read by one worker, whose thumbnails share a blob.
pub const SHEET_PAGES: u32 = 20;

pub struct ReadFile {
    pub app: App,
}

/// Result of reading a file.
enum Outcome {
    /// It has no pages that could be separated.
    Whole,
    Pages(Vec<PageLook>),
    Refused(String),
    /// The scanner found malware in it.
    Infected(Option<String>),
    /// The batch was discarded meanwhile.
    Gone,
}

#[async_trait::async_trait]
impl Step for ReadFile {
    /// Allows for the largest batch beside other work; finished pages are not read again.
    fn policy(&self) -> Policy {
        Policy { deadline: Duration::from_secs(30 * 60), ..conversion_policy() }
    }

    async fn run(&self, cx: &StepContext) -> Result<Done, StepError> {
        let app = self.app.clone();
        let found = triage_file::Entity::find_by_id(cx.object_id()).one(app.store.db()).await?;
        let Some(file) = found.filter(|file| file.state == FileState::Reading) else {
            let id = cx.object_id();
            return Ok(Done::with(move |txn| {
                Box::pin(async move { Ok(scan::forget_waiting(txn, id).await?) })
            }));
        };
        let outcome = match scanned(&app, cx, &file).await? {
            Some(finding) => Outcome::Infected(finding),
            None => read(&app, &file).await?,
        };
        Ok(Done::with(move |txn| Box::pin(async move { settle(&app, txn, file.id, outcome).await })))
    }

    async fn failed(&self, cx: &StepContext, _reason: &str, txn: &Transaction) -> Result<(), DbErr> {
        let Some((_, file)) = lock_reading(txn, cx.object_id()).await? else { return Ok(()) };
        give_up(txn, file, "It could not be read. Please upload it again.".into()).await
    }
}

/// Scans a file for malware before it is read. Returns the finding, if any.
async fn scanned(
    app: &App,
    cx: &StepContext,
    file: &triage_file::Model,
) -> Result<Option<Option<String>>, StepError> {
    if file.scan_state != ScanState::Waiting {
        return Ok(None);
    }
    let Scanned { state, finding } = scan::scan(app, cx, file.organization_id, file.blob_id).await?;
    if state == ScanState::Infected {
        return Ok(Some(finding));
    }
    let txn = app.store.begin().await?;
    let change = triage_file::ActiveModel { scan_state: Set(state), ..Default::default() };
    let same = triage_file::Entity::update_many().set(change).filter(triage_file::Column::Id.eq(file.id));
    same.exec(&txn).await?;
    scan::forget_waiting(&txn, file.id).await?;
    txn.commit().await?;
    Ok(None)
}

/// Schedules the reading of a file that an operator released from quarantine.
pub async fn read_released(app: &App, txn: &Transaction, id: Uuid) -> Result<()> {
    let gone = || Error::Conflict("The batch of this file is no longer open.".into());
    let file = triage_file::Entity::find_by_id(id).one(txn).await?.ok_or_else(gone)?;
    let batch = triage_batch::Entity::find_by_id(file.batch_id).lock_exclusive().one(txn).await?;
    batch.filter(|batch| batch.state == BatchState::Open).ok_or_else(gone)?;
    let (organization_id, now) = (file.organization_id, app.clock.now());
    let mut row = file.into_active_model();
    row.state = Set(FileState::Reading);
    row.problem = Set(None);
    row.scan_state = Set(ScanState::Released);
    row.update(txn).await?;
    let steps = vec![NewStep::new(0, READ_FILE, now)];
    let job = NewWorkflow { organization_id, kind: TRIAGE_READ.into(), object_id: id, steps };
    workflow::enqueue(txn, now, job).await?;
    Ok(())
}

/// Removes a file from its batch; it was never part of a document.
pub async fn remove_refused(txn: &Transaction, id: Uuid) -> Result<()> {
    let refused = triage_file::Entity::delete_many()
        .filter(triage_file::Column::Id.eq(id))
        .filter(triage_file::Column::State.eq(FileState::Refused));
    refused.exec(txn).await?;
    Ok(())
}

/// A file that is still being read, and its batch; `None` if the batch was discarded. The batch is locked first, as in
/// every change of its files.
async fn lock_reading(
    txn: &Transaction,
    id: Uuid,
) -> Result<Option<(triage_batch::Model, triage_file::Model)>, DbErr> {
    let Some(file) = triage_file::Entity::find_by_id(id).one(txn).await? else { return Ok(None) };
    let batch = triage_batch::Entity::find_by_id(file.batch_id).lock_exclusive().one(txn).await?;
    let file = triage_file::Entity::find_by_id(id).lock_exclusive().one(txn).await?;
    let file = file.filter(|file| file.state == FileState::Reading);
    Ok(batch.filter(|batch| batch.state == BatchState::Open).zip(file))
}

/// Kinds with pages; others are clinical documents, texts and archives, which stay unchanged.
fn has_pages(kind: Kind) -> bool {
    matches!(kind, Kind::Pdf | Kind::Tiff | Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Bmp)
}

/// Why a file is unusable, as shown after its name.
pub fn words(error: &ConvertError) -> String {
    let words = match error.fault() {
        Fault::Protected => "It is protected by a password.",
        Fault::Damaged => "It is damaged and cannot be opened.",
        Fault::TooHeavy => "It is too large or too complex to be split.",
        Fault::Unsupported | Fault::Unprintable | Fault::Machine => "It cannot be read.",
    };
    words.into()
}

/// Maps an error of the converter: an unreadable file, or a temporary problem.
fn judged(error: ConvertError) -> Result<Outcome, StepError> {
    if error.is_permanent() {
        Ok(Outcome::Refused(words(&error)))
    } else {
        Err(StepError::again(error.to_string()))
    }
}

async fn read(app: &App, file: &triage_file::Model) -> Result<Outcome, StepError> {
    if !has_pages(file_kind(file)) {
        return Ok(Outcome::Whole);
    }
    let converter = app.batch_converter.of(file.organization_id);
    let (pdf_id, pdf) = match pdf_of(app, &converter, file).await? {
        Ok(pdf) => pdf,
        Err(error) => return judged(error),
    };
    let count = match converter.page_count(Input::bytes(Kind::Pdf, pdf.clone())).await {
        Ok(count) if count as usize > PAGES_MAX => {
            let words = format!("It has {count} pages, but a batch can have at most {PAGES_MAX}.");
            return Ok(Outcome::Refused(words));
        }
        Ok(count) => count,
        Err(error) => return judged(error),
    };
    let counted = triage_file::ActiveModel {
        pdf_blob_id: Set(Some(pdf_id)),
        page_count: Set(count as i32),
        ..Default::default()
    };
    let reading = triage_file::Entity::update_many()
        .set(counted)
        .filter(triage_file::Column::Id.eq(file.id))
        .filter(triage_file::Column::State.eq(FileState::Reading));
    if reading.exec(app.store.db()).await?.rows_affected == 0 {
        return Ok(Outcome::Gone);
    }
    look(app, &converter, file, pdf, count).await
}

/// The pages of a file as PDF, and their blob.
async fn pdf_of(
    app: &App,
    converter: &Converter,
    file: &triage_file::Model,
) -> Result<Result<(Uuid, Bytes), ConvertError>, StepError> {
    let organization_id = file.organization_id;
    if let Some(id) = file.pdf_blob_id {
        return Ok(Ok((id, files::read(app, organization_id, id).await.map_err(platform_error)?)));
    }
    let content = files::read(app, organization_id, file.blob_id).await.map_err(platform_error)?;
    let kind = file_kind(file);
    if kind == Kind::Pdf {
        return Ok(Ok((file.blob_id, content)));
    }
    let pdf = match converter.to_pdf(Input::bytes(kind, content)).await {
        Ok(pdf) => Bytes::from(pdf),
        Err(error) => return Ok(Err(error)),
    };
    // A larger one could not be read back.
    if pdf.len() as u64 > app.config.smtp.max_message_bytes {
        return Ok(Err(ConvertError::TooLarge));
    }
    Ok(Ok((stored(app, organization_id, pdf.clone()).await?.id, pdf)))
}

/// Stores bytes durably under a new id.
pub async fn stored(app: &App, organization_id: Uuid, bytes: Bytes) -> Result<BlobInfo, StepError> {
    files::store_bytes(app, organization_id, bytes).await.map_err(platform_error)
}

/// Reads all pages, one sheet at a time, except those of an earlier attempt.
async fn look(
    app: &App,
    converter: &Converter,
    file: &triage_file::Model,
    pdf: Bytes,
    count: u32,
) -> Result<Outcome, StepError> {
    let key = app.keys.data_key(file.organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
    let seen = triage_sheet::Entity::find()
        .filter(triage_sheet::Column::FileId.eq(file.id))
        .order_by_asc(triage_sheet::Column::Number)
        .all(app.store.db())
        .await?;
    let mut looks = Vec::new();
    for number in 0..count.div_ceil(SHEET_PAGES) {
        if let Some(sheet) = seen.iter().find(|sheet| sheet.number == number as i32) {
            looks.extend(queries::open_looks(&key, sheet).map_err(platform_error)?);
            continue;
        }
        let from = number * SHEET_PAGES + 1;
        let (found, png) = match converter.look_at_pages(pdf.clone(), from, SHEET_PAGES).await {
            Ok(found) => found,
            Err(error) => return judged(error),
        };
        let blob_id = stored(app, file.organization_id, png.into()).await?.id;
        looks.extend(found.iter().cloned());
        let sheet = triage_sheet::Model {
            blob_id,
            batch_id: file.batch_id,
            file_id: file.id,
            number: number as i32,
            sealed_looks: queries::seal_looks(&key, blob_id, &found).map_err(platform_error)?,
        };
        if !note(app, file.id, sheet, looks.len()).await? {
            return Ok(Outcome::Gone);
        }
    }
    Ok(Outcome::Pages(looks))
}

/// Stores a sheet, so that people see it before the others are done. False if the file is gone.
async fn note(app: &App, file: Uuid, sheet: triage_sheet::Model, pages: usize) -> Result<bool, StepError> {
    let txn = app.store.begin().await?;
    let Some((_, row)) = lock_reading(&txn, file).await? else { return Ok(false) };
    // A concurrent attempt may have stored it first.
    let columns = [triage_sheet::Column::FileId, triage_sheet::Column::Number];
    let once = OnConflict::columns(columns).do_nothing().to_owned();
    triage_sheet::Entity::insert(sheet.into_active_model())
        .on_conflict(once)
        .exec_without_returning(&txn)
        .await?;
    let mut row = row.into_active_model();
    row.pages_read = Set(pages as i32);
    row.update(&txn).await?;
    txn.commit().await?;
    Ok(true)
}

/// Stores the result, and adds the pages to the plan of the batch.
async fn settle(app: &App, txn: &Transaction, id: Uuid, outcome: Outcome) -> Result<(), StepError> {
    let Some((batch, file)) = lock_reading(txn, id).await? else { return Ok(()) };
    let others = queries::files_of(txn, batch.id).await.map_err(platform_error)?;
    let before: i32 =
        others.iter().filter(|other| other.state == FileState::Ready).map(|other| other.page_count).sum();
    let outcome = match outcome {
        Outcome::Pages(looks) if before as usize + looks.len() > PAGES_MAX => {
            let all = before as usize + looks.len();
            Outcome::Refused(format!(
                "With it, the batch would have {all} pages, but it can have at most {PAGES_MAX}."
            ))
        }
        other => other,
    };
    match outcome {
        Outcome::Gone => Ok(()),
        Outcome::Refused(problem) => refuse(app, txn, file, problem).await,
        Outcome::Infected(finding) => quarantine(app, txn, file, finding).await,
        Outcome::Whole => {
            let look =
                PageLook { width: 612.0, height: 792.0, is_blank: false, is_damaged: false, separator: None };
            add(app, txn, batch, file, &[look]).await
        }
        Outcome::Pages(looks) => add(app, txn, batch, file, &looks).await,
    }
}

async fn quarantine(
    app: &App,
    txn: &Transaction,
    file: triage_file::Model,
    finding: Option<String>,
) -> Result<(), StepError> {
    let held = held_file::Entity::find_by_id(file.id).one(txn).await?;
    if let Some(held) = held {
        let held = held_file::Model {
            state: HeldState::Quarantined,
            finding: finding.clone(),
            since: app.clock.now(),
            ..held
        };
        scan::quarantine(app, txn, held).await.map_err(platform_error)?;
    }
    let infected = triage_file::ActiveModel { scan_state: Set(ScanState::Infected), ..Default::default() };
    let same = triage_file::Entity::update_many().set(infected).filter(triage_file::Column::Id.eq(file.id));
    same.exec(txn).await?;
    let name = finding.unwrap_or_default();
    let problem = format!("It is in quarantine. Scan result: {name}.");
    Ok(give_up(txn, file, problem).await?)
}

async fn refuse(
    app: &App,
    txn: &Transaction,
    file: triage_file::Model,
    problem: String,
) -> Result<(), StepError> {
    let detail = json!({ "what": "file refused", "file": file.id });
    let act = Act::new(event::CHANGED, "triagebatch", file.batch_id).detail(detail).failed();
    let actor = Actor::system(file.organization_id);
    give_up(txn, file, problem).await?;
    audit::record(app, txn, &actor, act).await.map_err(platform_error)
}

/// Marks a file as unusable: it is in no document, and needs no thumbnails.
async fn give_up(txn: &Transaction, file: triage_file::Model, problem: String) -> Result<(), DbErr> {
    triage_sheet::Entity::delete_many().filter(triage_sheet::Column::FileId.eq(file.id)).exec(txn).await?;
    let mut row = file.into_active_model();
    row.state = Set(FileState::Refused);
    row.problem = Set(Some(problem));
    row.update(txn).await.map(|_| ())
}

async fn add(
    app: &App,
    txn: &Transaction,
    batch: triage_batch::Model,
    file: triage_file::Model,
    looks: &[PageLook],
) -> Result<(), StepError> {
    let key = app.keys.data_key(batch.organization_id).await.map_err(|e| StepError::again(e.to_string()))?;
    let mut plan = queries::open_plan(&key, &batch).map_err(platform_error)?;
    let name = queries::open_file_name(&key, &file).map_err(platform_error)?;
    plan.add_file(file.position, stem(&name), looks);
    let (id, version) = (batch.id, batch.version + 1);
    let mut row = file.into_active_model();
    row.state = Set(FileState::Ready);
    row.page_count = Set(looks.len() as i32);
    row.pages_read = Set(looks.len() as i32);
    row.update(txn).await?;
    let mut row = batch.into_active_model();
    row.sealed_plan = Set(queries::seal_plan(&key, id, &plan).map_err(platform_error)?);
    row.version = Set(version);
    row.update(txn).await?;
    Ok(())
}

/// A file name without its extension.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.trim().is_empty() => stem.trim(),
        _ => name.trim(),
    }
}
