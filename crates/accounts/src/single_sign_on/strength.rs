//! Strength of a sign-in at a provider, without a database: the claims of its token (OpenID Connect Core 1.0, section
//! 2), and the values of `amr` (RFC 8176).

use chrono::{DateTime, Duration, Utc};
use store::entities::sso_connection;

/// A token's claims about the sign-in at the provider.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub acr: Option<String>,
    pub amr: Vec<String>,
    pub auth_time: Option<DateTime<Utc>>,
    /// Time at which the provider issued the token, by the same clock as `auth_time`.
    pub issued_at: DateTime<Utc>,
}

/// Tolerance, since a provider's machines may have different clocks.
const GRACE: Duration = Duration::seconds(60);

/// Methods of knowledge.
const KNOWN: [&str; 3] = ["kba", "pin", "pwd"];
/// Methods of possession.
const HELD: [&str; 7] = ["hwk", "otp", "pop", "sc", "sms", "swk", "tel"];
/// Methods of inherence (biometry).
const INBORN: [&str; 5] = ["face", "fpt", "iris", "retina", "vbm"];

/// The values of `acr` that a connection requests.
pub fn asked_of(connection: &sso_connection::Model) -> impl Iterator<Item = &str> {
    connection.acr_values.split_ascii_whitespace()
}

/// Maximum age of a connection's sign-ins at the provider.
pub fn max_age(connection: &sso_connection::Model) -> Option<Duration> {
    connection.max_age_minutes.map(|minutes| Duration::minutes(minutes.into()))
}

impl Evidence {
    /// Whether the sign-in used several factors: the provider reports `mfa`, methods of two kinds, or a value of
    /// `acr` from the connection.
    pub fn is_strong(&self, connection: &sso_connection::Model) -> bool {
        let has = |kind: &[&str]| self.amr.iter().any(|method| kind.contains(&method.as_str()));
        let kinds = [KNOWN.as_slice(), &HELD, &INBORN].into_iter().filter(|kind| has(kind)).count();
        let is_named = self.acr.as_deref().is_some_and(|acr| asked_of(connection).any(|named| named == acr));
        has(&["mfa"]) || kinds > 1 || is_named
    }

    /// Whether the sign-in is recent enough for the connection. If the provider was asked for the time, it has to
    /// report it.
    pub fn is_recent(&self, connection: &sso_connection::Model) -> bool {
        max_age(connection)
            .is_none_or(|most| self.auth_time.is_some_and(|at| self.issued_at - at <= most + GRACE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn connection(acr_values: &str, max_age_minutes: Option<i32>) -> sso_connection::Model {
        sso_connection::Model {
            id: Uuid::nil(),
            organization_id: Uuid::nil(),
            name: "alder".into(),
            issuer: "https://login.alder.example".into(),
            client_id: "carepost".into(),
            sealed_secret: None,
            is_enabled: true,
            acr_values: acr_values.into(),
            max_age_minutes,
            created_at: DateTime::UNIX_EPOCH,
            modified_at: DateTime::UNIX_EPOCH,
            version: 1,
        }
    }

    #[test]
    fn several_factors_are_mfa_or_methods_of_two_kinds() {
        let is_strong = |amr: &[&str]| {
            let amr = amr.iter().map(|method| (*method).to_owned()).collect();
            Evidence { amr, ..Evidence::default() }.is_strong(&connection("", None))
        };
        for strong in [["mfa", "pwd"], ["pwd", "otp"], ["hwk", "pin"], ["swk", "fpt"], ["pop", "face"]] {
            assert!(is_strong(&strong), "{strong:?}");
        }
        for weak in
            [&[][..], &["pwd"], &["pwd", "pin"], &["otp"], &["swk"], &["hwk", "user"], &["MFA"], &["x", "y"]]
        {
            assert!(!is_strong(weak), "{weak:?}");
        }
    }

    #[test]
    fn a_class_counts_where_the_connection_names_it() {
        let of = |acr: &str| Evidence { acr: Some(acr.into()), ..Evidence::default() };
        let named = connection("urn:example:gold phr", None);
        assert!(of("urn:example:gold").is_strong(&named) && of("phr").is_strong(&named));
        assert!(!of("urn:example:silver").is_strong(&named) && !of("").is_strong(&named));
        assert!(!of("phr").is_strong(&connection("", None)) && !Evidence::default().is_strong(&named));
    }

    #[test]
    fn the_age_is_measured_by_the_clock_of_the_provider_and_has_to_be_told() {
        let issued_at = DateTime::UNIX_EPOCH + Duration::days(1);
        let ago = |minutes| Evidence {
            auth_time: Some(issued_at - Duration::minutes(minutes)),
            issued_at,
            ..Evidence::default()
        };
        let within = connection("", Some(10));
        assert!(ago(0).is_recent(&within) && ago(11).is_recent(&within) && !ago(12).is_recent(&within));
        assert!(!Evidence::default().is_recent(&within), "it was asked for");
        assert!(
            Evidence::default().is_recent(&connection("", None)) && ago(600).is_recent(&connection("", None))
        );
    }
}
