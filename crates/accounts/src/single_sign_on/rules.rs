//! Rules for connections, and for matching a provider's answer to an account, without a database.

use super::{provider::Person, settings::ConnectionForm};
use platform::fields::{FieldErrors, is_secure_url};
use url::Url;

const NAME_MAX: usize = 40;
const ISSUER_MAX: usize = 500;
const CLIENT_MAX: usize = 200;
/// Maximum length of a value that a provider sends back through the browser.
pub const ANSWER_MAX: usize = 4096;
/// RFC-conforming subjects have at most 255 ASCII characters (OpenID Connect Core 1.0, section 2).
const SUBJECT_MAX: usize = 255;

const ACR_MAX: usize = 500;
/// A day, in minutes.
const AGE_MAX: u32 = 1440;

pub const NAME_REFUSED: &str = "Please use 2 to 40 lower-case letters, digits and hyphens.";
pub const NAME_TAKEN: &str = "This name is already taken.";
pub const ISSUER_REFUSED: &str =
    "Please enter the address of the provider, such as https://login.example.org.";
pub const CLIENT_REFUSED: &str = "Please enter the client ID that the provider gave you.";
pub const SECRET_REFUSED: &str = "The client secret is too long.";
pub const ACR_REFUSED: &str = "Please enter the values exactly as the provider writes them, separated by spaces, at most 500 characters.";
pub const AGE_REFUSED: &str = "Please enter 1 to 1440 minutes, or leave it blank.";

/// A checked connection.
#[derive(Debug)]
pub struct Checked {
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    pub secret: Option<String>,
    /// Separated by single spaces.
    pub acr_values: String,
    pub max_age_minutes: Option<i32>,
}

/// Checks a form. Plain HTTP is only allowed for a provider on this machine, if private networks are allowed.
pub fn check(form: &ConnectionForm, allow_private: bool) -> Result<Checked, FieldErrors> {
    let mut errors = FieldErrors::default();
    let name = connection_name(&form.name);
    errors.require(name.is_some(), "name", NAME_REFUSED);
    let issuer = form.issuer.trim();
    errors.require(is_issuer(issuer, allow_private), "issuer", ISSUER_REFUSED);
    let client_id = form.client_id.trim();
    errors.require(is_visible(client_id, CLIENT_MAX), "clientId", CLIENT_REFUSED);
    let secret = form.client_secret.as_deref().map(str::trim).filter(|s| !s.is_empty());
    errors.require(secret.is_none_or(|s| s.len() <= CLIENT_MAX), "clientSecret", SECRET_REFUSED);
    let acr_values = form.acr_values.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_written = acr_values.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    errors.require(is_written && acr_values.len() <= ACR_MAX, "acrValues", ACR_REFUSED);
    let age = form.max_age_minutes;
    errors.require(age.is_none_or(|minutes| (1..=AGE_MAX).contains(&minutes)), "maxAgeMinutes", AGE_REFUSED);
    match name {
        Some(name) if errors.is_empty() => Ok(Checked {
            name,
            issuer: issuer.to_owned(),
            client_id: client_id.to_owned(),
            secret: secret.map(ToOwned::to_owned),
            acr_values,
            max_age_minutes: age.and_then(|minutes| i32::try_from(minutes).ok()),
        }),
        _ => Err(errors),
    }
}

