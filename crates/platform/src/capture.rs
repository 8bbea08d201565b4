//! Capture of API calls, for organizations whose operator switched it on: the requests of their users and systems,
//! and the answers. A call is recorded beside the request and written later, so that requests never wait; calls above
//! the limit are dropped and counted.

mod exchange;

pub use exchange::{Bodies, Exchange, Side};

use crate::{App, Caller, Error, Result, Role, chores, session::bearer_token};
use axum::{
    extract::{MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use chrono::{DateTime, Utc};
use exchange::{Mask, hex};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use store::{
    entities::{api_capture, installation, organization},
    keys::DataKey,
};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Name of the installation's setting for the availability of capture (`true` or `false`).
pub const SETTING: &str = "api_capture_enabled";

/// Maximum number of calls that wait to be written, at most 128 KiB each.
const WAITING_MAX: usize = 256;
/// Maximum number of calls in one transaction.
const BATCH: usize = 100;
/// Time for which the writer collects calls.
const COLLECTS: Duration = Duration::from_millis(250);
const SWEEP: Duration = Duration::from_secs(3600);
/// Number of rows that a sweep removes at once.
const SWEPT: u64 = 1_000;

/// A call with its answer.
struct Call {
    caller: Caller,
    token: String,
    at: DateTime<Utc>,
    method: String,
    path: String,
    status: u16,
    milliseconds: u128,
    exchange: Exchange,
}

/// The node's queue of calls to write.
pub struct Capture {
    sender: mpsc::Sender<Call>,
    receiver: Mutex<Option<mpsc::Receiver<Call>>>,
    taken: AtomicU64,
    dropped: AtomicU64,
    /// Number of taken calls that have been written, or could not be.
    done: watch::Sender<u64>,
}

impl Capture {
    fn take(&self, call: Call) {
        match self.sender.try_send(call) {
            Ok(()) => self.taken.fetch_add(1, Ordering::Relaxed),
            Err(_) => self.dropped.fetch_add(1, Ordering::Relaxed),
        };
    }

    /// Waits until all calls recorded so far are written.
    pub async fn settled(&self) {
        let taken = self.taken.load(Ordering::Relaxed);
        let _ = self.done.subscribe().wait_for(|done| *done >= taken).await;
    }
}

impl Default for Capture {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING_MAX);
        Self {
            sender,
            receiver: Mutex::new(Some(receiver)),
            taken: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            done: watch::Sender::new(0),
        }
    }
}

/// Whether this installation offers capture; off by default.
pub async fn is_offered(app: &App, db: &impl ConnectionTrait) -> Result<bool> {
    if app.config.api_capture.enabled {
        return Ok(true);
    }
    let setting = installation::Entity::find_by_id(SETTING.to_owned()).one(db).await?;
    Ok(setting.is_some_and(|s| s.value == "true"))
}

/// Answers a request, and records the call if its caller's organization is captured. `bodies` decides whether the
/// operation's bodies may be stored.
pub async fn around(request: Request, next: Next, bodies: Bodies) -> Response {
    let extensions = request.extensions();
    let (Some(app), Some(caller)) = (extensions.get::<App>(), extensions.get::<Caller>()) else {
        return next.run(request).await;
    };
    if !caller.is_captured {
        return next.run(request).await;
    }
    let (app, caller) = (app.clone(), caller.clone());
    let token = bearer_token(&request).unwrap_or_default().to_owned();
    let (method, path) = (request.method().to_string(), path_of(&request));
    let (at, begun) = (app.clock.now(), Instant::now());
    let (request, sent) = Side::of_request(request, &path, bodies).await;
    let (response, answered) = Side::of_response(next.run(request).await, bodies).await;
    let call = Call {
        caller,
        token,
        at,
        method,
        path,
        status: response.status().as_u16(),
        milliseconds: begun.elapsed().as_millis(),
        exchange: Exchange { request: sent, response: answered },
    };
    app.capture.take(call);
    response
}

/// The path, or its pattern if it contains a secret.
fn path_of(request: &Request) -> String {
    match request.extensions().get::<MatchedPath>() {
        Some(pattern) if pattern.as_str().contains("{token}") => pattern.as_str().to_owned(),
        _ => request.uri().path().to_owned(),
    }
}

