//! Stores receptions of interfaces unchanged, with the workflow that turns each into a message. They are acknowledged
//! only when both are durable; concurrent ones share a flush. Duplicates are not stored twice.

use crate::{sealed, workflows::RECEIVE};
use admission::Party;
use bytes::Bytes;
use platform::{App, Error, Result, bus::Event};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait},
};
use std::collections::{BTreeMap, HashMap, hash_map::Entry as Slot};
use store::{
    batching::BatchedWrites,
    entities::{
        inbound_connection::{self, ConnectionKind},
        interface_reception::{ActiveModel, Column, Entity},
    },
};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow, names};

/// Maximum number of messages that share a flush.
const BATCH: usize = 256;
/// Maximum number of messages in the queue for the flush.
const WAITING: usize = 1024;
/// Maximum size of content stored in its row, in bytes.
const IN_ROW: usize = 32 << 10;

/// A message to store for one organization.
#[derive(Clone)]
pub struct NewReception {
    pub connection_id: Uuid,
    pub organization_id: Uuid,
    pub kind: ConnectionKind,
    pub partner_key: String,
    pub content_hash: String,
    pub partner_id: String,
    pub content_type: String,
    pub recipients: Vec<String>,
    pub source_ip: String,
    pub content: Bytes,
}

/// Result of storing a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    New,
    /// It was already stored.
    Repeated,
    /// A different message with the same id was already stored.
    Different,
}

/// Messages to store together or not at all.
struct Entry {
    rows: Vec<ActiveModel>,
    done: oneshot::Sender<Option<Vec<Kept>>>,
}

/// Stores the messages of all connections of a node. Its task ends when the last clone is dropped.
#[derive(Clone)]
pub struct Keeper {
    app: App,
    journal: mpsc::Sender<Entry>,
}

impl Keeper {
    pub fn start(app: &App) -> Self {
        let (journal, mut incoming) = mpsc::channel::<Entry>(WAITING);
        let committing = app.clone();
        // Messages of many organizations share a transaction, which counts for none of them.
        Party::Installation.spawn(async move {
            let mut batch = Vec::with_capacity(BATCH);
            while incoming.recv_many(&mut batch, BATCH).await > 0 {
                let (rows, waiting): (Vec<_>, Vec<_>) = batch.drain(..).map(|e| (e.rows, e.done)).unzip();
                for (done, kept) in waiting.into_iter().zip(settled(&committing, rows).await) {
                    let _ = done.send(kept);
                }
            }
        });
        Self { app: app.clone(), journal }
    }

    /// Stores all of the messages or none; they are durable when this returns.
    pub async fn keep(&self, all: Vec<NewReception>) -> Result<Vec<Kept>> {
        if let Some(kept) = all_known(&self.app, &all).await? {
            return Ok(kept);
        }
        let rows = stored_all(&self.app, all).await?;
        let (done, settled) = oneshot::channel();
        let lost = || Error::internal("a message of an interface could not be committed");
        self.journal.send(Entry { rows, done }).await.map_err(|_| lost())?;
        settled.await.ok().flatten().ok_or_else(lost)
    }
}

/// The results for messages that are all known already, so that nothing has to be stored.
async fn all_known(app: &App, all: &[NewReception]) -> Result<Option<Vec<Kept>>> {
    let organizations = all.iter().map(|new| new.organization_id);
    let there = known(app, organizations, all.iter().map(|new| new.partner_key.as_str())).await?;
    let of = |new: &NewReception| there.get(&(new.organization_id, new.partner_key.clone()));
    Ok(all.iter().map(|new| of(new).map(|hash| again(hash, &new.content_hash))).collect())
}

/// Stores all of the messages or none.
pub async fn keep_all(app: &App, all: Vec<NewReception>) -> Result<Vec<Kept>> {
    commit(app, stored_all(app, all).await?).await
}

async fn stored_all(app: &App, all: Vec<NewReception>) -> Result<Vec<ActiveModel>> {
    let mut rows = Vec::with_capacity(all.len());
    for new in all {
        rows.push(stored(app, new).await?);
    }
    Ok(rows)
}

fn again(known: &str, hash: &str) -> Kept {
    if known == hash { Kept::Repeated } else { Kept::Different }
}