/// The name of a connection in its stored, lower-case form.
pub fn connection_name(text: &str) -> Option<String> {
    let name = text.trim().to_ascii_lowercase();
    let fits = (2..=NAME_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-');
    fits.then_some(name)
}

/// OpenID Connect Discovery 1.0, section 2: https, neither query nor fragment.
fn is_issuer(text: &str, allow_private: bool) -> bool {
    let Ok(url) = Url::parse(text) else { return false };
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let safe = is_secure_url(text) && (url.scheme() == "https" || allow_private);
    text.len() <= ISSUER_MAX && plain && url.password().is_none() && safe
}

fn is_visible(text: &str, longest: usize) -> bool {
    (1..=longest).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}

/// A subject in its stored form.
pub fn is_subject(text: &str) -> bool {
    (1..=SUBJECT_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
}

/// The address for finding an account: one that the provider has verified.
pub fn verified_address(person: &Person) -> Option<String> {
    let address = person.email.as_deref().filter(|_| person.is_email_verified)?.trim().to_lowercase();
    (!address.is_empty()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::{super::strength::Evidence, *};

    fn form() -> ConnectionForm {
        ConnectionForm {
            name: "Lakeside-EHR".into(),
            issuer: "https://login.lakeside.example/realms/staff".into(),
            client_id: "carepost".into(),
            client_secret: Some("a secret".to_owned().into()),
            is_enabled: true,
            acr_values: String::new(),
            max_age_minutes: None,
            version: None,
        }
    }

    #[test]
    fn what_a_provider_is_asked_for_is_written_as_it_goes_into_an_address() {
        let kept = |acr_values: &str, max_age_minutes| {
            let form = ConnectionForm { acr_values: acr_values.into(), max_age_minutes, ..form() };
            check(&form, false).map(|checked| (checked.acr_values, checked.max_age_minutes))
        };
        let kept_with = |acr_values| kept(acr_values, Some(5)).expect("a connection");
        assert_eq!(kept_with("  urn:example:gold\n phr "), ("urn:example:gold phr".into(), Some(5)));
        assert_eq!(kept("", None).expect("a connection"), (String::new(), None));
        for wrong in ["göld", "a\u{7}b", &"a".repeat(501)] {
            assert_eq!(kept(wrong, None).expect_err("a refusal").0["acrValues"], [ACR_REFUSED], "{wrong}");
        }
        for wrong in [0, 1441, u32::MAX] {
            assert_eq!(kept("", Some(wrong)).expect_err("a refusal").0["maxAgeMinutes"], [AGE_REFUSED]);
        }
    }

    #[test]
    fn a_name_is_kept_in_lower_case_and_fits_into_an_address() {
        assert_eq!(check(&form(), false).expect("a connection").name, "lakeside-ehr");
        for wrong in ["", "a", "-ab", "ab-", "a b", "a/b", "../x", "ä-b", &"a".repeat(41)] {
            let form = ConnectionForm { name: wrong.into(), ..form() };
            assert_eq!(check(&form, false).expect_err("a refusal").0["name"], [NAME_REFUSED], "{wrong}");
        }
    }

    /// SES-R-284 SES-R-288
    #[test]
    fn a_provider_is_reached_over_tls_unless_it_runs_on_this_machine_and_may() {
        let fits = |issuer: &str, private| {
            check(&ConnectionForm { issuer: issuer.into(), ..form() }, private).is_ok()
        };
        assert!(fits("https://login.example.org", false));
        for wrong in [
            "",
            "login.example.org",
            "ftp://login.example.org",
            "https://u:p@login.example.org",
            "https://login.example.org?x=1",
            "https://login.example.org#x",
            "javascript:alert(1)",
            "http://login.example.org",
            "http://10.0.0.7",
        ] {
            assert!(!fits(wrong, true), "{wrong}");
        }
        assert!(fits("http://127.0.0.1:9000", true) && !fits("http://127.0.0.1:9000", false));
    }

    #[test]
    fn only_a_verified_address_says_who_somebody_is() {
        let person = |email: Option<&str>, is_email_verified| Person {
            subject: "1".into(),
            email: email.map(Into::into),
            is_email_verified,
            evidence: Evidence::default(),
        };
        assert_eq!(verified_address(&person(Some(" A@x.example "), true)).as_deref(), Some("a@x.example"));
        assert_eq!(verified_address(&person(Some("a@x.example"), false)), None);
        assert_eq!(verified_address(&person(Some(" "), true)), None);
        assert_eq!(verified_address(&person(None, true)), None);
    }
}
