//! SQLite's write connection, and its write-ahead log.
//!
//! `BEGIN`, statements given to [`WriteTransaction::later`] and `COMMIT` are sent in one batch with the next statement
//! whose answer is awaited.

use crate::{
    cost,
    flush::Flusher,
    sqlite::{self, Answer, Batch, driver_error, last_answers},
    turns,
};
use admission::{Place, Pool, Room};
use sea_orm::{ConnAcquireErr, DbBackend, DbErr, RuntimeErr, Statement};
use sqlx::{Executor, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// None before the first transaction, and after one that could not be rolled back.
type Slot = Option<SqliteConnection>;

/// One writer at a time. There is no refusal, only a timeout.
const ROOM: Room = Room { total: 1, per_party: 1, waiting_per_party: usize::MAX, waiting: usize::MAX };

/// The write connection, used by parties in turns.
#[derive(Clone)]
pub struct Writer {
    options: SqliteConnectOptions,
    turns: Arc<Pool>,
    slot: Arc<Mutex<Slot>>,
}

/// The write connection in use.
struct Held {
    slot: OwnedMutexGuard<Slot>,
    _turn: Place,
}

impl Writer {
    pub fn new(options: SqliteConnectOptions) -> Self {
        Self { options, turns: Pool::new("Writing to the database", ROOM), slot: Arc::default() }
    }

    /// The writer, and those who wait.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.turns
    }

    pub async fn begin(&self) -> Result<WriteTransaction, DbErr> {
        let slot = self.slot().await?;
        Ok(WriteTransaction { slot: Some(slot), stage: Stage::New, pending: Batch::default() })
    }

    /// Runs a statement in its own transaction.
    pub async fn once(&self, statement: Statement) -> Result<Answer, DbErr> {
        let mut writing = self.begin().await?;
        // A single statement needs neither BEGIN nor COMMIT. If the caller stops waiting, its outcome is unknown.
        writing.stage = Stage::Broken;
        let mut batch = Batch::default();
        batch.add(statement);
        let answers = batch.run(writing.connection()?).await;
        writing.slot = None;
        let [answer] = last_answers(answers.map_err(|e| DbErr::Exec(driver_error(e)))?)?;
        Ok(answer)
    }

    async fn slot(&self) -> Result<Held, DbErr> {
        let turn = turns::turn(&self.turns).await?;
        // Free, since this task has the turn.
        let mut slot = self.slot.clone().lock_owned().await;
        if slot.is_none() {
            *slot = Some(opened(&self.options).await.map_err(|e| DbErr::Conn(driver_error(e)))?);
        }
        Ok(Held { slot, _turn: turn })
    }
}

async fn opened(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut driver = sqlite::connect(options).await?;
    let (every, count) = cost::counting();
    driver.lock_handle().await?.set_progress_handler(every, move || {
        count();
        true
    });
    Ok(driver)
}

/// A transaction on the write connection.
pub struct WriteTransaction {
    /// Released at the end.
    slot: Option<Held>,
    stage: Stage,
    /// Statements to be sent with the next one.
    pending: Batch,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// `BEGIN` has not been sent yet.
    New,
    Open,
    /// A statement failed or is still running: later ones may be missing, so nothing may be committed.
    Broken,
}

impl WriteTransaction {
    /// Queues a statement to be executed before the next one.
    pub fn later(&mut self, statement: Statement) -> Result<(), DbErr> {
        self.check_usable()?;
        self.pending.add(statement);
        Ok(())
    }

    /// Runs a statement after the queued ones.
    pub async fn run(&mut self, statement: Statement) -> Result<Answer, DbErr> {
        let [answer] = self.run_each([statement]).await?;
        Ok(answer)
    }

    /// Runs statements after the queued ones, with one answer each. The transaction is broken until all have succeeded.
    pub async fn run_each<const N: usize>(
        &mut self,
        statements: [Statement; N],
    ) -> Result<[Answer; N], DbErr> {
        self.check_usable()?;
        let mut batch = std::mem::take(&mut self.pending);
        if self.stage == Stage::New {
            batch.begin("BEGIN IMMEDIATE");
        }
        statements.into_iter().for_each(|statement| batch.add(statement));
        self.stage = Stage::Broken;
        let answers = batch.run(self.connection()?).await.map_err(|e| DbErr::Exec(driver_error(e)))?;
        self.stage = Stage::Open;
        last_answers(answers)
    }

    pub async fn commit(mut self) -> Result<(), DbErr> {
        if self.stage == Stage::New && self.pending.is_empty() {
            return Ok(());
        }
        self.run(commit()).await?;
        self.slot = None;
        Ok(())
    }

    pub async fn run_and_commit(mut self, statement: Statement) -> Result<Answer, DbErr> {
        let [answer, _] = self.run_each([statement, commit()]).await?;
        self.slot = None;
        Ok(answer)
    }

    pub async fn roll_back(mut self) {
        if let Some(slot) = self.take_if_open() {
            roll_back_connection(slot).await;
        }
    }

    /// The connection, if there is something to roll back.
    fn take_if_open(&mut self) -> Option<Held> {
        self.slot.take().filter(|_| self.stage != Stage::New)
    }

    fn check_usable(&self) -> Result<(), DbErr> {
        if self.stage == Stage::Broken {
            return Err(DbErr::Exec(RuntimeErr::Internal("the transaction failed before".into())));
        }
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        let slot = self.slot.as_mut().and_then(|held| held.slot.as_mut());
        slot.ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }
}

fn commit() -> Statement {
    Statement::from_string(DbBackend::Sqlite, "COMMIT")
}

impl Drop for WriteTransaction {
    fn drop(&mut self) {
        let Some(mut held) = self.take_if_open() else { return };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(roll_back_connection(held))),
            // Closing the connection rolls back.
            Err(_) => *held.slot = None,
        }
    }
}

/// Rolls back before the next transaction can begin.
async fn roll_back_connection(mut held: Held) {
    let Some(connection) = held.slot.as_mut() else { return };
    // An error is possible if nothing was begun or COMMIT got through: a new connection is in no transaction for sure.
    if connection.execute("ROLLBACK").await.is_err() {
        *held.slot = None;
    }
}

/// Flushes the write-ahead log of a database. With `synchronous=NORMAL` SQLite flushes it only at checkpoints, so a
/// commit is on disk once the log has been flushed after it.
pub fn log(database: &Path) -> Flusher {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let path = PathBuf::from(path);
    // The file is not replaced while the database is open.
    Flusher::new(move || File::open(&path)?.sync_data())
}
