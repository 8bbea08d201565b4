//! One way to open either database; the scheme of the URL chooses.

use crate::{migrations::Migrator, sqlite};
use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction,
    DbBackend, DbErr, IsolationLevel, RuntimeErr, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};
use sea_orm_migration::{IntoSchemaManagerConnection, MigratorTrait};
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use std::time::Duration;

/// Any fixed number: it names the advisory lock under which migrations run.
const MIGRATION_LOCK: i64 = 0x0ca2_e905;

/// A connection that rested for so long is asked whether it still stands before it is used.
const ASK_AFTER: Duration = Duration::from_secs(5);
/// Statements that a connection keeps parsed: more than the product has in daily use, each in its lengths.
const STATEMENTS: usize = 250;

/// Pages in SQLite's write-ahead log, some 32 MB, before they are copied into the database. Most of them are written
/// again and again, so that a longer log means fewer copies and flushes.
const LOG_PAGES: &str = "8000";

const SQLITE_BUSY: &str = "5";
const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the database address must start with sqlite: or postgres:")]
    UnknownScheme,
    #[error("the database cannot be opened: {0}")]
    Database(#[from] DbErr),
    #[error("the database schema cannot be brought up to date: {0}")]
    Migration(String),
}

/// An open database.
///
/// SQLite gets three pools on one file: one to read, and two of a single connection to write, since writers that
/// wait in line here are served several times as quickly as writers that wait in SQLite's busy handler.
/// Commits of the ordinary writer survive the death of the process; those of the durable one also a power cut,
/// because they wait for the disk (and take every earlier commit with them). What was promised to somebody outside
/// is committed through [`Store::begin_durable`].
#[derive(Clone)]
pub struct Store {
    db: DatabaseConnection,
    writer: DatabaseConnection,
    durable: DatabaseConnection,
}

impl Store {
    /// Opens the database without touching its schema.
    pub async fn open(url: &str) -> Result<Self, ConnectError> {
        if url.starts_with("sqlite:") {
            sqlite::set_up();
            let db = connect_first(sqlite_options(url, SqliteSynchronous::Normal, 8)).await?;
            let writer = Database::connect(sqlite_options(url, SqliteSynchronous::Normal, 1)).await?;
            let durable = Database::connect(sqlite_options(url, SqliteSynchronous::Full, 1)).await?;
            Ok(Self { db, writer, durable })
        } else if url.starts_with("postgres") {
            let db = Database::connect(postgres_options(url)).await?;
            Ok(Self { writer: db.clone(), durable: db.clone(), db })
        } else {
            Err(ConnectError::UnknownScheme)
        }
    }

    /// Opens the database and brings its schema up to date. Nodes that start together wait for each other.
    pub async fn open_and_migrate(url: &str) -> Result<Self, ConnectError> {
        let store = Self::open(url).await?;
        store.migrate().await?;
        Ok(store)
    }

    /// Applies missing migrations under a lock.
    pub async fn migrate(&self) -> Result<(), ConnectError> {
        if self.backend() != DbBackend::Postgres {
            // The one writer is the lock, and a migration that breaks off leaves nothing behind.
            let txn = self.begin_durable().await?;
            up(&txn).await?;
            return Ok(txn.commit().await?);
        }
        let failed = |e: sqlx::Error| ConnectError::Migration(e.to_string());
        let mut lock = self.db.get_postgres_connection_pool().acquire().await.map_err(failed)?;
        sqlx::query("select pg_advisory_lock($1)")
            .bind(MIGRATION_LOCK)
            .execute(&mut *lock)
            .await
            .map_err(failed)?;
        let migrated = up(&self.db).await;
        sqlx::query("select pg_advisory_unlock($1)")
            .bind(MIGRATION_LOCK)
            .execute(&mut *lock)
            .await
            .map_err(failed)?;
        Ok(migrated?)
    }

    /// Names of migrations that this binary has and the database has not.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, ConnectError> {
        let pending = Migrator::get_pending_migrations_read_only(&self.db).await?;
        Ok(pending.iter().map(|m| m.name().to_owned()).collect())
    }

    /// The connection for reads and single statements.
    pub fn db(&self) -> &DatabaseConnection {
        &self.db
    }

    pub fn backend(&self) -> DbBackend {
        self.db.get_database_backend()
    }

    /// Begins a transaction whose commit survives the death of the process.
    pub async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        begin(&self.writer).await
    }

    /// Begins a transaction whose commit also survives a power cut.
    pub async fn begin_durable(&self) -> Result<DatabaseTransaction, DbErr> {
        begin(&self.durable).await
    }
}

/// Applies what is missing, and says so in one line.
async fn up<'c, C>(db: &'c C) -> Result<(), DbErr>
where
    C: ConnectionTrait,
    &'c C: IntoSchemaManagerConnection<'c>,
{
    let missing = Migrator::get_pending_migrations_read_only(db).await?.len();
    if missing > 0 {
        tracing::info!(missing, "the database gets its tables, or those of a newer version");
    }
    Migrator::up(db, None).await
}

/// SQLite transactions begin as writers: a reader that turns writer later fails when another was faster,
/// and no waiting time helps against that.
async fn begin(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    db.begin_with_options(TransactionOptions {
        isolation_level: None::<IsolationLevel>,
        access_mode: None::<AccessMode>,
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
    })
    .await
}

/// Whoever opens a new file first gives it its journal. Others who try so at the same time are turned away by SQLite at
/// once, however long they would wait.
async fn connect_first(options: ConnectOptions) -> Result<DatabaseConnection, DbErr> {
    let mut tries = 0;
    loop {
        match Database::connect(options.clone()).await {
            Err(error) if is_busy(&error) && tries < BUSY_TRIES => {
                tries += 1;
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            result => return result,
        }
    }
}

fn is_busy(error: &DbErr) -> bool {
    let DbErr::Conn(RuntimeErr::SqlxError(error)) = error else { return false };
    error.as_database_error().and_then(|e| e.code()).is_some_and(|code| code == SQLITE_BUSY)
}

fn sqlite_options(url: &str, synchronous: SqliteSynchronous, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options.sqlx_logging(false).max_connections(connections);
    // A connection to a file does not go stale, and asking costs as much as a small query.
    options.test_before_acquire(false);
    options.map_sqlx_sqlite_pool_opts(|pool| {
        pool.after_connect(|connection, _| Box::pin(sqlite::keep_plans(connection)))
    });
    options.map_sqlx_sqlite_opts(move |o| {
        o.create_if_missing(true)
            .statement_cache_capacity(STATEMENTS)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synchronous)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(30))
            .pragma("cache_size", "-16000")
            .pragma("wal_autocheckpoint", LOG_PAGES)
    });
    options
}

fn postgres_options(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .sqlx_logging(false)
        .max_connections(16)
        .min_connections(2)
        .connect_timeout(Duration::from_secs(10))
        .acquire_timeout(Duration::from_secs(30))
        // Asking a connection that was just used whether it still stands costs a round trip for each statement.
        .test_before_acquire_if_idle_for(ASK_AFTER)
        // Compiling a statement takes PostgreSQL longer than any of ours runs.
        .map_sqlx_postgres_opts(|o| o.statement_cache_capacity(STATEMENTS).options([("jit", "off")]));
    options
}
