//! Batches of statements for SQLite's driver (ADR 12), for the path of every message.
//!
//! Everything else uses plain SeaORM, so that an error appears at its statement on both databases. These methods are
//! traits so that code has to import them.

use crate::{Database, Transaction, database::Inner, transaction::Inner as TransactionInner};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryResult, QueryTrait,
    Statement, TryIntoModel,
    sea_query::{CommonTableExpression, InsertStatement, UpdateStatement},
};

/// Several selections at once.
pub trait BatchedReads {
    /// The rows of each selection. SQLite's driver gets all statements at once; PostgreSQL one after the other.
    fn query_each<const N: usize>(
        &self,
        statements: [Statement; N],
    ) -> impl Future<Output = Result<[Vec<QueryResult>; N], DbErr>> + Send;
}

impl BatchedReads for Database {
    async fn query_each<const N: usize>(
        &self,
        statements: [Statement; N],
    ) -> Result<[Vec<QueryResult>; N], DbErr> {
        match &self.0 {
            Inner::Postgres(postgres) => {
                let _turn = postgres.turn().await?;
                one_after_the_other(&postgres.pool, statements).await
            }
            Inner::Sqlite(sqlite) => Ok(sqlite.readers.run_each(statements).await?.map(|answer| answer.rows)),
        }
    }
}

impl BatchedReads for Transaction {
    async fn query_each<const N: usize>(
        &self,
        statements: [Statement; N],
    ) -> Result<[Vec<QueryResult>; N], DbErr> {
        match &self.inner {
            TransactionInner::Postgres(txn) => one_after_the_other(txn, statements).await,
            TransactionInner::Sqlite(writing) => {
                Ok(writing.lock().await.run_each(statements).await?.map(|answer| answer.rows))
            }
        }
    }
}

/// Writes that share a batch with the next statement, or with the commit.
pub trait BatchedWrites: Sized {
    /// Writes with the next statement or the commit, where its error shows. PostgreSQL runs it at once.
    fn later(&self, write: impl QueryTrait) -> impl Future<Output = Result<(), DbErr>> + Send;

    /// Updates a row that this transaction has locked, as [`BatchedWrites::later`]. Returns the row as updated.
    fn update_later<A>(
        &self,
        change: A,
    ) -> impl Future<Output = Result<<A::Entity as EntityTrait>::Model, DbErr>> + Send
    where
        A: ActiveModelTrait + TryIntoModel<<A::Entity as EntityTrait>::Model> + Send,
        <A::Entity as EntityTrait>::Model: Send;

    /// Combines a change with a new row, to be run next. PostgreSQL gets both as one statement, SQLite's driver in
    /// one batch.
    fn taking_along(
        &self,
        change: UpdateStatement,
        row: InsertStatement,
    ) -> impl Future<Output = Result<Statement, DbErr>> + Send;

    /// Runs a change and two selections after it. Returns the number of changed rows, and the selected rows.
    fn change_and_query_both(
        &self,
        change: Statement,
        selections: [Statement; 2],
    ) -> impl Future<Output = Result<(u64, [Vec<QueryResult>; 2]), DbErr>> + Send;

    /// Runs a last statement and commits. Returns its rows.
    fn query_and_commit(
        self,
        statement: Statement,
    ) -> impl Future<Output = Result<Vec<QueryResult>, DbErr>> + Send;
}

impl BatchedWrites for Transaction {
    fn later(&self, write: impl QueryTrait) -> impl Future<Output = Result<(), DbErr>> + Send {
        self.run_later(write.build(self.get_database_backend()))
    }

    fn update_later<A>(
        &self,
        change: A,
    ) -> impl Future<Output = Result<<A::Entity as EntityTrait>::Model, DbErr>> + Send
    where
        A: ActiveModelTrait + TryIntoModel<<A::Entity as EntityTrait>::Model> + Send,
        <A::Entity as EntityTrait>::Model: Send,
    {
        let backend = self.get_database_backend();
        let changed = change.clone().try_into_model();
        let statement = A::Entity::update(change).validate().map(|update| update.build(backend));
        async move {
            let changed = changed?;
            self.run_later(statement?).await?;
            Ok(changed)
        }
    }

    async fn taking_along(
        &self,
        mut change: UpdateStatement,
        row: InsertStatement,
    ) -> Result<Statement, DbErr> {
        let backend = self.get_database_backend();
        if let TransactionInner::Sqlite(writing) = &self.inner {
            writing.lock().await.later(backend.build(&row))?;
        } else {
            change.with_cte(CommonTableExpression::new().query(row).table_name("row_taken_along").to_owned());
        }
        Ok(backend.build(&change))
    }

    async fn change_and_query_both(
        &self,
        change: Statement,
        selections: [Statement; 2],
    ) -> Result<(u64, [Vec<QueryResult>; 2]), DbErr> {
        match &self.inner {
            TransactionInner::Postgres(txn) => {
                let changed = txn.execute_raw(change).await?.rows_affected();
                Ok((changed, one_after_the_other(txn, selections).await?))
            }
            TransactionInner::Sqlite(writing) => {
                let [first, second] = selections;
                let [change, first, second] = writing.lock().await.run_each([change, first, second]).await?;
                Ok((change.rows_affected(), [first.rows, second.rows]))
            }
        }
    }

    async fn query_and_commit(self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self.inner {
            TransactionInner::Postgres(txn) => {
                let rows = txn.query_all_raw(statement).await?;
                txn.commit().await?;
                Ok(rows)
            }
            TransactionInner::Sqlite(writing) => {
                Ok(writing.into_inner().run_and_commit(statement).await?.rows)
            }
        }
    }
}

impl Transaction {
    async fn run_later(&self, statement: Statement) -> Result<(), DbErr> {
        match &self.inner {
            TransactionInner::Postgres(txn) => txn.execute_raw(statement).await.map(|_| ()),
            TransactionInner::Sqlite(writing) => writing.lock().await.later(statement),
        }
    }
}

async fn one_after_the_other<const N: usize>(
    db: &impl ConnectionTrait,
    statements: [Statement; N],
) -> Result<[Vec<QueryResult>; N], DbErr> {
    let mut rows = [const { Vec::new() }; N];
    for (statement, rows) in statements.into_iter().zip(&mut rows) {
        *rows = db.query_all_raw(statement).await?;
    }
    Ok(rows)
}

/// Rows as models of an entity.
pub fn models<E: EntityTrait>(rows: &[QueryResult]) -> Result<Vec<E::Model>, DbErr> {
    rows.iter().map(|row| E::Model::from_query_result(row, "")).collect()
}
