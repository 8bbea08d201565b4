//! Reads and single statements on either database.

use crate::{Transaction, flush::Flusher, postgres::Postgres, reader::Readers, writer::Writer};
use admission::PoolState;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, Statement,
    TransactionTrait,
};
use sqlx::sqlite::SqliteConnectOptions;
use std::sync::Arc;

/// For reads and single statements. Cloning shares the connections.
#[derive(Clone)]
pub struct Database(pub(crate) Inner);

#[derive(Clone)]
pub(crate) enum Inner {
    Postgres(Postgres),
    Sqlite(Arc<Sqlite>),
}

/// An open file.
pub(crate) struct Sqlite {
    pub options: SqliteConnectOptions,
    pub readers: Readers,
    pub writer: Writer,
    /// Its write-ahead log; PostgreSQL flushes its own before it answers a commit.
    pub log: Flusher,
}

impl Database {
    pub(crate) async fn begin(&self) -> Result<Transaction, DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => {
                let turn = postgres.turn().await?;
                Ok(Transaction::on_postgres(postgres.pool.begin().await?, turn))
            }
            Inner::Sqlite(sqlite) => Ok(Transaction::on_sqlite(sqlite.writer.begin().await?)),
        }
    }

    /// Users of the connections, and those who wait for one.
    pub fn pools(&self) -> Vec<PoolState> {
        match &self.0 {
            Inner::Postgres(postgres) => vec![postgres.turns.report()],
            Inner::Sqlite(sqlite) => vec![sqlite.readers.pool().report(), sqlite.writer.pool().report()],
        }
    }

    /// PostgreSQL's pool, if that is the database.
    pub fn as_postgres(&self) -> Option<&DatabaseConnection> {
        match &self.0 {
            Inner::Postgres(postgres) => Some(&postgres.pool),
            Inner::Sqlite(_) => None,
        }
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Database {
    fn get_database_backend(&self) -> DbBackend {
        match self.0 {
            Inner::Postgres(_) => DbBackend::Postgres,
            Inner::Sqlite(_) => DbBackend::Sqlite,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => {
                let _turn = postgres.turn().await?;
                postgres.pool.execute_raw(statement).await
            }
            Inner::Sqlite(sqlite) => sqlite.writer.once(statement).await.map(Into::into),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => {
                let _turn = postgres.turn().await?;
                postgres.pool.execute_unprepared(sql).await
            }
            Inner::Sqlite(sqlite) => {
                sqlite.writer.once(Statement::from_string(DbBackend::Sqlite, sql)).await.map(Into::into)
            }
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => postgres.one(statement).await,
            Inner::Sqlite(_) => Ok(self.query_all_raw(statement).await?.into_iter().next()),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => postgres.all(statement).await,
            Inner::Sqlite(sqlite) if writes(&statement) => Ok(sqlite.writer.once(statement).await?.rows),
            Inner::Sqlite(sqlite) => {
                let [answer] = sqlite.readers.run_each([statement]).await?;
                Ok(answer.rows)
            }
        }
    }
}

/// Whether a statement that returns rows also writes: then it has to wait for the writer.
fn writes(statement: &Statement) -> bool {
    ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| statement.sql.starts_with(verb))
}
