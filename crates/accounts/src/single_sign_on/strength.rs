//! How well somebody showed a provider who they are, without a database: what its token says of it (OpenID Connect Core 1.0,
//! section 2), and the values of `amr` (RFC 8176).

use chrono::{DateTime, Duration, Utc};
use store::entities::sso_connection;

/// What a token says of the sign-in at the provider.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    pub acr: Option<String>,
    pub amr: Vec<String>,
    pub auth_time: Option<DateTime<Utc>>,
    /// When the provider made the token, by the same clock as `auth_time`.
    pub issued_at: DateTime<Utc>,
}

/// Clocks of a provider with several machines differ.
const GRACE: Duration = Duration::seconds(60);

/// Something that somebody knows.
const KNOWN: [&str; 3] = ["kba", "pin", "pwd"];
/// Something that somebody has.
const HELD: [&str; 7] = ["hwk", "otp", "pop", "sc", "sms", "swk", "tel"];
/// Something that somebody is.
const INBORN: [&str; 5] = ["face", "fpt", "iris", "retina", "vbm"];

/// The values of `acr` that a connection asks for.
pub fn asked_of(connection: &sso_connection::Model) -> impl Iterator<Item = &str> {
    connection.acr_values.split_ascii_whitespace()
}

/// How long ago people of a connection may have shown who they are.
pub fn max_age(connection: &sso_connection::Model) -> Option<Duration> {
    connection.max_age_minutes.map(|minutes| Duration::minutes(minutes.into()))
}

impl Evidence {
    /// Whether somebody has shown several factors: the provider says so by `mfa`, by methods of two kinds, or by a value of
    /// `acr` that the connection names.
    pub fn is_strong(&self, connection: &sso_connection::Model) -> bool {
        let has = |kind: &[&str]| self.amr.iter().any(|method| kind.contains(&method.as_str()));
        let kinds = [KNOWN.as_slice(), &HELD, &INBORN].into_iter().filter(|kind| has(kind)).count();
        let is_named = self.acr.as_deref().is_some_and(|acr| asked_of(connection).any(|named| named == acr));
        has(&["mfa"]) || kinds > 1 || is_named
    }

    /// Whether that was as late as the connection wants it. A provider that is asked has to tell when it was.
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
