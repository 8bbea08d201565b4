//! SQLite's read connections.

use crate::{
    cost,
    sqlite::{self, Answer, Batch, driver_error, last_answers},
    turns,
};
use admission::{Place, Pool, Room};
use sea_orm::{ConnAcquireErr, DbErr, Statement};
use sqlx::{Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering::Relaxed},
};
use tokio::runtime::Handle;

/// Read connections. One party leaves a quarter of them to others. There is no refusal, only a timeout.
const ROOM: Room = Room { total: 8, per_party: 6, waiting_per_party: usize::MAX, waiting: usize::MAX };

struct Connection {
    driver: SqliteConnection,
    /// The caller no longer waits for the running statement: SQLite interrupts it.
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

/// A connection pool without liveness checks, used by parties in turns. sqlx's own pool pings each returned
/// connection, which takes as long as a small query, and a connection to a file does not become stale.
#[derive(Clone)]
pub struct Readers {
    options: SqliteConnectOptions,
    /// Last in, first out.
    idle: Arc<Mutex<Vec<Connection>>>,
    turns: Arc<Pool>,
}

impl Readers {
    pub fn new(options: SqliteConnectOptions) -> Self {
        Self { options, idle: Arc::default(), turns: Pool::new("Reading from the database", ROOM) }
    }

    /// Readers, and those who wait.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.turns
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
        let turn = turns::turn(&self.turns).await?;
        let known = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match known {
            Some(connection) => connection,
            None => Connection::open(&self.options).await.map_err(|e| DbErr::Conn(driver_error(e)))?,
        };
        Ok(Reader { connection: Some(connection), idle: self.idle.clone(), turn: Some(turn), is_idle: false })
    }
}

fn keep(idle: &Mutex<Vec<Connection>>, connection: Connection) {
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
}

/// A connection in use, returned to the pool when dropped.
struct Reader {
    connection: Option<Connection>,
    idle: Arc<Mutex<Vec<Connection>>>,
    turn: Option<Place>,
    /// The last answer was read completely. An abandoned query may still be running.
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
        let (Some(mut connection), Some(turn)) = (self.connection.take(), self.turn.take()) else {
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
                drop(turn);
            });
        }
    }
}
