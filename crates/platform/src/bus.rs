//! Small events between parts of a node and between nodes: "look again", never data of patients.
//!
//! With SQLite there is one process and the events stay inside it. With PostgreSQL they travel by
//! `LISTEN`/`NOTIFY`, so that a browser on one node hears of what happened on another. An event may be lost
//! (a broken connection); whoever depends on it also polls.

use sea_orm::DbBackend;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgListener, PgPool};
use std::time::Duration;
use store::Store;
use tokio::sync::broadcast;
use uuid::Uuid;

const CHANNEL: &str = "carepost";
const CAPACITY: usize = 1024;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Event {
    /// A message of the Intake came or changed.
    Intake { organization_id: Uuid, message_id: Uuid },
    /// A message of the Release or its delivery changed.
    Release { organization_id: Uuid, message_id: Uuid },
    /// The preview of an attachment is ready or failed.
    Preview { organization_id: Uuid, attachment_id: Uuid },
    /// Somebody opened or closed a message.
    Presence { organization_id: Uuid, message_id: Uuid },
    /// A session was ended.
    SessionEnded { session_id: Uuid },
    /// Steps of workflows are due.
    Work,
}

#[derive(Clone)]
pub struct Bus {
    local: broadcast::Sender<Event>,
    postgres: Option<PgPool>,
}

impl Bus {
    /// Connects the bus; with PostgreSQL a background task listens until the process ends.
    pub fn start(store: &Store) -> Self {
        let (local, _) = broadcast::channel(CAPACITY);
        let postgres = (store.backend() == DbBackend::Postgres)
            .then(|| store.db().get_postgres_connection_pool().clone());
        if let Some(pool) = postgres.clone() {
            tokio::spawn(listen(pool, local.clone()));
        }
        Self { local, postgres }
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.local.subscribe()
    }

    /// Tells every node. Call it after the commit. A failure is logged: listeners also poll.
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

async fn listen(pool: PgPool, local: broadcast::Sender<Event>) {
    loop {
        if let Err(error) = listen_once(&pool, &local).await {
            if pool.is_closed() {
                return;
            }
            tracing::warn!(%error, "the connection for events between nodes broke");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn listen_once(pool: &PgPool, local: &broadcast::Sender<Event>) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    // Something may have been missed while nobody listened.
    let _ = local.send(Event::Work);
    loop {
        let notice = listener.recv().await?;
        match serde_json::from_str(notice.payload()) {
            Ok(event) => {
                let _ = local.send(event);
            }
            Err(error) => tracing::warn!(%error, "an event of another version was ignored"),
        }
    }
}
