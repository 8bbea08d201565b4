//! What the reading and the writing connections to SQLite share: settings that no statement reaches, and statements
//! that travel together.
//!
//! SQLite's driver runs statements in a thread of the connection. To hand one over and to wait for its answer costs more
//! than most statements do.
#![allow(unsafe_code)] // FFI: one call that changes a setting and keeps no pointer

use futures::TryStreamExt;
use libsqlite3_sys::{SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_OK, sqlite3_db_config};
use sea_orm::{DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Value, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::{
    AssertSqlSafe, ConnectOptions, Either, Error, Executor, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteQueryResult},
};
use std::{ffi::c_int, fmt::Write, ptr, sync::Arc, time::Duration};

/// Longest time to wait in line for a connection.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A new connection.
pub async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, Error> {
    let mut connection = options.connect().await?;
    keep_plans(&mut connection).await?;
    Ok(connection)
}

/// Plans of this connection do not depend on bound values. Otherwise SQLite looks at the value of each `LIMIT ?` and
/// plans the statement anew at every run, even for the same value, which costs more than most of the runs.
async fn keep_plans(connection: &mut SqliteConnection) -> Result<(), Error> {
    let mut locked = connection.lock_handle().await?;
    let on: c_int = 1;
    // SAFETY: the handle is live and locked. The setting takes an int, and a pointer to an int or null.
    let answer = unsafe {
        let nobody_asks = ptr::null_mut::<c_int>();
        sqlite3_db_config(locked.as_raw_handle().as_ptr(), SQLITE_DBCONFIG_ENABLE_QPSG, on, nobody_asks)
    };
    if answer == SQLITE_OK { Ok(()) } else { Err(Error::Protocol("SQLite refuses stable plans".into())) }
}

/// Statements that are handed over as one.
#[derive(Default)]
pub struct Batch {
    sql: String,
    values: Vec<Value>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.sql.is_empty()
    }

    /// Puts a statement without values before the others.
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

    /// Runs the statements one after the other, up to the first that fails. One answer for each.
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

/// What a statement brought.
pub struct Answer {
    pub rows: Vec<QueryResult>,
    done: SqliteQueryResult,
}

impl Answer {
    /// How many rows the statement changed; meaningless for one that reads.
    pub fn rows_affected(&self) -> u64 {
        self.done.rows_affected()
    }
}

impl From<Answer> for ExecResult {
    fn from(answer: Answer) -> Self {
        answer.done.into()
    }
}

/// An error of the driver, as SeaORM passes it on.
pub fn told(error: Error) -> RuntimeErr {
    RuntimeErr::SqlxError(Arc::new(error))
}

/// The answers to the last statements of a batch.
pub fn answers_to_last<const N: usize>(mut answers: Vec<Answer>) -> Result<[Answer; N], DbErr> {
    let others = answers.len().saturating_sub(N);
    answers.drain(..others);
    answers.try_into().map_err(|_| DbErr::Exec(RuntimeErr::Internal("an empty statement".into())))
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
