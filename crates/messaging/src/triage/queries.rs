//! Database access of batches.

use super::{
    filing,
    plan::{FilePages, Files, Pages, Plan, PlannedPart},
    types::{BatchFile, BatchRow, BatchView, FiledDocument},
};
use crate::{
    attachments::{opening, scan},
    files::{NewFile, kind_text, plain_name},
    interfaces::connections::takes_messages,
    messages::plans,
    people::PersonView,
    vocabulary::own_or_system,
    workflows::TRIAGE_READ,
};
use chrono::{DateTime, Utc};
use documents::{Kind, paging::PageLook};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::FieldErrors,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use store::{
    Transaction,
    entities::{
        attachment::ScanState,
        document_type,
        plan::Function,
        triage_batch::{self, BatchState},
        triage_file::{self, FileState},
        triage_part, triage_sheet,
    },
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

/// Maximum number of open batches of an organization.
const OPEN_MAX: u64 = 200;
/// Maximum number of files in a batch.
const FILES_MAX: usize = 100;
/// Maximum total size of a batch, in bytes, so that one worker can combine any of its pages.
const BYTES_MAX: i64 = 90 << 20;

/// Refuses members of an organization whose plan excludes triage.
pub async fn require_triage(app: &App, member: &Member) -> Result<()> {
    plans::require(app.store.db(), member.organization_id, Function::Triage).await
}

/// Like [`require_triage`], for adding documents to the Intake, which requires an activated organization.
pub async fn require_intake(app: &App, member: &Member) -> Result<()> {
    require_triage(app, member).await?;
    if takes_messages(app.store.db(), member.organization_id).await? {
        return Ok(());
    }
    Err(Error::Conflict("Your organization is not activated, so it cannot receive documents.".into()))
}

pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<triage_batch::Model> {
    let found = member.tenant().triage_batches().filter(triage_batch::Column::Id.eq(id));
    found.one(app.store.db()).await?.ok_or(Error::NotFound)
}

pub async fn lock(txn: &Transaction, member: &Member, id: Uuid) -> Result<triage_batch::Model> {
    let found = member.tenant().triage_batches().filter(triage_batch::Column::Id.eq(id)).lock_exclusive();
    found.one(txn).await?.ok_or(Error::NotFound)
}

/// A file of a batch of the member's organization. Refused if a document created from the batch is restricted.
pub async fn find_file(app: &App, member: &Member, batch: Uuid, id: Uuid) -> Result<triage_file::Model> {
    let found = triage_file::Entity::find_by_id(id)
        .filter(triage_file::Column::BatchId.eq(batch))
        .filter(triage_file::Column::OrganizationId.eq(member.organization_id));
    let file = found.one(app.store.db()).await?.ok_or(Error::NotFound)?;
    // A document has the id of its message.
    let made: Vec<Uuid> = parts_of(app.store.db(), batch).await?.into_iter().map(|part| part.id).collect();
    let key = app.keys.data_key(member.organization_id).await?;
    if opening::closed(app, member, &key, &made).await?.is_empty() {
        Ok(file)
    } else {
        Err(Error::Restricted)
    }
}

/// Files of a batch, in order.
pub async fn files_of(db: &impl ConnectionTrait, batch: Uuid) -> Result<Vec<triage_file::Model>> {
    let rows = triage_file::Entity::find()
        .filter(triage_file::Column::BatchId.eq(batch))
        .order_by_asc(triage_file::Column::Position);
    Ok(rows.all(db).await?)
}

/// The documents of the last filing of a batch, in order.
pub async fn parts_of(db: &impl ConnectionTrait, batch: Uuid) -> Result<Vec<triage_part::Model>> {
    let rows = triage_part::Entity::find()
        .filter(triage_part::Column::BatchId.eq(batch))
        .order_by_asc(triage_part::Column::Position)
        .order_by_asc(triage_part::Column::Id);
    Ok(rows.all(db).await?)
}

/// Data of the files for the plan.
pub fn pages_of(files: &[triage_file::Model]) -> Files {
    let usable = files.iter().filter(|file| file.state == FileState::Ready);
    usable
        .map(|file| (file.position, FilePages { count: file.page_count, is_whole: is_whole(file) }))
        .collect()
}

fn is_whole(file: &triage_file::Model) -> bool {
    file.state == FileState::Ready && file.pdf_blob_id.is_none()
}

pub fn file_kind(file: &triage_file::Model) -> Kind {
    serde_json::from_value(file.kind.clone().into()).unwrap_or(Kind::Unknown)
}

pub fn open_plan(key: &DataKey, batch: &triage_batch::Model) -> Result<Plan> {
    Ok(key.open_json(&format!("triage_batch.plan:{}", batch.id), &batch.sealed_plan)?)
}

pub fn seal_plan(key: &DataKey, id: Uuid, plan: &Plan) -> Result<Vec<u8>> {
    Ok(key.seal_json(&format!("triage_batch.plan:{id}"), plan)?)
}

pub fn open_part(key: &DataKey, part: &triage_part::Model) -> Result<PlannedPart> {
    Ok(key.open_json(&format!("triage_part:{}", part.id), &part.sealed_part)?)
}

pub fn seal_part(key: &DataKey, id: Uuid, part: &PlannedPart) -> Result<Vec<u8>> {
    Ok(key.seal_json(&format!("triage_part:{id}"), part)?)
}

pub fn open_looks(key: &DataKey, sheet: &triage_sheet::Model) -> Result<Vec<PageLook>> {
    Ok(key.open_json(&format!("triage_sheet.looks:{}", sheet.blob_id), &sheet.sealed_looks)?)
}

pub fn seal_looks(key: &DataKey, blob_id: Uuid, looks: &[PageLook]) -> Result<Vec<u8>> {
    Ok(key.seal_json(&format!("triage_sheet.looks:{blob_id}"), &looks)?)
}

pub fn open_file_name(key: &DataKey, file: &triage_file::Model) -> Result<String> {
    let bytes = key.open(&format!("triage_file.name:{}", file.id), &file.sealed_name)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn seal_file_name(key: &DataKey, id: Uuid, name: &str) -> Vec<u8> {
    key.seal(&format!("triage_file.name:{id}"), name.as_bytes())
}

/// A new batch without files.
pub async fn create(app: &App, member: &Member) -> Result<triage_batch::Model> {
    let open = member.tenant().triage_batches().filter(triage_batch::Column::State.eq(BatchState::Open));
    if open.count(app.store.db()).await? >= OPEN_MAX {
        return Err(Error::Conflict(
            format!("Your organization has {OPEN_MAX} open batches. Please file or discard some first.")
                .into(),
        ));
    }
    let (id, now, caller) = (Uuid::now_v7(), app.clock.now(), &member.caller);
    let key = app.keys.data_key(member.organization_id).await?;
    let row = triage_batch::Model {
        id,
        organization_id: member.organization_id,
        state: BatchState::Open,
        sealed_plan: seal_plan(&key, id, &Plan::default())?,
        created_by: caller.user_id,
        created_by_name: caller.full_name.clone(),
        created_at: now,
        modified_by_name: caller.full_name.clone(),
        modified_at: now,
        filed_at: None,
        version: 1,
    };
    let txn = app.store.begin().await?;
    triage_batch::Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    record(app, &txn, member, Act::new(event::CREATED, "triagebatch", id)).await?;
    txn.commit().await?;
    Ok(row)
}

pub async fn record(app: &App, txn: &Transaction, member: &Member, act: Act) -> Result<()> {
    audit::record(app, txn, &Actor::from(&member.caller), act).await
}

/// Adds an uploaded file to an open batch; a workflow reads its pages.
pub async fn add_file(app: &App, member: &Member, batch: Uuid, file: NewFile) -> Result<triage_file::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    app.blobs.sync().await?;
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    let txn = app.store.begin().await?;
    let batch = lock(&txn, member, batch).await?;
    require_open(&batch)?;
    let before = files_of(&txn, batch.id).await?;
    if before.len() >= FILES_MAX {
        return Err(Error::field("file", format!("A batch can have at most {FILES_MAX} files.")));
    }
    if before.iter().map(|file| file.size_bytes).sum::<i64>() + file.blob.size as i64 > BYTES_MAX {
        return Err(Error::field("file", "The files of a batch can be at most 90 MB in total."));
    }
    let mut row = triage_file::Model {
        id,
        batch_id: batch.id,
        organization_id: batch.organization_id,
        position: before.iter().map(|file| file.position + 1).max().unwrap_or(0),
        sealed_name: seal_file_name(&key, id, &plain_name(&file.name)),
        kind: kind_text(file.kind),
        mime_type: file.mime_type,
        size_bytes: file.blob.size as i64,
        blob_id: file.blob.id,
        pdf_blob_id: None,
        state: FileState::Reading,
        problem: None,
        page_count: 0,
        pages_read: 0,
        scan_state: ScanState::NotScanned,
    };
    scan::hold_of_batch(app, &txn, &mut row).await?;
    triage_file::Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    let job = NewWorkflow {
        organization_id: batch.organization_id,
        kind: TRIAGE_READ.into(),
        object_id: id,
        steps: vec![NewStep::new(0, super::READ_FILE, now)],
    };
    workflow::enqueue(&txn, now, job).await?;
    let act =
        Act::new(event::CHANGED, "triagebatch", batch.id).detail(json!({ "what": "file added", "file": id }));
    record(app, &txn, member, act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(row)
}

pub fn require_open(batch: &triage_batch::Model) -> Result<()> {
    match batch.state {
        BatchState::Open => Ok(()),
        BatchState::Filing | BatchState::Filed => {
            Err(Error::Conflict("This batch has been filed. Its documents are in the Intake.".into()))
        }
    }
}

/// Refuses while the pages of a file are still being read, which changes the plan.
pub fn require_read(files: &[triage_file::Model]) -> Result<()> {
    if files.iter().any(|file| file.state == FileState::Reading) {
        return Err(Error::Conflict(
            "The pages of this batch are still being read. Please wait a moment.".into(),
        ));
    }
    Ok(())
}

/// Whether nothing in a batch is in progress although some documents are not in the Intake.
fn is_stuck(batch: &triage_batch::Model, made: &[triage_part::Model]) -> bool {
    batch.state == BatchState::Filing
        && made.iter().any(|part| part.filed_at.is_none())
        && made.iter().all(|part| part.filed_at.is_some() || part.problem.is_some())
}

/// The editable plan: in a batch with failed documents, the plan of those.
fn changeable_plan(key: &DataKey, batch: &triage_batch::Model, made: &[triage_part::Model]) -> Result<Plan> {
    let plan = open_plan(key, batch)?;
    if !is_stuck(batch, made) {
        return Ok(plan);
    }
    let failed = made.iter().filter(|part| part.filed_at.is_none());
    Ok(Plan { parts: failed.map(|part| open_part(key, part)).collect::<Result<_>>()?, ..plan })
}

/// The pages of documents in the Intake.
pub fn filed_pages(key: &DataKey, made: &[triage_part::Model]) -> Result<Pages> {
    let mut pages = Pages::new();
    for part in made.iter().filter(|part| part.filed_at.is_some()) {
        pages.extend(open_part(key, part)?.pages.iter().map(|page| (page.file, page.page)));
    }
    Ok(pages)
}

/// Saves the plan of a batch at the given version. That opens a batch with failed documents again, for their pages.
pub async fn save_plan(
    app: &App,
    member: &Member,
    id: Uuid,
    plan: Plan,
    version: Option<i32>,
) -> Result<triage_batch::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let batch = lock(&txn, member, id).await?;
    let made = parts_of(&txn, id).await?;
    let is_stuck = is_stuck(&batch, &made);
    if !is_stuck {
        require_open(&batch)?;
    }
    let files = files_of(&txn, id).await?;
    require_read(&files)?;
    Error::unless_current(version, &batch.version, "this batch")?;
    // Checked as sent, so that errors are reported at their fields.
    require_choices(&txn, member, &plan).await?;
    let plan = plan.checked(&pages_of(&files), &filed_pages(&key, &made)?)?;
    if is_stuck {
        give_up(&txn, id).await?;
    } else if plan == open_plan(&key, &batch)? {
        return Ok(batch);
    }
    let sealed_plan = seal_plan(&key, id, &plan)?;
    let edit = |row: &mut triage_batch::ActiveModel| {
        row.sealed_plan = Set(sealed_plan);
        row.state = Set(BatchState::Open);
    };
    let batch = changed(app, &txn, member, batch, edit).await?;
    let what = format!("{} documents, {} pages excluded", plan.parts.len(), plan.left_out.len());
    let detail = json!({ "what": what });
    record(app, &txn, member, Act::new(event::CHANGED, "triagebatch", id).detail(detail)).await?;
    txn.commit().await?;
    Ok(batch)
}

/// Checks that the assignees belong to the organization and that its document types exist.
pub async fn require_choices(txn: &Transaction, member: &Member, plan: &Plan) -> Result<()> {
    let people: BTreeSet<Uuid> = plan.parts.iter().filter_map(|part| part.assigned_to).collect();
    let mut colleagues = BTreeSet::new();
    for user in people {
        if platform::session::organization_role(txn, user, member.organization_id).await?.is_some() {
            colleagues.insert(user);
        }
    }
    let named = |part: &PlannedPart| part.document_type.as_deref().map(str::to_owned);
    let names: BTreeSet<String> = plan.parts.iter().filter_map(named).collect();
    let types: BTreeSet<String> = document_type::Entity::find()
        .select_only()
        .column(document_type::Column::Name)
        .filter(own_or_system(document_type::Column::OrganizationId, member))
        .filter(document_type::Column::Name.is_in(names))
        .into_tuple::<String>()
        .all(txn)
        .await?
        .into_iter()
        .collect();
    let mut errors = FieldErrors::default();
    for (index, part) in plan.parts.iter().enumerate() {
        let is_colleague = part.assigned_to.is_none_or(|user| colleagues.contains(&user));
        let words = "This person does not work in your organization.";
        errors.require(is_colleague, &format!("parts[{index}].assignedTo"), words);
        let is_known = named(part).is_none_or(|name| name.is_empty() || types.contains(&name));
        let words = "Your organization no longer has this document type.";
        errors.require(is_known, &format!("parts[{index}].documentType"), words);
    }
    errors.check()
}

/// Stores a change of a locked batch and its author.
pub async fn changed(
    app: &App,
    txn: &Transaction,
    member: &Member,
    batch: triage_batch::Model,
    edit: impl FnOnce(&mut triage_batch::ActiveModel),
) -> Result<triage_batch::Model> {
    let version = batch.version + 1;
    let mut row = batch.into_active_model();
    row.modified_by_name = Set(member.caller.full_name.clone());
    row.modified_at = Set(app.clock.now());
    row.version = Set(version);
    edit(&mut row);
    Ok(row.update(txn).await?)
}

/// Removes the failed documents.
async fn give_up(txn: &Transaction, batch: Uuid) -> Result<()> {
    triage_part::Entity::delete_many()
        .filter(triage_part::Column::BatchId.eq(batch))
        .filter(triage_part::Column::FiledAt.is_null())
        .exec(txn)
        .await?;
    Ok(())
}

/// Removes a batch with its files. In a partly filed one, only the failed documents are removed; the filed ones keep
/// the originals.
pub async fn discard(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let batch = lock(&txn, member, id).await?;
    let parts = parts_of(&txn, id).await?;
    let (filed, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| part.filed_at.is_some());
    match batch.state {
        BatchState::Filed => require_open(&batch)?,
        BatchState::Filing if rest.iter().any(|part| part.problem.is_none()) => {
            let words = "The documents of this batch are still being created. Please wait a moment.";
            return Err(Error::Conflict(words.into()));
        }
        BatchState::Open | BatchState::Filing => {}
    }
    if filed.is_empty() {
        remove(&txn, id).await?;
        record(app, &txn, member, Act::new(event::DELETED, "triagebatch", id)).await?;
        return Ok(txn.commit().await?);
    }
    let given_up: Vec<Uuid> = rest.iter().map(|part| part.id).collect();
    give_up(&txn, id).await?;
    let batch = changed(app, &txn, member, batch, |_| {}).await?;
    filing::close(app, &txn, batch).await?;
    let detail = json!({ "what": "given up", "messages": given_up });
    record(app, &txn, member, Act::new(event::CHANGED, "triagebatch", id).detail(detail)).await?;
    Ok(txn.commit().await?)
}

async fn remove(txn: &Transaction, id: Uuid) -> Result<()> {
    triage_sheet::Entity::delete_many().filter(triage_sheet::Column::BatchId.eq(id)).exec(txn).await?;
    triage_file::Entity::delete_many().filter(triage_file::Column::BatchId.eq(id)).exec(txn).await?;
    triage_part::Entity::delete_many().filter(triage_part::Column::BatchId.eq(id)).exec(txn).await?;
    triage_batch::Entity::delete_by_id(id).exec(txn).await?;
    Ok(())
}

/// Unfiled batches, newest first.
pub async fn open_batches(app: &App, member: &Member) -> Result<Vec<BatchRow>> {
    let db = app.store.db();
    let batches = member
        .tenant()
        .triage_batches()
        .filter(triage_batch::Column::State.ne(BatchState::Filed))
        .order_by_desc(triage_batch::Column::CreatedAt)
        .order_by_desc(triage_batch::Column::Id)
        .limit(OPEN_MAX)
        .all(db)
        .await?;
    let ids = || batches.iter().map(|batch| batch.id);
    let files = triage_file::Entity::find()
        .filter(triage_file::Column::BatchId.is_in(ids()))
        .order_by_asc(triage_file::Column::Position)
        .all(db)
        .await?;
    /// The batch of a document, the time of filing, and the problem, if any.
    type Filed = (Uuid, Option<DateTime<Utc>>, Option<String>);
    let parts: Vec<Filed> = triage_part::Entity::find()
        .select_only()
        .columns([triage_part::Column::BatchId, triage_part::Column::FiledAt, triage_part::Column::Problem])
        .filter(triage_part::Column::BatchId.is_in(ids()))
        .into_tuple()
        .all(db)
        .await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let row = |batch: &triage_batch::Model| {
        let files: Vec<_> = files.iter().filter(|file| file.batch_id == batch.id).collect();
        let sum = |count: fn(&triage_file::Model) -> i32| -> u32 {
            files.iter().map(|file| count(file).max(0) as u32).sum()
        };
        let names = files.iter().map(|file| open_file_name(&key, file)).collect::<Result<_>>()?;
        let count = |holds: &dyn Fn(&Filed) -> bool| parts.iter().filter(|part| holds(part)).count() as u32;
        Ok(BatchRow {
            id: batch.id,
            state: batch.state,
            file_names: names,
            file_count: files.len() as u32,
            refused_count: files.iter().filter(|file| file.state == FileState::Refused).count() as u32,
            is_reading: files.iter().any(|file| file.state == FileState::Reading),
            page_count: sum(|file| if file.state == FileState::Refused { 0 } else { file.page_count }),
            pages_read: sum(|file| if file.state == FileState::Refused { 0 } else { file.pages_read }),
            document_count: match batch.state {
                BatchState::Open => {
                    count(&|(of, ..)| *of == batch.id) + open_plan(&key, batch)?.parts.len() as u32
                }
                BatchState::Filing | BatchState::Filed => count(&|(of, ..)| *of == batch.id),
            },
            filed_count: count(&|(of, filed_at, _)| *of == batch.id && filed_at.is_some()),
            failed_count: count(&|(of, _, problem)| *of == batch.id && problem.is_some()),
            created_by: creator(batch),
            created_date: batch.created_at,
            modified_by: batch.modified_by_name.clone(),
            modified_date: batch.modified_at,
        })
    };
    batches.iter().map(row).collect()
}

pub fn creator(batch: &triage_batch::Model) -> PersonView {
    PersonView { id: batch.created_by, name: batch.created_by_name.clone() }
}

/// A batch with all data of its pages.
pub async fn view(app: &App, batch: triage_batch::Model) -> Result<BatchView> {
    let db = app.store.db();
    let key = app.keys.data_key(batch.organization_id).await?;
    let sheets = triage_sheet::Entity::find()
        .filter(triage_sheet::Column::BatchId.eq(batch.id))
        .order_by_asc(triage_sheet::Column::Number)
        .all(db)
        .await?;
    let mut looks: HashMap<Uuid, Vec<PageLook>> = HashMap::new();
    for sheet in &sheets {
        looks.entry(sheet.file_id).or_default().extend(open_looks(&key, sheet)?);
    }
    let mut files = Vec::new();
    for file in files_of(db, batch.id).await? {
        files.push(BatchFile {
            id: file.id,
            position: file.position,
            name: open_file_name(&key, &file)?,
            is_whole: is_whole(&file),
            pages: looks.remove(&file.id).unwrap_or_default().into_iter().map(Into::into).collect(),
            mime_type: file.mime_type,
            size_in_bytes: file.size_bytes,
            state: file.state,
            problem: file.problem,
            page_count: file.page_count,
        });
    }
    let made = parts_of(db, batch.id).await?;
    let Plan { parts, left_out } = changeable_plan(&key, &batch, &made)?;
    let mut documents = Vec::new();
    for part in made {
        documents.push(FiledDocument {
            message_id: part.id,
            name: open_part(&key, &part)?.name.into(),
            is_filed: part.filed_at.is_some(),
            problem: part.problem,
        });
    }
    Ok(BatchView {
        id: batch.id,
        state: batch.state,
        files,
        parts,
        left_out,
        documents,
        created_by: creator(&batch),
        created_date: batch.created_at,
        modified_by: batch.modified_by_name,
        modified_date: batch.modified_at,
        filed_date: batch.filed_at,
        version: batch.version,
    })
}