/// Writes the calls of this node until it stops, and then the remaining ones.
pub async fn write_forever(app: App, cancel: CancellationToken) {
    let receiver = app.capture.receiver.lock().expect("the lock of the calls").take();
    let Some(mut calls) = receiver else { return cancel.cancelled().await };
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let is_over = tokio::select! {
            () = cancel.cancelled() => true,
            count = calls.recv_many(&mut batch, BATCH) => count == 0,
        };
        if !is_over && batch.len() < BATCH {
            let _ = tokio::time::timeout(COLLECTS, calls.recv_many(&mut batch, BATCH)).await;
        }
        if is_over {
            while let Ok(call) = calls.try_recv() {
                batch.push(call);
            }
        }
        let written = std::mem::take(&mut batch);
        let count = written.len();
        if count > 0
            && let Err(error) = write(&app, written).await
        {
            tracing::error!(?error, count, "captured calls could not be stored");
        }
        app.capture.done.send_modify(|done| *done += count as u64);
        let dropped = app.capture.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "calls were not captured: there were too many to store");
        }
        if is_over {
            return;
        }
    }
}

async fn write(app: &App, calls: Vec<Call>) -> Result<()> {
    let db = app.store.db();
    if !is_offered(app, db).await? {
        return Ok(());
    }
    let ids: BTreeSet<Uuid> = calls.iter().filter_map(|call| call.caller.organization_id).collect();
    let networks: HashMap<Uuid, Option<Uuid>> = organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids.iter().copied()))
        .select_only()
        .columns([organization::Column::Id, organization::Column::NetworkId])
        .into_tuple::<(Uuid, Option<Uuid>)>()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let mut keys = HashMap::new();
    for id in ids {
        keys.insert(id, app.keys.data_key(id).await?);
    }
    let places: HashMap<Uuid, (Option<Uuid>, DataKey)> =
        networks.into_iter().filter_map(|(id, network)| Some((id, (network, keys.remove(&id)?)))).collect();
    // Requests must not wait while the bodies of many calls are read and sealed.
    let rows = tokio::task::spawn_blocking(move || rows(calls, &places)).await.map_err(Error::internal)??;
    if rows.is_empty() {
        return Ok(());
    }
    let txn = app.store.begin().await?;
    api_capture::Entity::insert_many(rows).exec_without_returning(&txn).await?;
    Ok(txn.commit().await?)
}

fn rows(
    calls: Vec<Call>,
    places: &HashMap<Uuid, (Option<Uuid>, DataKey)>,
) -> Result<Vec<api_capture::ActiveModel>> {
    let of_place = |call: Call| {
        let id = call.caller.organization_id?;
        let (network, key) = places.get(&id)?;
        Some(row(call, id, *network, key))
    };
    calls.into_iter().filter_map(of_place).collect()
}

fn row(
    call: Call,
    organization_id: Uuid,
    network_id: Option<Uuid>,
    key: &DataKey,
) -> Result<api_capture::ActiveModel> {
    let (id, mask) = (Uuid::now_v7(), Mask(key));
    let sealed = key.seal_json(&context(id), &call.exchange.without_secrets(&mask))?;
    Ok(api_capture::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        network_id: Set(network_id),
        user_id: Set(call.caller.user_id),
        is_service: Set(call.caller.has(Role::Service)),
        user_name: Set(call.caller.user_name),
        token_hash: Set(hex(&mask.hash(&call.token))),
        at: Set(call.at),
        method: Set(call.method),
        path: Set(call.path),
        status: Set(call.status.into()),
        milliseconds: Set(i32::try_from(call.milliseconds).unwrap_or(i32::MAX)),
        sealed_exchange: Set(sealed),
    })
}

/// Key of an exchange among the sealed values of its organization.
fn context(id: Uuid) -> String {
    format!("api_capture.exchange:{id}")
}

/// Request and answer.
pub async fn opened(app: &App, row: &api_capture::Model) -> Result<Exchange> {
    let key = app.keys.data_key(row.organization_id).await?;
    Ok(key.open_json(&context(row.id), &row.sealed_exchange)?)
}

/// Removes expired calls every hour until the node stops.
pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(SWEEP, SWEEP, cancel, "removal of expired captured calls", || async move {
        sweep(app).await.map(drop)
    })
    .await;
}

/// Removes expired calls. Returns their number.
pub async fn sweep(app: &App) -> Result<u64> {
    let before = app.clock.now() - chrono::Duration::days(app.config.api_capture.keep_days.into());
    let db = app.store.db();
    let mut removed = 0;
    loop {
        let old: Vec<Uuid> = api_capture::Entity::find()
            .select_only()
            .column(api_capture::Column::Id)
            .filter(api_capture::Column::At.lt(before))
            .order_by_asc(api_capture::Column::At)
            .limit(SWEPT)
            .into_tuple()
            .all(db)
            .await?;
        if old.is_empty() {
            return Ok(removed);
        }
        let gone = api_capture::Entity::delete_many().filter(api_capture::Column::Id.is_in(old));
        removed += gone.exec(db).await?.rows_affected;
    }
}
