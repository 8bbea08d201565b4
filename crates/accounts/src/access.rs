//! What a user can get in with.

use crate::{challenges, links};
use chrono::{DateTime, Utc};
use platform::{Result, session};
use store::Transaction;
use uuid::Uuid;

/// Ends whatever a user could get in with, without the password: sessions, links by e-mail, sign-ins that are half
/// done. Belongs into the transaction that disables the user or changes their role or password; `except` is the
/// session that goes on. Returns the sessions, to be told to [`session::tell_ended`] after the commit.
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
