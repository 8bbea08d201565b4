//! The text of documents in the search index of their messages.
//!
//! Adding or changing a file marks its text as due, in the same transaction. A background task reads what is due,
//! newest first and one file at a time on each node, so that neither arrival nor previews wait for it. Confidential
//! documents are not indexed.

use crate::{
    files::{self, kind_of},
    sealed::{entry, open_meta},
    search_terms,
};
use chrono::{DateTime, Duration, Utc};
use documents::worker::Input;
use platform::{App, Error, Result, chores};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, OnConflict},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    time,
};
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        attachment,
        attachment_text::{Column, Entity, Model},
        message,
    },
    keys::DataKey,
    search,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Maximum number of distinct words indexed for the documents of a message.
pub const WORDS_OF_DOCUMENTS: usize = 2_000;
const PERIOD: time::Duration = time::Duration::from_secs(5);
/// Maximum number of files read per round.
const ROUND: usize = 20;
/// Time after which an unfinished reading is tried again. Scanned pages take long.
const LEASE: Duration = Duration::minutes(30);
/// Number of attempts for a file that was not read because of the machine.
const TRIES: i16 = 4;

/// Marks the text of a file as due, in the transaction that adds or changes the file.
pub async fn due(txn: &Transaction, file: &attachment::Model, now: DateTime<Utc>) -> Result<(), DbErr> {
    let again =
        OnConflict::column(Column::AttachmentId).update_columns([Column::DueAt, Column::Tries]).to_owned();
    txn.later(Entity::insert(row(file, now).into_active_model()).on_conflict(again)).await
}

/// Like [`due`], unless the text was already read.
pub async fn due_once(txn: &Transaction, file: &attachment::Model, now: DateTime<Utc>) -> Result<(), DbErr> {
    let skip_present = OnConflict::new().do_nothing().to_owned();
    txn.later(Entity::insert(row(file, now).into_active_model()).on_conflict(skip_present)).await
}

fn row(file: &attachment::Model, now: DateTime<Utc>) -> Model {
    Model { attachment_id: file.id, message_id: file.message_id, due_at: Some(now), tries: 0, words: None }
}

/// Removes the words of a file from its message: the file is deleted, or has become confidential.
pub async fn forget(txn: &Transaction, file: &attachment::Model) -> Result<(), DbErr> {
    let Some(message) = message::Entity::find_by_id(file.message_id).one(txn).await? else { return Ok(()) };
    let (own, others): (Vec<Model>, Vec<Model>) =
        of_message(txn, message.id).await?.into_iter().partition(|row| row.attachment_id == file.id);
    let gone = &numbers(&own) - &numbers(&others);
    search::unpost(txn, &entry(&message), &gone).await?;
    Entity::delete_by_id(file.id).exec(txn).await?;
    Ok(())
}

/// Removes the words of all files of a message that is being deleted.
pub async fn forget_all(txn: &Transaction, message: &message::Model) -> Result<(), DbErr> {
    let rows = of_message(txn, message.id).await?;
    if rows.is_empty() {
        return Ok(());
    }
    search::unpost(txn, &entry(message), &numbers(&rows)).await?;
    Entity::delete_many().filter(Column::MessageId.eq(message.id)).exec(txn).await?;
    Ok(())
}

/// Moves the words with a message whose position in the list changed.
pub async fn follow(txn: &Transaction, old: &message::Model, new: &message::Model) -> Result<(), DbErr> {
    let held = numbers(&of_message(txn, new.id).await?);
    if held.is_empty() {
        return Ok(());
    }
    search::unpost(txn, &entry(old), &held).await?;
    search::post(txn, &entry(new), &held).await
}

/// The messages, of these of one list, with a word of a search in their documents.
pub async fn holders(
    app: &App,
    key: &DataKey,
    messages: &[message::Model],
    searched: &str,
) -> Result<HashSet<Uuid>> {
    let words = search_terms::sought_in_documents(searched);
    if words.is_empty() {
        return Ok(HashSet::new());
    }
    let entries: Vec<search::Entry> = messages.iter().map(entry).collect();
    Ok(search::holders(app.store.db(), key, &entries, words).await?)
}

/// The word numbers of the documents of messages, without messages whose documents are not read yet.
pub async fn words_of_messages(
    conn: &impl ConnectionTrait,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, BTreeSet<i64>>, DbErr> {
    let rows = Entity::find()
        .filter(Column::MessageId.is_in(ids.iter().copied()))
        .filter(Column::Words.is_not_null())
        .all(conn)
        .await?;
    let mut words: HashMap<Uuid, BTreeSet<i64>> = HashMap::new();
    for row in rows {
        words.entry(row.message_id).or_default().extend(row.numbers());
    }
    Ok(words)
}

async fn of_message(conn: &impl ConnectionTrait, message_id: Uuid) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::MessageId.eq(message_id)).all(conn).await
}

fn numbers(rows: &[Model]) -> BTreeSet<i64> {
    rows.iter().flat_map(Model::numbers).collect()
}

