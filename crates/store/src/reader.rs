//! SQLite's connections that read.

use crate::sqlite::{self, Answer, Batch, PATIENCE, answers_to_last, told};
use sea_orm::{ConnAcquireErr, DbErr, Statement};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// Most connections that read at a time.
const READERS: usize = 8;

/// A pool that gives connections back as they are. sqlx's own asks each whether it still stands, which takes as long as
/// a small query, and a connection to a file does not go stale.
#[derive(Clone)]
pub struct Readers {
    options: SqliteConnectOptions,
    /// The one that was used last is taken first.
    idle: Arc<Mutex<Vec<SqliteConnection>>>,
    room: Arc<Semaphore>,
}

impl Readers {
    pub fn new(options: SqliteConnectOptions) -> Self {
        Self { options, idle: Arc::default(), room: Arc::new(Semaphore::new(READERS)) }
    }

    /// Opens a connection, so that an error shows now.
    pub async fn open(&self) -> Result<(), sqlx::Error> {
        let connection = sqlite::connect(&self.options).await?;
        keep(&self.idle, connection);
        Ok(())
    }

    /// Answers several statements that read, together.
    pub async fn ask_each<const N: usize>(&self, statements: [Statement; N]) -> Result<[Answer; N], DbErr> {
        let mut batch = Batch::default();
        statements.into_iter().for_each(|statement| batch.add(statement));
        let mut reader = self.take().await?;
        let answers = batch.run(reader.connection()?).await;
        reader.is_at_rest = true;
        answers_to_last(answers.map_err(|e| DbErr::Query(told(e)))?)
    }

    async fn take(&self) -> Result<Reader, DbErr> {
        let room = tokio::time::timeout(PATIENCE, self.room.clone().acquire_owned()).await;
        let room = room.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?;
        let room = room.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))?;
        let known = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match known {
            Some(connection) => connection,
            None => sqlite::connect(&self.options).await.map_err(|e| DbErr::Conn(told(e)))?,
        };
        Ok(Reader {
            connection: Some(connection),
            idle: self.idle.clone(),
            room: Some(room),
            is_at_rest: false,
        })
    }
}

fn keep(idle: &Mutex<Vec<SqliteConnection>>, connection: SqliteConnection) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
}

/// A connection in use, given back when dropped.
struct Reader {
    connection: Option<SqliteConnection>,
    idle: Arc<Mutex<Vec<SqliteConnection>>>,
    room: Option<OwnedSemaphorePermit>,
    /// The last answer is complete. One that nobody waited for is still being worked on.
    is_at_rest: bool,
}

impl Reader {
    fn connection(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        self.connection.as_mut().ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let (Some(mut connection), Some(room)) = (self.connection.take(), self.room.take()) else { return };
        if self.is_at_rest {
            keep(&self.idle, connection);
        } else if let Ok(runtime) = Handle::try_current() {
            let idle = self.idle.clone();
            runtime.spawn(async move {
                if connection.ping().await.is_ok() {
                    keep(&idle, connection);
                }
                drop(room);
            });
        }
    }
}
