//! Limits of sign-in attempts per address, or per network of an IPv6 address. A password check costs tens of
//! milliseconds of CPU, and account locks do not stop somebody who tries one password on many accounts.

use admission::{Buckets, Network, Rate};
use axum::{
    extract::Request,
    http::Method,
    middleware::Next,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use platform::{App, Error, session::source_ip};
use std::{net::IpAddr, sync::Arc};

/// Rate limit of an address: a burst, and a number per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Paths that check a password, a code, a passkey or a link, or call an organization's sign-in provider; paths that
    /// EHRs call without a sign-in.
    Attempt,
    /// Paths that send e-mail without a sign-in.
    Mail,
}

impl Kind {
    fn of(method: &Method, path: &str) -> Option<Self> {
        if method == Method::GET && path.starts_with("/integrations/") {
            return Some(Self::Attempt);
        }
        if method != Method::POST {
            return None;
        }
        match path {
            "/api/account/password/forgot" | "/api/account/register" => Some(Self::Mail),
            "/api/account/register/subdomain" => Some(Self::Attempt),
            // These reveal whether a user name exists.
            "/api/account/register/confirm" | "/api/users/find" => Some(Self::Attempt),
            "/api/account/register/link" => Some(Self::Attempt),
            "/api/account/password/link" | "/api/account/password/set" => Some(Self::Attempt),
            "/api/account/sso" | "/api/account/sso/callback" => Some(Self::Attempt),
            _ if path == LOGIN || path.strip_prefix(LOGIN).is_some_and(|rest| rest.starts_with('/')) => {
                Some(Self::Attempt)
            }
            _ => None,
        }
    }

    fn rate(self) -> Rate {
        match self {
            Self::Attempt => Rate { burst: 60.0, per_second: 1.0 },
            Self::Mail => Rate { burst: 10.0, per_second: 1.0 / 60.0 },
        }
    }
}

const LOGIN: &str = "/api/account/login";

/// Remaining attempts of each address.
pub struct SignInLimit {
    attempts: Buckets<Option<IpAddr>>,
    mails: Buckets<Option<IpAddr>>,
}

impl Default for SignInLimit {
    fn default() -> Self {
        Self { attempts: Buckets::new(Kind::Attempt.rate()), mails: Buckets::new(Kind::Mail.rate()) }
    }
}

impl SignInLimit {
    /// Uses one attempt; `false` if none is left.
    fn take(&self, kind: Kind, address: &str, now: DateTime<Utc>) -> bool {
        let buckets = match kind {
            Kind::Attempt => &self.attempts,
            Kind::Mail => &self.mails,
        };
        let customer = address.parse().ok().map(Network::of_customer);
        buckets.take(customer, 1.0, now.timestamp_micros() as f64 / 1e6)
    }
}

pub async fn guard(limit: Arc<SignInLimit>, request: Request, next: Next) -> Response {
    if let Some(kind) = Kind::of(request.method(), request.uri().path())
        && let Some(app) = request.extensions().get::<App>()
        && !limit.take(kind, &source_ip(&request), app.clock.now())
    {
        tracing::warn!(path = request.uri().path(), "too many sign-in attempts from an address");
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
        let tries = |address: &str, now| (0..100).filter(|_| limit.take(Kind::Attempt, address, now)).count();
        assert_eq!(tries("192.0.2.1", now), 60);
        assert_eq!(tries("192.0.2.2", now), 60);
        assert_eq!(tries("192.0.2.1", now + Duration::seconds(5)), 5);
    }

    #[test]
    fn what_sends_e_mails_has_a_stricter_limit_of_its_own() {
        let limit = SignInLimit::default();
        let now = DateTime::UNIX_EPOCH;
        let mails = |now| (0..100).filter(|_| limit.take(Kind::Mail, "192.0.2.1", now)).count();
        assert_eq!(mails(now), 10);
        assert!(limit.take(Kind::Attempt, "192.0.2.1", now));
        assert_eq!(mails(now + Duration::minutes(2)), 2);
    }

    #[test]
    fn every_call_that_guesses_is_limited() {
        let kind = |path| Kind::of(&Method::POST, path);
        for path in ["/api/account/login", "/api/account/login/code", "/api/account/password/set"] {
            assert_eq!(kind(path), Some(Kind::Attempt), "{path}");
        }
        for path in ["/api/account/sso", "/api/account/sso/callback"] {
            assert_eq!(kind(path), Some(Kind::Attempt), "{path}");
        }
        assert_eq!(kind("/api/account/password/forgot"), Some(Kind::Mail));
        assert_eq!(kind("/api/account/loginhistory"), None);
        assert_eq!(kind("/api/account/logout"), None);
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_counted_together() {
        let limit = SignInLimit::default();
        let now = DateTime::UNIX_EPOCH;
        let tries = |address: &str| (0..100).filter(|_| limit.take(Kind::Attempt, address, now)).count();
        assert_eq!(tries("2001:db8:1:2::7"), 60);
        assert_eq!(tries("2001:db8:1:2:ffff::9"), 0);
        assert_eq!(tries("2001:db8:1:3::7"), 60);
        assert_eq!(tries("192.0.2.1"), 60);
        assert_eq!(tries("::ffff:192.0.2.1"), 0);
        assert_eq!((tries("192.0.2.2"), tries("")), (60, 60));
    }
}