/// Reads until the node stops. An interrupted reading is repeated after its lease.
pub async fn read_forever(app: App, cancel: CancellationToken) {
    let (app, stop) = (&app, &cancel.clone());
    chores::every(PERIOD, PERIOD, cancel, "the text of documents", || async move {
        stop.run_until_cancelled(read_due(app)).await.unwrap_or(Ok(()))
    })
    .await;
}

/// Reads some of the due files. Two nodes may do so at the same time.
pub async fn read_due(app: &App) -> Result<()> {
    for _ in 0..ROUND {
        let Some(row) = claim(app).await? else { return Ok(()) };
        if let Err(error) = read(app, &row).await {
            tracing::warn!(attachment = %row.attachment_id, ?error, "the text of a file could not be read");
        }
    }
    Ok(())
}

/// Claims the newest due file, so that new documents do not wait for old ones of an archive.
async fn claim(app: &App) -> Result<Option<Model>> {
    loop {
        let now = app.clock.now();
        let due = Entity::find().filter(Column::DueAt.lte(now)).order_by_desc(Column::AttachmentId);
        let Some(row) = due.one(app.store.db()).await? else { return Ok(None) };
        let tries = row.tries + 1;
        let next = (tries < TRIES).then_some(now + LEASE);
        let taken = Entity::update_many()
            .col_expr(Column::DueAt, Expr::value(next))
            .col_expr(Column::Tries, Expr::value(tries))
            .filter(Column::AttachmentId.eq(row.attachment_id))
            .filter(Column::DueAt.eq(row.due_at))
            .filter(Column::Tries.eq(row.tries))
            .exec(app.store.db())
            .await?;
        if taken.rows_affected > 0 {
            return Ok(Some(Model { due_at: next, tries, ..row }));
        }
    }
}

async fn read(app: &App, claimed: &Model) -> Result<()> {
    let found = attachment::Entity::find_by_id(claimed.attachment_id).one(app.store.db()).await?;
    let Some(file) = found else { return Ok(()) };
    let key = app.keys.data_key(file.organization_id).await?;
    let words = if is_searched(&key, &file)? { words(app, &file).await? } else { Some(Vec::new()) };
    match words {
        Some(words) => keep(app, &key, &file, words, claimed.tries).await,
        None => Ok(()),
    }
}

/// Whether the file is indexed. One that waits for the malware scanner becomes due again after the scan.
fn is_searched(key: &DataKey, file: &attachment::Model) -> Result<bool> {
    let is_open = file.deleted_at.is_none() && !file.scan_state.is_held();
    Ok(is_open && !open_meta(key, file)?.is_restricted())
}

/// The words of a file; `None` if only the machine prevented reading it.
async fn words(app: &App, file: &attachment::Model) -> Result<Option<Vec<String>>> {
    let bytes = files::read(app, file.organization_id, file.blob_id).await?;
    let converter = app.batch_converter.of(file.organization_id);
    let pages = match converter.whole_text(Input::bytes(kind_of(file), bytes)).await {
        Ok(pages) => pages,
        Err(error) if error.is_permanent() => return Ok(Some(Vec::new())),
        Err(_) => return Ok(None),
    };
    // In a thread of its own, because the text may be long.
    let words = tokio::task::spawn_blocking(move || search_terms::words_of_document(&pages)).await;
    Ok(Some(words.map_err(Error::internal)?))
}

/// Replaces the words of the file in the index of the message, unless the file has changed since it was read.
async fn keep(
    app: &App,
    key: &DataKey,
    read: &attachment::Model,
    words: Vec<String>,
    tries: i16,
) -> Result<()> {
    let txn = app.store.begin().await?;
    let message = message::Entity::find_by_id(read.message_id).lock_exclusive().one(&txn).await?;
    let file = attachment::Entity::find_by_id(read.id).one(&txn).await?;
    let (Some(message), Some(file)) = (message, file) else { return Ok(()) };
    let (own, others): (Vec<Model>, Vec<Model>) =
        of_message(&txn, message.id).await?.into_iter().partition(|row| row.attachment_id == file.id);
    // A file that changed meanwhile is due again, and a deleted one is forgotten.
    let Some(row) = own.first().filter(|row| row.tries == tries && file.blob_id == read.blob_id) else {
        return Ok(());
    };
    let words = if message.deleted_at.is_none() && is_searched(key, &file)? { words } else { Vec::new() };
    let others = numbers(&others);
    let room = WORDS_OF_DOCUMENTS.saturating_sub(others.len());
    let place = entry(&message);
    let held = search::number_words(&txn, key, &place, words.into_iter().take(room)).await?;
    let gone = &(&numbers(&own) - &others) - &held;
    search::unpost(&txn, &place, &gone).await?;
    search::post(&txn, &place, &held).await?;
    let mut done = row.clone().into_active_model();
    done.due_at = Set(None);
    done.words = Set(Some(Model::pack(&held)));
    done.update(&txn).await?;
    txn.commit().await?;
    Ok(())
}
