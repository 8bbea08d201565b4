//! The time of the machine's clock, as keys carry it: what other servers list is not subject to the clock of a test.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Now.
pub(super) fn now() -> DateTime<Utc> {
    made(Uuid::now_v7()).unwrap_or_default()
}

/// When a key was made; None where it is not of the kind that tells.
pub(super) fn made(key: Uuid) -> Option<DateTime<Utc>> {
    let (seconds, _) = key.get_timestamp()?.to_unix();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)
}
