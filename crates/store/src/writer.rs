//! SQLite's one connection that writes, and its log.
//!
//! Statements for whose answer nobody waits travel with the next one: the beginning of a transaction, what is told to
//! [`Writing::later`], and its end.

use crate::{
    flush::Flusher,
    sqlite::{self, Answer, Batch, PATIENCE, answers_to_last, told},
};
use sea_orm::{ConnAcquireErr, DbBackend, DbErr, RuntimeErr, Statement};
use sqlx::{Executor, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// None before the first transaction, and after one that could not be taken back.
type Seat = Option<SqliteConnection>;

/// The connection, and those who wait for it in the order in which they came.
#[derive(Clone)]
pub struct Writer {
    options: SqliteConnectOptions,
    seat: Arc<Mutex<Seat>>,
}

impl Writer {
    pub fn new(options: SqliteConnectOptions) -> Self {
        Self { options, seat: Arc::default() }
    }

    pub async fn begin(&self) -> Result<Writing, DbErr> {
        let seat = self.seat().await?;
        Ok(Writing { seat: Some(seat), stage: Stage::New, waiting: Batch::default() })
    }

    /// Runs a statement in a transaction of its own.
    pub async fn once(&self, statement: Statement) -> Result<Answer, DbErr> {
        let mut writing = self.begin().await?;
        // By itself it needs neither beginning nor end. Should nobody wait for its answer, its end is unknown.
        writing.stage = Stage::Broken;
        let mut batch = Batch::default();
        batch.add(statement);
        let answers = batch.run(writing.connection()?).await;
        writing.seat = None;
        let [answer] = answers_to_last(answers.map_err(|e| DbErr::Exec(told(e)))?)?;
        Ok(answer)
    }

    async fn seat(&self) -> Result<OwnedMutexGuard<Seat>, DbErr> {
        let seat = tokio::time::timeout(PATIENCE, self.seat.clone().lock_owned()).await;
        let mut seat = seat.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?;
        if seat.is_none() {
            *seat = Some(sqlite::connect(&self.options).await.map_err(|e| DbErr::Conn(told(e)))?);
        }
        Ok(seat)
    }
}

/// A transaction of the writer.
pub struct Writing {
    /// Given back at the end.
    seat: Option<OwnedMutexGuard<Seat>>,
    stage: Stage,
    /// Statements that wait for the next one.
    waiting: Batch,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// SQLite does not know of it yet.
    New,
    Open,
    /// A statement failed, or is under way: what follows it may be missing, so the rest must not count either.
    Broken,
}

impl Writing {
    /// Adds a statement to be executed before the next one.
    pub fn later(&mut self, statement: Statement) -> Result<(), DbErr> {
        self.sound()?;
        self.waiting.add(statement);
        Ok(())
    }

    /// Runs a statement after those that wait.
    pub async fn ask(&mut self, statement: Statement) -> Result<Answer, DbErr> {
        let [answer] = self.ask_each([statement]).await?;
        Ok(answer)
    }

    /// Runs statements after those that wait, and answers each. The transaction is broken until all have succeeded.
    pub async fn ask_each<const N: usize>(
        &mut self,
        statements: [Statement; N],
    ) -> Result<[Answer; N], DbErr> {
        self.sound()?;
        let mut batch = std::mem::take(&mut self.waiting);
        if self.stage == Stage::New {
            batch.begin("BEGIN IMMEDIATE");
        }
        statements.into_iter().for_each(|statement| batch.add(statement));
        self.stage = Stage::Broken;
        let answers = batch.run(self.connection()?).await.map_err(|e| DbErr::Exec(told(e)))?;
        self.stage = Stage::Open;
        answers_to_last(answers)
    }

    pub async fn commit(mut self) -> Result<(), DbErr> {
        if self.stage == Stage::New && self.waiting.is_empty() {
            return Ok(());
        }
        self.ask(commit()).await?;
        self.seat = None;
        Ok(())
    }

    pub async fn ask_and_commit(mut self, statement: Statement) -> Result<Answer, DbErr> {
        let [answer, _] = self.ask_each([statement, commit()]).await?;
        self.seat = None;
        Ok(answer)
    }

    pub async fn roll_back(mut self) {
        if let Some(seat) = self.begun() {
            take_back(seat).await;
        }
    }

    /// The connection, should there be something to be taken back.
    fn begun(&mut self) -> Option<OwnedMutexGuard<Seat>> {
        self.seat.take().filter(|_| self.stage != Stage::New)
    }

    fn sound(&self) -> Result<(), DbErr> {
        if self.stage == Stage::Broken {
            return Err(DbErr::Exec(RuntimeErr::Internal("the transaction failed before".into())));
        }
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut SqliteConnection, DbErr> {
        let seat = self.seat.as_mut().and_then(|seat| seat.as_mut());
        seat.ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }
}

fn commit() -> Statement {
    Statement::from_string(DbBackend::Sqlite, "COMMIT")
}

impl Drop for Writing {
    fn drop(&mut self) {
        let Some(mut seat) = self.begun() else { return };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(take_back(seat))),
            // A connection that is closed takes back what it began.
            Err(_) => *seat = None,
        }
    }
}

/// Whoever is next in line begins after that.
async fn take_back(mut seat: OwnedMutexGuard<Seat>) {
    let Some(connection) = seat.as_mut() else { return };
    // Also when nothing was begun, or its end came through: a new connection is in no transaction for sure.
    if connection.execute("ROLLBACK").await.is_err() {
        *seat = None;
    }
}

/// Flushes the write-ahead log of a database. With `synchronous=NORMAL` SQLite itself flushes it only before it copies
/// it into the database, so a commit is on the disk once the log was flushed after it.
pub fn log(database: &Path) -> Flusher {
    let mut path = database.as_os_str().to_owned();
    path.push("-wal");
    let path = PathBuf::from(path);
    // The file stays the same as long as somebody has the database open.
    Flusher::new(move || File::open(&path)?.sync_data())
}
