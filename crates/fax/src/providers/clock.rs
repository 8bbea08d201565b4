//! The machine's clock and the time in keys. Other servers do not follow the clock of a test, so their lists are compared
//! with this one.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Now.
pub(super) fn now() -> DateTime<Utc> {
    made(Uuid::now_v7()).unwrap_or_default()
}

/// When a key was created; None unless it is a UUID with a timestamp.
pub(super) fn made(key: Uuid) -> Option<DateTime<Utc>> {
    let (seconds, _) = key.get_timestamp()?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)
}
