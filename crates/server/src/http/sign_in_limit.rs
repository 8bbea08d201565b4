//! Sign-in attempts per address. A password check costs tens of milliseconds of a core, and the lock of an account
//! does not stop somebody who tries one password on many accounts.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use platform::{App, Error, session::source_ip};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

/// Attempts that an address may make at once ...
const BURST: f64 = 60.0;
/// ... and how many it gets back per second.
const PER_SECOND: f64 = 1.0;
/// Addresses remembered; more means that the full ones are forgotten.
const REMEMBERED: usize = 10_000;

const PATH: &str = "/api/account/login";

/// How many attempts each address has left.
#[derive(Default)]
pub struct SignInLimit(Mutex<HashMap<String, Left>>);

struct Left {
    attempts: f64,
    at: DateTime<Utc>,
}

impl Left {
    fn now(&self, now: DateTime<Utc>) -> f64 {
        let seconds = (now - self.at).as_seconds_f64().max(0.0);
        (self.attempts + seconds * PER_SECOND).min(BURST)
    }
}

impl SignInLimit {
    /// Takes one attempt; `false` when there is none left.
    fn take(&self, address: String, now: DateTime<Utc>) -> bool {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if all.len() >= REMEMBERED {
            all.retain(|_, left| left.now(now) < BURST);
        }
        let left = all.entry(address).or_insert(Left { attempts: BURST, at: now });
        let attempts = left.now(now);
        if attempts < 1.0 {
            return false;
        }
        *left = Left { attempts: attempts - 1.0, at: now };
        true
    }
}

pub async fn guard(limit: Arc<SignInLimit>, request: Request, next: Next) -> Response {
    if request.uri().path() == PATH
        && let Some(app) = request.extensions().get::<App>()
        && !limit.take(source_ip(&request), app.clock.now())
    {
        return Error::TooMany("Too many attempts. Please wait a moment and try again.".into())
            .into_response();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Duration;

    #[test]
    fn an_address_gets_its_attempts_back_with_time_and_others_keep_theirs() {
        let limit = SignInLimit::default();
        let now = DateTime::UNIX_EPOCH;
        let tries = |address: &str, now| (0..100).filter(|_| limit.take(address.into(), now)).count();
        assert_eq!(tries("192.0.2.1", now), 60);
        assert_eq!(tries("192.0.2.2", now), 60);
        assert_eq!(tries("192.0.2.1", now + Duration::seconds(5)), 5);
    }
}
