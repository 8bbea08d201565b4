//! Ending a user's access.

use crate::{challenges, links};
use chrono::{DateTime, Utc};
use platform::{Result, session};
use store::Transaction;
use uuid::Uuid;

/// Ends a user's sessions, e-mailed links and pending sign-ins, but keeps the password. Call it in the transaction
/// that disables the user or changes their role or password; `except` is a session that continues. Returns the
/// sessions for [`session::tell_ended`] after the commit.
pub async fn end_access(
    txn: &Transaction,
    now: DateTime<Utc>,
    user_id: Uuid,
    except: Option<Uuid>,
    reason: &str,
) -> Result<Vec<Uuid>> {
    links::end_all(txn, now, user_id).await?;
    challenges::end_all(txn, user_id).await?;
    session::end_all(txn, now, user_id, except, reason).await
}
