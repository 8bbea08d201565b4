//! Small events between parts of a node and between nodes: "look again", never with patient data.
//!
//! With SQLite there is one process and the events stay inside it. With PostgreSQL they are sent by
//! `LISTEN`/`NOTIFY`, so that a browser on one node is notified of changes on another. An event may be lost with a
//! broken connection, so listeners that depend on it also poll.

use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgListener, PgPool};
use std::time::Duration;
use store::Store;
use tokio::sync::broadcast;
use uuid::Uuid;

const CHANNEL: &str = "carepost";
const CAPACITY: usize = 1024;
/// Interval of each node's sign of life.
const ALIVE: Duration = Duration::from_secs(20);
/// Time before a lost connection is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Event {
    /// A message of the Intake arrived or changed.
    Intake { organization_id: Uuid, message_id: Uuid },
    /// A message of the Release or its delivery changed.
    Release { organization_id: Uuid, message_id: Uuid },
    /// The preview of an attachment is ready or has failed.
    Preview { organization_id: Uuid, attachment_id: Uuid },
    /// A message was opened or closed by somebody.
    Presence { organization_id: Uuid, message_id: Uuid },
    /// Progress of somebody's export or print.
    Tasks { organization_id: Uuid, user_id: Uuid },
    /// Features were changed, for one organization or for all.
    Features { organization_id: Option<Uuid> },
    /// A session was ended.
    SessionEnded { session_id: Uuid },
    /// A session moved to another organization.
    SessionMoved { session_id: Uuid },
    /// Workflow steps are due.
    Work,
    /// This node may have missed events of others.
    Missed,
    /// Sign of life of a node.
    Alive,
}

impl Event {
    /// Whether it ends the connections that a session has opened.
    pub fn ends(&self, session: Uuid) -> bool {
        matches!(self, Self::SessionEnded { session_id } | Self::SessionMoved { session_id } if *session_id == session)
    }
}

#[derive(Clone)]
pub struct Bus {
    local: broadcast::Sender<Event>,
    postgres: Option<PgPool>,
}

impl Bus {
    /// Connects the bus; with PostgreSQL it listens from now on, until the store's pool is closed.
    pub async fn start(store: &Store) -> Result<Self, sqlx::Error> {
        let (local, _) = broadcast::channel(CAPACITY);
        let postgres = store.db().as_postgres().map(|db| db.get_postgres_connection_pool().clone());
        let bus = Self { local, postgres };
        if let Some(pool) = bus.postgres.clone() {
            let listener = listener(&pool).await?;
            tokio::spawn(listen(listener, pool.clone(), bus.local.clone()));
            tokio::spawn(bus.clone().say_alive(pool));
        }
        Ok(bus)
    }

    /// Distinguishes a broken connection from a quiet one.
    async fn say_alive(self, pool: PgPool) {
        while !pool.is_closed() {
            tokio::time::sleep(ALIVE).await;
            self.publish(Event::Alive).await;
        }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.local.subscribe()
    }

    /// Sends an event to all nodes. Call it after the commit. A failure is only logged, since listeners also poll.
    pub async fn publish(&self, event: Event) {
        let Some(pool) = &self.postgres else {
            let _ = self.local.send(event);
            return;
        };
        let text = serde_json::to_string(&event).expect("events serialize");
        let sent = sqlx::query("select pg_notify($1, $2)").bind(CHANNEL).bind(text).execute(pool).await;
        if let Err(error) = sent {
            tracing::warn!(%error, "an event could not be sent to the other nodes");
            let _ = self.local.send(event);
        }
    }
}

async fn listener(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    Ok(listener)
}

async fn listen(mut connected: PgListener, pool: PgPool, local: broadcast::Sender<Event>) {
    loop {
        let ended = pass_on(connected, &local).await;
        connected = loop {
            if pool.is_closed() {
                return;
            }
            tracing::warn!(?ended, "the connection for events between nodes broke");
            tokio::time::sleep(PAUSE).await;
            if let Ok(listener) = listener(&pool).await {
                break listener;
            }
        };
        let _ = local.send(Event::Missed);
    }
}

/// Ends when the connection is lost.
async fn pass_on(mut connected: PgListener, local: &broadcast::Sender<Event>) -> Result<(), sqlx::Error> {
    loop {
        let Ok(heard) = tokio::time::timeout(ALIVE * 3, connected.try_recv()).await else {
            return Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into());
        };
        let Some(notice) = heard? else { return Ok(()) };
        match serde_json::from_str(notice.payload()) {
            Ok(Event::Alive) => {}
            Ok(event) => {
                let _ = local.send(event);
            }
            Err(error) => tracing::warn!(%error, "an event of another version was ignored"),
        }
    }
}
