//! PostgreSQL queries that end when their caller no longer waits.
//!
//! The driver would let such a query run on and keep its connection until then. Here the connection is closed instead,
//! which the server notices while it works, because [`CHECK_EVERY`] asks it to look.

use crate::{sqlite::driver_error, turns};
use admission::{Place, Pool, Room};
use sea_orm::{ConnAcquireErr, DatabaseConnection, DbErr, QueryResult, Statement, Values};
use sea_query_sqlx::SqlxValues;
use sqlx::{AssertSqlSafe, PgConnection, pool::PoolConnection, query::Query};
use std::sync::Arc;

/// Interval at which the server checks the connection of a running query (PostgreSQL 14).
pub const CHECK_EVERY: (&str, &str) = ("client_connection_check_interval", "1s");

/// Time after which the server ends a transaction that does nothing; none of ours waits for anything that long.
pub const IDLE_END: (&str, &str) = ("idle_in_transaction_session_timeout", "5min");

/// Connections of a node.
pub const CONNECTIONS: u32 = 16;

/// One party leaves a quarter of the connections to others. There is no refusal, only a timeout.
const ROOM: Room = Room {
    total: CONNECTIONS as u64,
    per_party: CONNECTIONS as u64 * 3 / 4,
    waiting_per_party: usize::MAX,
    waiting: usize::MAX,
};

/// The connections of a node, used by parties in turns.
#[derive(Clone)]
pub struct Postgres {
    pub pool: DatabaseConnection,
    pub turns: Arc<Pool>,
}

impl Postgres {
    pub fn new(pool: DatabaseConnection) -> Self {
        Self { pool, turns: Pool::new("Connections to the database", ROOM) }
    }

    /// A turn with one of the connections.
    pub async fn turn(&self) -> Result<Place, DbErr> {
        turns::turn(&self.turns).await
    }

    /// All rows of a query.
    pub async fn all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let mut running = Running::begin(self).await?;
        let rows = query(statement).fetch_all(running.connection()?).await;
        running.has_ended = true;
        Ok(rows.map_err(not_answered)?.into_iter().map(Into::into).collect())
    }

    /// The first row of a query.
    pub async fn one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let mut running = Running::begin(self).await?;
        let row = query(statement).fetch_optional(running.connection()?).await;
        running.has_ended = true;
        Ok(row.map_err(not_answered)?.map(Into::into))
    }
}

fn query(statement: Statement) -> Query<'static, sqlx::Postgres, SqlxValues> {
    let values = statement.values.unwrap_or(Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(statement.sql), SqlxValues(values))
}

fn not_answered(error: sqlx::Error) -> DbErr {
    DbErr::Query(driver_error(error))
}

fn not_acquired(error: sqlx::Error) -> DbErr {
    match error {
        sqlx::Error::PoolTimedOut => DbErr::ConnectionAcquire(ConnAcquireErr::Timeout),
        sqlx::Error::PoolClosed => DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed),
        other => DbErr::Conn(driver_error(other)),
    }
}

/// A connection with a query, closed when dropped before the query has ended.
struct Running {
    connection: Option<PoolConnection<sqlx::Postgres>>,
    _turn: Place,
    has_ended: bool,
}

impl Running {
    async fn begin(postgres: &Postgres) -> Result<Self, DbErr> {
        let turn = postgres.turn().await?;
        let pool = postgres.pool.get_postgres_connection_pool();
        let connection = pool.acquire().await.map_err(not_acquired)?;
        Ok(Self { connection: Some(connection), _turn: turn, has_ended: false })
    }

    fn connection(&mut self) -> Result<&mut PgConnection, DbErr> {
        let connection = self.connection.as_deref_mut();
        connection.ok_or(DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended
            && let Some(connection) = self.connection.take()
        {
            drop(connection.detach());
        }
    }
}
