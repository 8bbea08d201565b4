//! Database access of exports.

use super::{
    names,
    steps::MAKE,
    types::{ExportRequest, RetryRequest, TaskFile, TaskFiles, TaskProblem},
};
use crate::{
    attachments::opening,
    messages::{list, plans},
    model::Direction,
    sealed::Summary,
    workflows::EXPORT,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    chores,
    interoperability::{ExportDirectoryType, ExportMode, ExportOption, Interoperability},
    settings::Settings as _,
};
use sea_orm::{
    ActiveEnum, ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait,
    IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use serde_json::json;
use std::{
    collections::{HashMap, HashSet},
    time,
};
use store::{
    Transaction,
    entities::{
        brand,
        export_file::{self, Column as File},
        export_task::{self, Column, Entity, ExportForm, ExportLayout, ExportState, Model},
        id_list::IdList,
        message, organization,
        plan::Function,
    },
    keys::DataKey,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

const OBJECT: &str = "task";
/// Maximum number of messages of an export, and of a print, which a browser renders as a whole.
const MESSAGES_MAX: usize = 1000;
const PRINTED_MAX: usize = 50;
/// Maximum number of tasks of a person.
const TASKS_MAX: u64 = 10;
/// How long files are kept.
const KEPT: Duration = Duration::days(1);
const TOO_MANY: &str =
    "You have 10 exports in progress, which is the limit. Please wait until one of them is done.";

/// The caller's tasks, newest first.
fn own(app: &App, member: &Member) -> Select<Entity> {
    member
        .tenant()
        .export_tasks()
        .filter(Column::UserId.eq(member.caller.user_id))
        .filter(Column::ExpiresAt.gt(app.clock.now()))
}

pub async fn newest(app: &App, member: &Member) -> Result<Vec<Model>> {
    let rows = own(app, member).order_by_desc(Column::CreatedAt).order_by_desc(Column::Id).limit(TASKS_MAX);
    Ok(rows.all(app.store.db()).await?)
}

pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<Model> {
    own(app, member).filter(Column::Id.eq(id)).one(app.store.db()).await?.ok_or(Error::NotFound)
}

/// A task whose files are ready.
pub async fn find_ready(app: &App, member: &Member, id: Uuid) -> Result<Model> {
    let task = find(app, member, id).await?;
    match task.state {
        ExportState::Ready => Ok(task),
        _ => Err(Error::Conflict("The files are not ready.".into())),
    }
}

async fn lock(app: &App, txn: &Transaction, member: &Member, id: Uuid) -> Result<Model> {
    own(app, member).filter(Column::Id.eq(id)).lock_exclusive().one(txn).await?.ok_or(Error::NotFound)
}

/// A task in progress, locked.
pub async fn lock_working(txn: &Transaction, id: Uuid) -> Result<Option<Model>, DbErr> {
    let found = Entity::find_by_id(id).filter(Column::State.eq(ExportState::Processing));
    found.lock_exclusive().one(txn).await
}

/// Starts an export. The oldest finished task is removed if the list is full.
pub async fn create(app: &App, member: &Member, request: ExportRequest) -> Result<Model> {
    app.health.disk.room()?;
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(member.organization_id).one(db).await?;
    let organization = organization.ok_or(Error::NotFound)?;
    let settings = Interoperability::of(&organization)?;
    let form = request.form.unwrap_or_else(|| usual_form(&settings));
    if form == ExportForm::StructuredExport {
        plans::require(db, member.organization_id, Function::StructuredExport).await?;
    }
    let ids = checked(app, member, request.ids, form).await?;
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?.ok_or(Error::NotFound)?;
    let now = app.clock.now();
    let row = Model {
        id: Uuid::now_v7(),
        organization_id: member.organization_id,
        user_id: member.caller.user_id,
        user_name: member.caller.full_name.clone(),
        source_ip: member.caller.source_ip.clone(),
        form,
        layout: layout(&settings, form),
        brand: brand.name,
        processes: request.is_processed,
        accepts_gaps: request.accepts_gaps,
        takes_over: request.takes_over,
        state: ExportState::Processing,
        message_count: ids.len() as i32,
        message_ids: IdList(ids),
        messages_done: 0,
        file_count: 0,
        problem_count: 0,
        unfiled_count: 0,
        page_count: 0,
        size_bytes: 0,
        next_position: 0,
        created_at: now,
        ended_at: None,
        expires_at: now + KEPT,
    };
    let txn = app.store.begin().await?;
    make_room(app, &txn, member).await?;
    Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    enqueue(&txn, &row, now).await?;
    let detail =
        json!({ "form": form.to_value(), "messages": row.message_count, "processes": row.processes });
    record(app, &txn, member, Act::new(event::CREATED, OBJECT, row.id).detail(detail)).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    announce(app, &row).await;
    Ok(row)
}

/// The export form by the settings of the organization.
fn usual_form(settings: &Interoperability) -> ExportForm {
    match (settings.export_mode, settings.export_option) {
        (ExportMode::Print, _) => ExportForm::Printed,
        (ExportMode::SaveAs, ExportOption::XdsSdCda) => ExportForm::StructuredExport,
        (ExportMode::SaveAs, ExportOption::Standard) => ExportForm::NativeExport,
    }
}

/// The folder layout. Clinical documents name the visit themselves and are in the folder of the patient.
fn layout(settings: &Interoperability, form: ExportForm) -> ExportLayout {
    let has_visits = settings.export_visit_directory
        && settings.export_mode == ExportMode::SaveAs
        && settings.export_option == ExportOption::Standard;
    match (form, settings.export_directory_type) {
        (ExportForm::Printed, _) | (_, ExportDirectoryType::SingleDirectory) => ExportLayout::Single,
        (ExportForm::StructuredExport, _) => ExportLayout::PatientFolder,
        _ if has_visits => ExportLayout::VisitFolder,
        _ => ExportLayout::PatientFolder,
    }
}

/// The distinct messages, if all of them are in the organization's Intake.
async fn checked(app: &App, member: &Member, ids: Vec<Uuid>, form: ExportForm) -> Result<Vec<Uuid>> {
    if ids.is_empty() || ids.len() > MESSAGES_MAX {
        return Err(Error::field("ids", "Choose between 1 and 1,000 messages."));
    }
    let mut seen = HashSet::new();
    let ids: Vec<Uuid> = ids.into_iter().filter(|id| seen.insert(*id)).collect();
    if form == ExportForm::Printed && ids.len() > PRINTED_MAX {
        return Err(Error::field("ids", "Choose between 1 and 50 messages to print."));
    }
    let known = member
        .tenant()
        .messages()
        .filter(message::Column::Id.is_in(ids.iter().copied()))
        .filter(message::Column::Direction.eq(Direction::Intake));
    if known.count(app.store.db()).await? != ids.len() as u64 {
        return Err(Error::NotFound);
    }
    Ok(ids)
}

async fn make_room(app: &App, txn: &Transaction, member: &Member) -> Result<()> {
    let rows = own(app, member).order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).all(txn).await?;
    let over = (rows.len() as u64 + 1).saturating_sub(TASKS_MAX) as usize;
    let ended: Vec<&Model> =
        rows.iter().filter(|row| row.state != ExportState::Processing).take(over).collect();
    if ended.len() < over {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    for row in ended {
        remove(txn, row.id).await?;
    }
    Ok(())
}

async fn enqueue(txn: &Transaction, task: &Model, now: DateTime<Utc>) -> Result<()> {
    let job = NewWorkflow {
        organization_id: task.organization_id,
        kind: EXPORT.into(),
        object_id: task.id,
        steps: vec![NewStep::new(0, MAKE, now)],
    };
    workflow::enqueue(txn, now, job).await?;
    Ok(())
}

pub async fn record(app: &App, txn: &Transaction, member: &Member, act: Act) -> Result<()> {
    audit::record(app, txn, &Actor::from(&member.caller), act).await
}

/// Notifies the person's browsers of the progress of a task.
pub async fn announce(app: &App, task: &Model) {
    let (organization_id, user_id) = (task.organization_id, task.user_id);
    app.bus.publish(Event::Tasks { organization_id, user_id }).await;
}

pub async fn end(txn: &Transaction, task: Model, state: ExportState, at: DateTime<Utc>) -> Result<(), DbErr> {
    let change = export_task::ActiveModel {
        id: Set(task.id),
        state: Set(state),
        ended_at: Set(Some(at)),
        ..Default::default()
    };
    change.update(txn).await.map(|_| ())
}

/// Stops a task. Finished files are kept, so that it can be continued.
pub async fn cancel(app: &App, member: &Member, id: Uuid) -> Result<Model> {
    let txn = app.store.begin().await?;
    let task = lock(app, &txn, member, id).await?;
    if task.state != ExportState::Processing {
        return Err(Error::Conflict("This task has already ended.".into()));
    }
    end(&txn, task, ExportState::Cancelled, app.clock.now()).await?;
    let act = Act::new(event::CHANGED, OBJECT, id).detail(json!({ "cancelled": true }));
    record(app, &txn, member, act).await?;
    txn.commit().await?;
    let task = find(app, member, id).await?;
    announce(app, &task).await;
    Ok(task)
}

/// Continues a failed or cancelled task, and retries refused messages.
pub async fn retry(app: &App, member: &Member, id: Uuid, wanted: RetryRequest) -> Result<Model> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let task = lock(app, &txn, member, id).await?;
    if task.state == ExportState::Processing {
        return Err(Error::Conflict("This task is in progress.".into()));
    }
    if task.state == ExportState::Ready && task.problem_count == 0 && task.unfiled_count == 0 {
        return Err(Error::Conflict("This task is complete.".into()));
    }
    if task.form == ExportForm::StructuredExport {
        plans::require(&txn, member.organization_id, Function::StructuredExport).await?;
    }
    let kept = forget_unfinished(&txn, &task).await?;
    let done: HashSet<Uuid> = kept.iter().map(|(message, _)| *message).collect();
    let change = export_task::ActiveModel {
        id: Set(id),
        state: Set(ExportState::Processing),
        messages_done: Set(done.len() as i32),
        problem_count: Set(0),
        unfiled_count: Set(0),
        file_count: Set(kept.len() as i32),
        size_bytes: Set(kept.iter().map(|(_, bytes)| bytes).sum()),
        page_count: Set(0),
        accepts_gaps: Set(task.accepts_gaps || wanted.accepts_gaps),
        takes_over: Set(task.takes_over || wanted.takes_over),
        ended_at: Set(None),
        expires_at: Set(now + KEPT),
        ..Default::default()
    };
    let task = change.update(&txn).await?;
    enqueue(&txn, &task, now).await?;
    let act = Act::new(event::CHANGED, OBJECT, id).detail(json!({ "retried": true }));
    record(app, &txn, member, act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    announce(app, &task).await;
    Ok(task)
}

/// Removes the results of messages to retry: those with a missing file or that were not filed. A print starts over,
/// because its pages are counted as a whole. Returns message and size of each remaining file.
async fn forget_unfinished(txn: &Transaction, task: &Model) -> Result<Vec<(Uuid, i64)>, DbErr> {
    let of_task = export_file::Entity::find().filter(File::TaskId.eq(task.id)).select_only();
    let all = || of_task.clone().columns([File::MessageId, File::SizeBytes]);
    let refused: Vec<(Uuid, i64)> = all().filter(File::BlobId.is_null()).into_tuple().all(txn).await?;
    let mut again = export_file::Entity::delete_many().filter(File::TaskId.eq(task.id));
    if task.form != ExportForm::Printed {
        again = again.filter(File::MessageId.is_in(refused.into_iter().map(|(message, _)| message)));
    }
    again.exec(txn).await?;
    all().into_tuple().all(txn).await
}

/// Removes a task from the list, with its files, and stops it if it is running.
pub async fn discard(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let task = lock(app, &txn, member, id).await?;
    remove(&txn, id).await?;
    record(app, &txn, member, Act::new(event::DELETED, OBJECT, id)).await?;
    txn.commit().await?;
    announce(app, &task).await;
    Ok(())
}

/// Removes all finished tasks from the list.
pub async fn clear(app: &App, member: &Member) -> Result<()> {
    let txn = app.store.begin().await?;
    let over = own(app, member).filter(Column::State.ne(ExportState::Processing)).all(&txn).await?;
    for task in &over {
        remove(&txn, task.id).await?;
        record(app, &txn, member, Act::new(event::DELETED, OBJECT, task.id)).await?;
    }
    txn.commit().await?;
    if let Some(task) = over.first() {
        announce(app, task).await;
    }
    Ok(())
}

async fn remove(txn: &Transaction, id: Uuid) -> Result<(), DbErr> {
    export_file::Entity::delete_many().filter(File::TaskId.eq(id)).exec(txn).await?;
    Entity::delete_by_id(id).exec(txn).await.map(|_| ())
}

/// The messages without a result, in order.
pub async fn todo(db: &impl ConnectionTrait, task: &Model) -> Result<Vec<Uuid>, DbErr> {
    let done =
        export_file::Entity::find().select_only().column(File::MessageId).filter(File::TaskId.eq(task.id));
    let done: HashSet<Uuid> = done.into_tuple().all(db).await?.into_iter().collect();
    Ok(task.message_ids.0.iter().copied().filter(|id| !done.contains(id)).collect())
}

/// Whether a message has a result.
pub async fn has(txn: &Transaction, task: Uuid, message: Uuid) -> Result<bool, DbErr> {
    let rows = export_file::Entity::find().filter(File::TaskId.eq(task)).filter(File::MessageId.eq(message));
    Ok(rows.limit(1).one(txn).await?.is_some())
}

pub fn seal_text(key: &DataKey, task: Uuid, position: i32, text: &str) -> Vec<u8> {
    key.seal(&context(task, position), text.as_bytes())
}

fn open_text(key: &DataKey, row: &export_file::Model) -> Result<String> {
    let bytes = key.open(&context(row.task_id, row.position), &row.sealed_text)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn context(task: Uuid, position: i32) -> String {
    format!("export_file:{task}:{position}")
}

/// The files of a task in order, each with a distinct path.
pub async fn files(
    app: &App,
    member: &Member,
    key: &DataKey,
    task: Uuid,
) -> Result<Vec<(export_file::Model, String)>> {
    let mut rows = rows_of(member, task).filter(File::BlobId.is_not_null()).all(app.store.db()).await?;
    // The permission for restricted documents may have been withdrawn since they were created.
    let mut messages: Vec<Uuid> = rows.iter().map(|row| row.message_id).collect();
    messages.dedup();
    let closed = opening::closed(app, member, key, &messages).await?;
    rows.retain(|row| !closed.contains(&row.message_id));
    let paths = rows.iter().map(|row| open_text(key, row)).collect::<Result<Vec<_>>>()?;
    Ok(rows.into_iter().zip(names::distinct(paths)).collect())
}

/// One file of a task with its path.
pub async fn file(
    app: &App,
    member: &Member,
    key: &DataKey,
    task: Uuid,
    position: i32,
) -> Result<(export_file::Model, String)> {
    let row = rows_of(member, task).filter(File::Position.eq(position)).filter(File::BlobId.is_not_null());
    let row = row.one(app.store.db()).await?.ok_or(Error::NotFound)?;
    if !opening::closed(app, member, key, &[row.message_id]).await?.is_empty() {
        return Err(Error::Restricted);
    }
    let path = open_text(key, &row)?;
    Ok((row, path))
}

/// The files of a task, without those of messages that the caller may no longer read.
fn rows_of(member: &Member, task: Uuid) -> Select<export_file::Entity> {
    export_file::Entity::find()
        .filter(File::TaskId.eq(task))
        .filter(member.tenant().of_readable(File::MessageId))
        .order_by_asc(File::Position)
}

/// The files of a task, and its problems.
pub async fn listed(app: &App, member: &Member, task: Uuid) -> Result<TaskFiles> {
    let key = app.keys.data_key(member.organization_id).await?;
    let file = |(row, path): (export_file::Model, String)| TaskFile {
        position: row.position,
        path,
        mime_type: row.mime_type,
        size_in_bytes: row.size_bytes,
    };
    let items = files(app, member, &key, task).await?.into_iter().map(file).collect();
    let rows = rows_of(member, task).filter(File::BlobId.is_null()).all(app.store.db()).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.message_id).collect();
    let messages =
        list::by_ids(&ids).filter(message::Column::DeletedAt.is_null()).all(app.store.db()).await?;
    let messages: HashMap<Uuid, message::Model> = messages.into_iter().map(|row| (row.id, row)).collect();
    let problem = |row: &export_file::Model| {
        let subject = match messages.get(&row.message_id) {
            Some(message) => Summary::open(&key, message)?.subject,
            None => String::new(),
        };
        let reasons = open_text(&key, row)?.lines().map(Into::into).collect();
        Ok(TaskProblem { message_id: row.message_id, subject, reasons })
    };
    Ok(TaskFiles { items, problems: rows.iter().map(problem).collect::<Result<_>>()? })
}

const ROUND: time::Duration = time::Duration::from_secs(3600);
/// Number of tasks removed in one transaction.
const BATCH: u64 = 100;

/// Removes expired tasks, until the node stops.
pub async fn expire_forever(app: App, cancel: CancellationToken) {
    chores::every(ROUND, time::Duration::ZERO, cancel, "expired exports", || expire(&app)).await;
}

/// Removes expired tasks. Their bytes are removed by the next sweep.
pub async fn expire(app: &App) -> Result<()> {
    loop {
        let txn = app.store.begin().await?;
        let over =
            Entity::find().filter(Column::ExpiresAt.lte(app.clock.now())).limit(BATCH).all(&txn).await?;
        for task in &over {
            remove(&txn, task.id).await?;
        }
        txn.commit().await?;
        if (over.len() as u64) < BATCH {
            return Ok(());
        }
    }
}
