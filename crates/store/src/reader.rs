//! SQLite's read connections.

use crate::cost;
use crate::sqlite::{self, ACQUIRE_TIMEOUT, Answer, Batch, driver_error, last_answers};
use sea_orm::{ConnAcquireErr, DbErr, Statement};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering::Relaxed},
};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};

/// Maximum number of read connections.
const READERS: usize = 8;

struct Connection {
    driver: SqliteConnection,
    /// Nobody waits for the answer of the statement that runs: SQLite interrupts it.
    is_abandoned: Arc<AtomicBool>,
}

impl Connection {
    async fn open(options: &SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        let mut driver = sqlite::connect(options).await?;
        let is_abandoned = Arc::new(AtomicBool::new(false));
        let flag = is_abandoned.clone();
        let (every, count) = cost::counting();
        driver.lock_handle().await?.set_progress_handler(every, move || {
            count();
            !flag.load(Relaxed)
        });
        Ok(Self { driver, is_abandoned })
    }
}

/// A connection pool without liveness checks. sqlx's own pool pings each returned connection, which takes as long as a
/// small query, and a connection to a file does not go stale.
#[derive(Clone)]
pub struct Readers {
    options: SqliteConnectOptions,
    /// Last in, first out.
    idle: Arc<Mutex<Vec<Connection>>>,
    permit: Arc<Semaphore>,
}

impl Readers {
    pub fn new(options: SqliteConnectOptions) -> Self {
        Self { options, idle: Arc::default(), permit: Arc::new(Semaphore::new(READERS)) }
    }

    /// Opens a connection, so that errors show at startup.
    pub async fn open(&self) -> Result<(), sqlx::Error> {
        let connection = Connection::open(&self.options).await?;
        keep(&self.idle, connection);
        Ok(())
    }

    /// Runs several read-only statements in one batch.
    pub async fn run_each<const N: usize>(&self, statements: [Statement; N]) -> Result<[Answer; N], DbErr> {
        let mut batch = Batch::default();
        statements.into_iter().for_each(|statement| batch.add(statement));
        let mut reader = self.take().await?;
        let answers = batch.run(reader.connection()?).await;
        reader.is_idle = true;
        last_answers(answers.map_err(|e| DbErr::Query(driver_error(e)))?)
    }

    async fn take(&self) -> Result<Reader, DbErr> {
        let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, self.permit.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?;
        let permit = permit.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))?;
        let known = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match known {
            Some(connection) => connection,
            None => Connection::open(&self.options).await.map_err(|e| DbErr::Conn(driver_error(e)))?,
        };
        Ok(Reader {
            connection: Some(connection),
            idle: self.idle.clone(),
            permit: Some(permit),
            is_idle: false,
        })
    }
}

fn keep(idle: &Mutex<Vec<Connection>>, connection: Connection) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
}

/// A connection in use, returned to the pool when dropped.
struct Reader {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    permit: Option<OwnedSemaphorePermit>,
    /// The last answer was read completely. A query that was given up may still be running.
    is_idle: bool,
}

impl Reader {
    fn connection(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        let connection = self.connection.as_mut().map(|connection| &mut connection.driver);
        connection.ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let (Some(mut connection), Some(permit)) = (self.connection.take(), self.permit.take()) else {
            return;
        };
        if self.is_idle {
            keep(&self.idle, connection);
        } else if let Ok(runtime) = Handle::try_current() {
            let idle = self.idle.clone();
            connection.is_abandoned.store(true, Relaxed);
            runtime.spawn(async move {
                // Answered after the statement has ended.
                if connection.driver.ping().await.is_ok() {
                    connection.is_abandoned.store(false, Relaxed);
                    keep(&idle, connection);
                }
                drop(permit);
            });
        }
    }
}
