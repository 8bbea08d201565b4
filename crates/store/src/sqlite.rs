//! Common parts of SQLite's read and write connections: settings that are not reachable by a statement, and batches
//! of statements.
//!
//! The driver runs statements on a thread per connection. The thread switches of a statement cost more than most
//! statements, so statements are batched (ADR 12).
#![allow(unsafe_code)] // FFI: one call that changes a setting and keeps no pointer

use futures::TryStreamExt;
use libsqlite3_sys::{SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_OK, sqlite3_db_config};
use sea_orm::{DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Value, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Either, Error, Executor, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteQueryResult},
};
use std::{ffi::c_int, fmt::Write, ptr, sync::Arc};

/// Opens a connection.
pub async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, Error> {
    let mut connection = options.connect().await?;
    enable_stable_plans(&mut connection).await?;
    Ok(connection)
}

/// Makes query plans independent of bound values (ADR 5). Otherwise SQLite plans a statement with `LIMIT ?` again for
/// every run, even with the same value, which costs more than most of the runs.
async fn enable_stable_plans(connection: &mut SqliteConnection) -> Result<(), Error> {
    let mut locked = connection.lock_handle().await?;
    let on: c_int = 1;
    // SAFETY: the handle is live and locked. The setting takes an int, and a pointer to an int or null.
    let answer = unsafe {
        let no_answer = ptr::null_mut::<c_int>();
        sqlite3_db_config(locked.as_raw_handle().as_ptr(), SQLITE_DBCONFIG_ENABLE_QPSG, on, no_answer)
    };
    if answer == SQLITE_OK { Ok(()) } else { Err(Error::Protocol("SQLite refuses stable plans".into())) }
}

/// Statements that are sent to the driver as one.
#[derive(Default)]
pub struct Batch {
    sql: String,
    values: Vec<Value>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }

    /// Prepends a statement without values.
    pub fn begin(&mut self, statement: &str) {
        let separator = if self.is_empty() { "" } else { "; " };
        self.sql = format!("{statement}{separator}{}", self.sql);
    }

    /// Adds a statement whose placeholders are `?` or `$1`.
    pub fn add(&mut self, statement: Statement) {
        let before = self.values.len();
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        push_numbered(&mut self.sql, &statement.sql, before);
        self.values.extend(statement.values.into_iter().flat_map(|values| values.0));
    }

    /// Runs the statements in order up to the first that fails, with one answer for each.
    pub async fn run(self, connection: &mut SqliteConnection) -> Result<Vec<Answer>, Error> {
        let query = sqlx::query_with(AssertSqlSafe(self.sql), SqlxValues(Values(self.values)));
        let mut parts = connection.fetch_many(query);
        let (mut answers, mut rows) = (Vec::new(), Vec::new());
        while let Some(part) = parts.try_next().await? {
            match part {
                Either::Right(row) => rows.push(row.into()),
                Either::Left(done) => answers.push(Answer { rows: std::mem::take(&mut rows), done }),
            }
        }
        Ok(answers)
    }
}

/// The result of a statement.
pub struct Answer {
    pub rows: Vec<QueryResult>,
    done: SqliteQueryResult,
}

impl Answer {
    /// Rows changed by the statement; meaningless for a query.
    pub fn rows_affected(&self) -> u64 {
        self.done.rows_affected()
    }
}

impl From<Answer> for ExecResult {
    fn from(answer: Answer) -> Self {
        answer.done.into()
    }
}

/// A driver error, wrapped as SeaORM does.
pub fn driver_error(error: Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(error))
}

/// The last `N` answers of a batch.
pub fn last_answers<const N: usize>(mut answers: Vec<Answer>) -> Result<[Answer; N], DbErr> {
    let others = answers.len().saturating_sub(N);
    answers.drain(..others);
    answers.try_into().map_err(|_| DbErr::Exec(RuntimeErr::Internal("an empty statement".into())))
}

/// Appends a statement whose placeholders start after `before` values: `?` counts by itself, `$1` is renumbered.
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