/// The row of a message, with its content in storage.
async fn stored(app: &App, new: NewReception) -> Result<ActiveModel> {
    let key = app.keys.data_key(new.organization_id).await?;
    let id = Uuid::now_v7();
    let size = new.content.len() as i64;
    let (blob_id, sealed_content) = if new.content.len() <= IN_ROW {
        (Uuid::nil(), Some(sealed::seal_reception(&key, id, &new.content)))
    } else {
        let blob = app.blobs.put(&key, new.organization_id, Uuid::now_v7(), new.content).await?;
        (blob.id, None)
    };
    Ok(ActiveModel {
        id: Set(id),
        connection_id: Set(new.connection_id),
        organization_id: Set(new.organization_id),
        kind: Set(new.kind),
        partner_key: Set(new.partner_key),
        content_hash: Set(new.content_hash),
        partner_id: Set(new.partner_id),
        content_type: Set(new.content_type),
        recipients: Set(new.recipients.join(";")),
        blob_id: Set(blob_id),
        sealed_content: Set(sealed_content),
        size_bytes: Set(size),
        source_ip: Set(new.source_ip),
        received_at: Set(app.clock.now()),
        workflow_id: Set(Uuid::nil()),
        message_id: Set(None),
        finished_at: Set(None),
    })
}

/// Commits queued entries together; if that fails, each entry separately, so that a bad one does not affect others.
async fn settled(app: &App, entries: Vec<Vec<ActiveModel>>) -> Vec<Option<Vec<Kept>>> {
    let alone = entries.len() == 1;
    match commit(app, entries.concat()).await {
        Ok(kept) => {
            let mut kept = kept.into_iter();
            return entries.iter().map(|rows| Some(kept.by_ref().take(rows.len()).collect())).collect();
        }
        Err(error) => tracing::error!(?error, "messages of interfaces could not be committed"),
    }
    let mut kept = Vec::with_capacity(entries.len());
    for rows in entries {
        kept.push(match alone {
            true => None,
            false => commit(app, rows).await.ok(),
        });
    }
    kept
}

type Key = (Uuid, String);

/// The content hashes of stored messages.
async fn known<'a>(
    app: &App,
    organizations: impl IntoIterator<Item = Uuid>,
    keys: impl IntoIterator<Item = &'a str>,
) -> Result<HashMap<Key, String>> {
    let rows: Vec<(Uuid, String, String)> = Entity::find()
        .select_only()
        .columns([Column::OrganizationId, Column::PartnerKey, Column::ContentHash])
        .filter(Column::OrganizationId.is_in(organizations))
        .filter(Column::PartnerKey.is_in(keys))
        .into_tuple()
        .all(app.store.db())
        .await?;
    Ok(rows.into_iter().map(|(organization, key, hash)| ((organization, key), hash)).collect())
}

fn key_of(row: &ActiveModel) -> Key {
    (*row.organization_id.as_ref(), row.partner_key.as_ref().clone())
}

/// One transaction and one flush. The unique index refuses messages that another node stores at the same moment.
async fn commit(app: &App, rows: Vec<ActiveModel>) -> Result<Vec<Kept>> {
    if rows.iter().any(|row| row.sealed_content.as_ref().is_none()) {
        app.blobs.sync().await?;
    }
    let organizations = rows.iter().map(|row| *row.organization_id.as_ref());
    let mut there =
        known(app, organizations, rows.iter().map(|row| row.partner_key.as_ref().as_str())).await?;
    let (mut kept, mut new) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        kept.push(match there.entry(key_of(&row)) {
            Slot::Occupied(known) => again(known.get(), row.content_hash.as_ref().as_str()),
            Slot::Vacant(free) => {
                free.insert(row.content_hash.as_ref().clone());
                new.push(row);
                Kept::New
            }
        });
    }
    if new.is_empty() {
        return Ok(kept);
    }
    let txn = app.store.begin().await?;
    let now = app.clock.now();
    let jobs = new.iter().map(|row| NewWorkflow {
        organization_id: *row.organization_id.as_ref(),
        kind: RECEIVE.into(),
        object_id: *row.id.as_ref(),
        steps: vec![
            NewStep::new(0, names::OPEN_INTERFACE, now).for_partner(row.connection_id.as_ref().to_string()),
        ],
    });
    let workflows = workflow::enqueue_all(&txn, now, jobs.collect()).await?;
    let mut counts: BTreeMap<Uuid, i64> = BTreeMap::new();
    for (row, workflow_id) in new.iter_mut().zip(workflows) {
        row.workflow_id = Set(workflow_id);
        *counts.entry(*row.connection_id.as_ref()).or_default() += 1;
    }
    txn.later(Entity::insert_many(new)).await?;
    for (id, count) in counts {
        use inbound_connection::{Column, Entity};
        let counted = Entity::update_many()
            .col_expr(Column::ReceivedCount, Expr::col(Column::ReceivedCount).add(count))
            .col_expr(Column::LastReceivedAt, Expr::value(now))
            .filter(Column::Id.eq(id));
        counted.exec(&txn).await?;
    }
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(kept)
}
