//! Opening of either database; the scheme of the URL selects it.

use crate::{
    Database,
    database::{Inner, Sqlite},
    migrations::Migrator,
    postgres::{CHECK_EVERY, CONNECTIONS, IDLE_END, Postgres},
    reader::Readers,
    sqlite::driver_error,
    statistics,
    transaction::Transaction,
    writer::{self, Writer},
};
use sea_orm::{
    AccessMode, ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, IsolationLevel,
    RuntimeErr, SqliteTransactionMode, SqlxSqliteConnector, Statement, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::{IntoSchemaManagerConnection, MigratorTrait};
use sqlx::{
    ConnectOptions as _, Connection as _,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{sync::Arc, time::Duration};

/// Id of the advisory lock for migrations; an arbitrary number.
const MIGRATION_LOCK: i64 = 0x0ca2_e905;

/// Idle time after which a connection is tested before use.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(5);
/// Prepared statements cached per connection: more than the product uses in a day.
const STATEMENT_CACHE: usize = 250;

/// Pages in SQLite's write-ahead log (about 32 MB) before a checkpoint. Most pages are written repeatedly, so a
/// longer log means fewer copies and flushes.
const WAL_CHECKPOINT_PAGES: &str = "8000";

const SQLITE_BUSY: &str = "5";
const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("the database address must start with sqlite: or postgres:")]
    UnknownScheme,
    #[error("the database cannot be opened: {0}")]
    Database(#[from] DbErr),
    /// PostgreSQL gave no answer, or refused the connection.
    #[error("the database at {place} cannot be reached: {why}")]
    Unreachable { place: String, why: String },
    #[error("the database schema cannot be brought up to date: {0}")]
    Migration(String),
    #[error(
        "a newer version of Carepost has changed the database (by {0}), so it needs that version, or a later one"
    )]
    Newer(String),
}

/// An open database.
///
/// SQLite gets a pool of read connections and one write connection: queueing writers here is several times as fast as
/// SQLite's busy handler, and the writer's page cache stays valid. A commit survives the death of the process;
/// [`Store::commit_durable`] also survives a power cut.
#[derive(Clone)]
pub struct Store {
    db: Database,
}

impl Store {
    /// Opens the database without touching its schema.
    pub async fn open(url: &str) -> Result<Self, ConnectError> {
        if url.starts_with("sqlite:") {
            let options = sqlite_options(url.parse().map_err(|e| DbErr::Conn(driver_error(e)))?);
            let (readers, writer) = (Readers::new(options.clone()), Writer::new(options.clone()));
            open_first(&readers).await.map_err(|e| DbErr::Conn(driver_error(e)))?;
            let log = writer::log(options.get_filename());
            let sqlite = Sqlite { options, readers, writer, log };
            Ok(Self { db: Database(Inner::Sqlite(Arc::new(sqlite))) })
        } else if url.starts_with("postgres") {
            reach(url).await?;
            let pool = sea_orm::Database::connect(postgres_options(url)).await?;
            Ok(Self { db: Database(Inner::Postgres(Postgres::new(pool))) })
        } else {
            Err(ConnectError::UnknownScheme)
        }
    }

    /// Opens the database and migrates it. Nodes that start at the same time wait for each other.
    pub async fn open_and_migrate(url: &str) -> Result<Self, ConnectError> {
        let store = Self::open(url).await?;
        // A role that does not own the tables may only read the list of migrations.
        if !store.pending_migrations().await.is_ok_and(|pending| pending.is_empty()) {
            store.migrate().await?;
        }
        Ok(store)
    }

    /// Applies pending migrations under a lock.
    pub async fn migrate(&self) -> Result<(), ConnectError> {
        self.refuse_newer().await?;
        match &self.db.0 {
            Inner::Postgres(postgres) => migrate_postgres(&postgres.pool).await,
            Inner::Sqlite(sqlite) => migrate_sqlite(&sqlite.options).await,
        }
    }

