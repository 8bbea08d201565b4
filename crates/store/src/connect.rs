//! One way to open either database; the scheme of the URL chooses.

use crate::{
    Database,
    database::{Inner, Sqlite},
    migrations::Migrator,
    reader::Readers,
    sqlite::told,
    transaction::Transaction,
    writer::{self, Writer},
};
use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, IsolationLevel,
    RuntimeErr, SqliteTransactionMode, SqlxSqliteConnector, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::{IntoSchemaManagerConnection, MigratorTrait};
use sqlx::{
    ConnectOptions as _,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{sync::Arc, time::Duration};

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
/// SQLite gets a pool to read and one connection to write, since writers that wait in line here are served several times
/// as quickly as writers that wait in SQLite's busy handler, and what the writer knows of the pages stays true.
/// Its commits survive the death of the process. What was promised to somebody outside survives a power cut too:
/// [`Store::commit_durable`] waits for the disk.
#[derive(Clone)]
pub struct Store {
    db: Database,
}

impl Store {
    /// Opens the database without touching its schema.
    pub async fn open(url: &str) -> Result<Self, ConnectError> {
        if url.starts_with("sqlite:") {
            let options = sqlite_options(url.parse().map_err(|e| DbErr::Conn(told(e)))?);
            let (readers, writer) = (Readers::new(options.clone()), Writer::new(options.clone()));
            open_first(&readers).await.map_err(|e| DbErr::Conn(told(e)))?;
            let log = writer::log(options.get_filename());
            let sqlite = Sqlite { options, readers, writer, log };
            Ok(Self { db: Database(Inner::Sqlite(Arc::new(sqlite))) })
        } else if url.starts_with("postgres") {
            let pool = sea_orm::Database::connect(postgres_options(url)).await?;
            Ok(Self { db: Database(Inner::Postgres(pool)) })
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
        match &self.db.0 {
            Inner::Postgres(pool) => migrate_postgres(pool).await,
            Inner::Sqlite(sqlite) => migrate_sqlite(&sqlite.options).await,
        }
    }

    /// Names of migrations that this binary has and the database has not.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, ConnectError> {
        let pending = Migrator::get_pending_migrations_read_only(&self.db).await?;
        Ok(pending.iter().map(|m| m.name().to_owned()).collect())
    }

    /// For reads and single statements.
    pub fn db(&self) -> &Database {
        &self.db
    }

    pub fn backend(&self) -> DbBackend {
        self.db.get_database_backend()
    }

    /// Whether other nodes may use this database; a SQLite file has one node.
    pub fn is_shared(&self) -> bool {
        self.backend() == DbBackend::Postgres
    }

    /// Begins a transaction.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        self.db.begin().await
    }

    /// Commits so that a power cut takes nothing back of it, nor of what was committed before. All who commit at the
    /// same time share a flush. After an error of the flush the rows are there, but nobody may count on them.
    pub async fn commit_durable(&self, txn: Transaction) -> Result<(), DbErr> {
        txn.commit().await?;
        match &self.db.0 {
            Inner::Postgres(_) => Ok(()),
            Inner::Sqlite(sqlite) => {
                sqlite.log.flush().await.map_err(|e| DbErr::Exec(RuntimeErr::Internal(e.to_string())))
            }
        }
    }
}

async fn migrate_postgres(pool: &DatabaseConnection) -> Result<(), ConnectError> {
    let mut lock = pool.get_postgres_connection_pool().acquire().await.map_err(not_migrated)?;
    sqlx::query("select pg_advisory_lock($1)")
        .bind(MIGRATION_LOCK)
        .execute(&mut *lock)
        .await
        .map_err(not_migrated)?;
    let migrated = up(pool).await;
    sqlx::query("select pg_advisory_unlock($1)")
        .bind(MIGRATION_LOCK)
        .execute(&mut *lock)
        .await
        .map_err(not_migrated)?;
    Ok(migrated?)
}

/// SeaORM migrates over a pool of its own.
async fn migrate_sqlite(options: &SqliteConnectOptions) -> Result<(), ConnectError> {
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options.clone()).await.map_err(not_migrated)?;
    // The one writer is the lock, and a migration that breaks off leaves nothing behind.
    let txn =
        SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone()).begin_with_options(immediate()).await?;
    up(&txn).await?;
    txn.commit().await?;
    pool.close().await;
    Ok(())
}

fn not_migrated(error: sqlx::Error) -> ConnectError {
    ConnectError::Migration(error.to_string())
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

/// SQLite's transactions begin as writers: a reader that turns writer later fails when another was faster, and no waiting
/// time helps against that.
fn immediate() -> TransactionOptions {
    TransactionOptions {
        isolation_level: None::<IsolationLevel>,
        access_mode: None::<AccessMode>,
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
    }
}

/// Whoever opens a new file first gives it its journal. Others who try so at the same time are turned away by SQLite at
/// once, however long they would wait.
async fn open_first(readers: &Readers) -> Result<(), sqlx::Error> {
    let mut tries = 0;
    loop {
        match readers.open().await {
            Err(error) if is_busy(&error) && tries < BUSY_TRIES => {
                tries += 1;
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            result => return result,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|e| e.code()).is_some_and(|code| code == SQLITE_BUSY)
}

fn sqlite_options(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .create_if_missing(true)
        .statement_cache_capacity(STATEMENTS)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(30))
        .pragma("cache_size", "-16000")
        .pragma("wal_autocheckpoint", LOG_PAGES)
        .disable_statement_logging()
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
