//! Transactions of either database.

use crate::writer::WriteTransaction;
use admission::Place;
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement};
use tokio::sync::Mutex;

/// A transaction, rolled back unless it is committed.
pub struct Transaction {
    pub(crate) inner: Inner,
    /// The turn with a PostgreSQL connection; on SQLite it belongs to the writer.
    _turn: Option<Place>,
}

pub(crate) enum Inner {
    Postgres(DatabaseTransaction),
    Sqlite(Mutex<WriteTransaction>),
}

impl Transaction {
    pub(crate) fn on_postgres(txn: DatabaseTransaction, turn: Place) -> Self {
        Self { inner: Inner::Postgres(txn), _turn: Some(turn) }
    }

    pub(crate) fn on_sqlite(writing: WriteTransaction) -> Self {
        Self { inner: Inner::Sqlite(Mutex::new(writing)), _turn: None }
    }

    /// Commits. On SQLite it survives the death of the process; [`crate::Store::commit_durable`] survives a power cut.
    pub async fn commit(self) -> Result<(), DbErr> {
        match self.inner {
            Inner::Postgres(txn) => txn.commit().await,
            Inner::Sqlite(writing) => writing.into_inner().commit().await,
        }
    }

    pub async fn rollback(self) -> Result<(), DbErr> {
        match self.inner {
            Inner::Postgres(txn) => txn.rollback().await,
            Inner::Sqlite(writing) => {
                writing.into_inner().roll_back().await;
                Ok(())
            }
        }
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        match self.inner {
            Inner::Postgres(_) => DbBackend::Postgres,
            Inner::Sqlite(_) => DbBackend::Sqlite,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.execute_raw(statement).await,
            Inner::Sqlite(writing) => Ok(writing.lock().await.run(statement).await?.into()),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.execute_unprepared(sql).await,
            Inner::Sqlite(writing) => {
                let statement = Statement::from_string(DbBackend::Sqlite, sql);
                Ok(writing.lock().await.run(statement).await?.into())
            }
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.query_one_raw(statement).await,
            Inner::Sqlite(writing) => Ok(writing.lock().await.run(statement).await?.rows.into_iter().next()),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.query_all_raw(statement).await,
            Inner::Sqlite(writing) => Ok(writing.lock().await.run(statement).await?.rows),
        }
    }
}
