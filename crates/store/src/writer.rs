//! SQLite's one connection that writes, and its log.
//!
//! SQLite's driver runs statements in a thread of the connection. To hand one over and to wait for its answer costs more
//! than most statements do, so those for whose answer nobody waits travel with the next one: the beginning of a
//! transaction, what is told to [`Writing::later`], and its end.

use crate::flush::Flusher;
use sea_orm::{
    ConnAcquireErr, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Value, Values,
};
use sea_query_sqlx::SqlxValues;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Either, Executor, SqliteConnection, query::Query,
    sqlite::SqliteConnectOptions,
};
use std::{
    fmt::Write,
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Longest time to wait in line.
const PATIENCE: Duration = Duration::from_secs(30);

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
        let seat = tokio::time::timeout(PATIENCE, self.seat.clone().lock_owned()).await;
        let mut seat = seat.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?;
        if seat.is_none() {
            let mut connection = self.options.connect().await.map_err(|e| DbErr::Conn(told(e)))?;
            crate::sqlite::keep_plans(&mut connection).await.map_err(|e| DbErr::Conn(told(e)))?;
            *seat = Some(connection);
        }
        Ok(Writing { seat: Some(seat), stage: Stage::New, sql: String::new(), values: Vec::new() })
    }
}

/// A transaction of the writer.
pub struct Writing {
    /// Given back at the end.
    seat: Option<OwnedMutexGuard<Seat>>,
    stage: Stage,
    /// Statements that wait for the next one, and their values.
    sql: String,
    values: Vec<Value>,
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
    /// Adds a statement whose placeholders are `?`, to be executed before the next one.
    pub fn later(&mut self, statement: Statement) -> Result<(), DbErr> {
        self.sound()?;
        self.add(statement);
        Ok(())
    }

    pub async fn execute(&mut self, statement: Statement) -> Result<ExecResult, DbErr> {
        use futures::TryStreamExt;
        let (sql, values) = self.with_waiting(statement)?;
        let mut outcomes = self.connection()?.fetch_many(query(&sql, values));
        let mut last = None;
        while let Some(outcome) = outcomes.try_next().await.map_err(|e| DbErr::Exec(told(e)))? {
            // Each statement has its own; the last one is asked for.
            if let Either::Left(outcome) = outcome {
                last = Some(outcome);
            }
        }
        drop(outcomes);
        self.stage = Stage::Open;
        last.map(Into::into).ok_or_else(|| DbErr::Exec(RuntimeErr::Internal("an empty statement".into())))
    }

    pub async fn query_one(&mut self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let (sql, values) = self.with_waiting(statement)?;
        let row = self.connection()?.fetch_optional(query(&sql, values)).await;
        let row = row.map_err(|e| DbErr::Query(told(e)))?;
        self.stage = Stage::Open;
        Ok(row.map(Into::into))
    }

    pub async fn query_all(&mut self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let (sql, values) = self.with_waiting(statement)?;
        let rows = self.connection()?.fetch_all(query(&sql, values)).await;
        let rows = rows.map_err(|e| DbErr::Query(told(e)))?;
        self.stage = Stage::Open;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    pub async fn commit(mut self) -> Result<(), DbErr> {
        if self.stage == Stage::New && self.sql.is_empty() {
            return Ok(());
        }
        let end = Statement::from_string(DbBackend::Sqlite, "COMMIT");
        let outcome = self.execute(end).await;
        if outcome.is_ok() {
            self.seat = None;
        }
        outcome.map(|_| ())
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

    fn add(&mut self, statement: Statement) {
        let before = self.values.len();
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        push_numbered(&mut self.sql, &statement.sql, before);
        self.values.extend(statement.values.into_iter().flat_map(|values| values.0));
    }

    /// What waits and the statement, as one. The transaction is broken until it has succeeded.
    fn with_waiting(&mut self, statement: Statement) -> Result<(String, Values), DbErr> {
        self.sound()?;
        self.add(statement);
        let sql = std::mem::take(&mut self.sql);
        let sql = if self.stage == Stage::New { format!("BEGIN IMMEDIATE; {sql}") } else { sql };
        self.stage = Stage::Broken;
        Ok((sql, Values(std::mem::take(&mut self.values))))
    }
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

fn told(error: sqlx::Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(error))
}

fn query(sql: &str, values: Values) -> Query<'_, sqlx::Sqlite, SqlxValues> {
    sqlx::query_with(AssertSqlSafe(sql), SqlxValues(values))
}

/// Appends a statement after `before` values: `?` counts on by itself, `$1` does not.
fn push_numbered(sql: &mut String, statement: &str, before: usize) {
    let mut parts = statement.split('$');
    sql.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        match number.parse::<usize>() {
            Ok(number) => _ = write!(sql, "${}{rest}", number + before),
            Err(_) => _ = write!(sql, "${part}"),
        }
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