    /// Names of the migrations that this binary would apply.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, ConnectError> {
        self.refuse_newer().await?;
        let pending = Migrator::get_pending_migrations_read_only(&self.db).await?;
        Ok(pending.iter().map(|m| m.name().to_owned()).collect())
    }

    /// Refuses a database with migrations that this binary does not know.
    async fn refuse_newer(&self) -> Result<(), ConnectError> {
        // Before the first migration there is no table of them.
        let applied = Migrator::applied_names(&self.db).await.unwrap_or_default();
        let known: Vec<_> = Migrator::migrations().iter().map(|m| m.name().to_owned()).collect();
        match applied.into_iter().find(|name| !known.contains(name)) {
            Some(name) => Err(ConnectError::Newer(name)),
            None => Ok(()),
        }
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

    /// Rights of this connection's role on the tables; none for a SQLite file.
    pub async fn database_role(&self) -> Result<Option<DatabaseRole>, DbErr> {
        if !self.is_shared() {
            return Ok(None);
        }
        let asked = Statement::from_string(DbBackend::Postgres, WHAT_MAY_THE_ROLE_DO);
        let row = self.db.query_one_raw(asked).await?.ok_or_else(|| DbErr::RecordNotFound("role".into()))?;
        let (is_superuser, is_owner) = (row.try_get("", "is_superuser")?, row.try_get("", "is_owner")?);
        Ok(Some(match (is_superuser, is_owner) {
            (true, _) => DatabaseRole::Superuser,
            (false, true) => DatabaseRole::Owner,
            (false, false) => DatabaseRole::User,
        }))
    }

    /// Begins a transaction.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        self.db.begin().await
    }

    /// Commits so that this transaction, and every one before it, survives a power cut. Concurrent commits share a
    /// flush. If the flush fails the rows are visible, but must not be relied on.
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

/// SeaORM migrates through a separate pool.
async fn migrate_sqlite(options: &SqliteConnectOptions) -> Result<(), ConnectError> {
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options.clone()).await.map_err(not_migrated)?;
    // The single writer is the lock, and a failed migration leaves nothing behind.
    let txn =
        SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone()).begin_with_options(immediate()).await?;
    up(&txn).await?;
    statistics::write(&txn).await?;
    txn.commit().await?;
    pool.close().await;
    Ok(())
}

fn not_migrated(error: sqlx::Error) -> ConnectError {
    ConnectError::Migration(error.to_string())
}

/// Applies pending migrations and logs their number.
async fn up<'c, C>(db: &'c C) -> Result<(), DbErr>
where
    C: ConnectionTrait,
    &'c C: IntoSchemaManagerConnection<'c>,
{
    let missing = Migrator::get_pending_migrations_read_only(db).await?.len();
    if missing > 0 {
        tracing::info!(missing, "migrating the database");
    }
    Migrator::up(db, None).await
}

/// SQLite transactions begin as writers: a reader that becomes a writer fails if another one was faster, whatever the
/// busy timeout.
fn immediate() -> TransactionOptions {
    TransactionOptions {
        isolation_level: None::<IsolationLevel>,
        access_mode: None::<AccessMode>,
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
    }
}

/// The first to open a new file sets its journal mode. SQLite refuses others who try at the same time at once,
/// whatever the busy timeout.
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
        .statement_cache_capacity(STATEMENT_CACHE)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(30))
        .pragma("cache_size", "-16000")
        .pragma("wal_autocheckpoint", WAL_CHECKPOINT_PAGES)
        .disable_statement_logging()
}

/// Rights of a PostgreSQL role on the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseRole {
    /// All rights in the whole server.
    Superuser,
    /// Can change the tables and remove their protection.
    Owner,
    /// Can use their rows.
    User,
}

const WHAT_MAY_THE_ROLE_DO: &str = "select r.rolsuper as is_superuser, \
    exists(select 1 from pg_class c where c.oid = 'audit_entry'::regclass and pg_has_role(c.relowner, 'member')) as is_owner \
    from pg_roles r where r.rolname = current_user";

/// Time for the first connection to PostgreSQL.
const FIRST_CONNECTION: Duration = Duration::from_secs(4);

/// Connects once, so that an unreachable database is reported at once and in one sentence, which a pool does not do.
async fn reach(url: &str) -> Result<(), ConnectError> {
    let options: PgConnectOptions = url.parse().map_err(|e| DbErr::Conn(driver_error(e)))?;
    let place = format!("{}:{}", options.get_host(), options.get_port());
    let why = match tokio::time::timeout(FIRST_CONNECTION, options.connect()).await {
        Ok(Ok(connection)) => {
            return connection.close().await.map_err(|e| DbErr::Conn(driver_error(e)).into());
        }
        Ok(Err(sqlx::Error::Database(error))) => error.message().to_owned(),
        Ok(Err(sqlx::Error::Io(error))) => error.to_string(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".into(),
    };
    Err(ConnectError::Unreachable { place, why })
}

fn postgres_options(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .sqlx_logging(false)
        .max_connections(CONNECTIONS)
        .min_connections(2)
        .connect_timeout(Duration::from_secs(10))
        .acquire_timeout(Duration::from_secs(30))
        // Testing a connection that was just used would cost a round trip per statement.
        .test_before_acquire_if_idle_for(TEST_AFTER_IDLE)
        // JIT compilation takes PostgreSQL longer than any of our statements. A transaction of a stuck node would
        // hold its locks forever.
        .map_sqlx_postgres_opts(|o| {
            o.statement_cache_capacity(STATEMENT_CACHE).options([("jit", "off"), CHECK_EVERY, IDLE_END])
        });
    options
}
