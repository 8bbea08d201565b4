//! Waiting for a connection: parties take turns.

use admission::{Party, Place, Pool};
use sea_orm::{ConnAcquireErr, DbErr};
use std::{sync::Arc, time::Duration};

/// Maximum time to wait for a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for a place for this task's party.
pub async fn turn(pool: &Arc<Pool>) -> Result<Place, DbErr> {
    match tokio::time::timeout(PATIENCE, pool.enter(Party::current(), 1)).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)),
    }
}
