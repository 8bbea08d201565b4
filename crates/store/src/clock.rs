//! The only source of the current time, passed as a value so that every expiry and retry can be tested without
//! waiting.

use chrono::{DateTime, Duration, SubsecRound, Utc};
use std::sync::{Arc, Mutex};

/// A clock in UTC with the precision of microseconds (that of PostgreSQL).
#[derive(Clone, Default)]
pub struct Clock(Option<Arc<Mutex<DateTime<Utc>>>>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that stands still until [`Clock::advance`] moves it.
    pub fn manual(start: DateTime<Utc>) -> Self {
        Self(Some(Arc::new(Mutex::new(start.trunc_subsecs(6)))))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine")]
            None => Utc::now().trunc_subsecs(6),
            Some(time) => *time.lock().expect("clock lock"),
        }
    }

    /// Moves a manual clock forward; the machine's clock stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Some(time) = &self.0 {
            *time.lock().expect("clock lock") += by;
        }
    }
}
