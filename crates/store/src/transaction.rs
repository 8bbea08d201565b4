//! Transactions of either database.

use crate::{database::one_after_the_other, writer::Writing};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, EntityTrait, ExecResult,
    QueryResult, QueryTrait, Statement, TryIntoModel,
};
use tokio::sync::Mutex;

/// A transaction. What is not committed is taken back.
pub struct Transaction {
    inner: Inner,
}

enum Inner {
    Postgres(DatabaseTransaction),
    Sqlite(Mutex<Writing>),
}

impl From<DatabaseTransaction> for Transaction {
    fn from(inner: DatabaseTransaction) -> Self {
        Self { inner: Inner::Postgres(inner) }
    }
}

impl From<Writing> for Transaction {
    fn from(writing: Writing) -> Self {
        Self { inner: Inner::Sqlite(Mutex::new(writing)) }
    }
}

impl Transaction {
    /// Writes what nobody looks at before the next statement. On SQLite it goes with that one, or with the commit, and is
    /// told of there should it fail.
    pub async fn later(&self, write: impl QueryTrait) -> Result<(), DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.execute(write.as_query()).await.map(|_| ()),
            Inner::Sqlite(writing) => writing.lock().await.later(write.build(DbBackend::Sqlite)),
        }
    }

    /// Writes a row that this transaction has locked, as [`Transaction::later`]. Tells how it stands then.
    pub async fn update_later<A>(&self, change: A) -> Result<<A::Entity as EntityTrait>::Model, DbErr>
    where
        A: ActiveModelTrait + TryIntoModel<<A::Entity as EntityTrait>::Model>,
    {
        let changed = change.clone().try_into_model()?;
        self.later(A::Entity::update(change).validate()?).await?;
        Ok(changed)
    }

    /// The rows of several selections, asked for together as by [`crate::Database::query_each`].
    pub async fn query_each<const N: usize>(
        &self,
        statements: [Statement; N],
    ) -> Result<[Vec<QueryResult>; N], DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => one_after_the_other(txn, statements).await,
            Inner::Sqlite(writing) => {
                Ok(writing.lock().await.ask_each(statements).await?.map(|answer| answer.rows))
            }
        }
    }

    /// A change and two selections after it, together: how many rows were changed, and the rows that were selected.
    pub async fn change_and_query_both(
        &self,
        change: Statement,
        selections: [Statement; 2],
    ) -> Result<(u64, [Vec<QueryResult>; 2]), DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => {
                let changed = txn.execute_raw(change).await?.rows_affected();
                Ok((changed, one_after_the_other(txn, selections).await?))
            }
            Inner::Sqlite(writing) => {
                let [first, second] = selections;
                let [change, first, second] = writing.lock().await.ask_each([change, first, second]).await?;
                Ok((change.rows_affected(), [first.rows, second.rows]))
            }
        }
    }

    /// The rows of a last statement, which travels with the end.
    pub async fn query_and_commit(self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self.inner {
            Inner::Postgres(txn) => {
                let rows = txn.query_all_raw(statement).await?;
                txn.commit().await?;
                Ok(rows)
            }
            Inner::Sqlite(writing) => Ok(writing.into_inner().ask_and_commit(statement).await?.rows),
        }
    }

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
            Inner::Sqlite(writing) => Ok(writing.lock().await.ask(statement).await?.into()),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.execute_unprepared(sql).await,
            Inner::Sqlite(writing) => {
                let statement = Statement::from_string(DbBackend::Sqlite, sql);
                Ok(writing.lock().await.ask(statement).await?.into())
            }
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.query_one_raw(statement).await,
            Inner::Sqlite(writing) => Ok(writing.lock().await.ask(statement).await?.rows.into_iter().next()),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &self.inner {
            Inner::Postgres(txn) => txn.query_all_raw(statement).await,
            Inner::Sqlite(writing) => Ok(writing.lock().await.ask(statement).await?.rows),
        }
    }
}
