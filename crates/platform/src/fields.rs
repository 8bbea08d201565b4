//! Field errors and shared field checks.

use regex::Regex;
use serde::Serialize;
use std::{collections::BTreeMap, net::Ipv4Addr, sync::LazyLock};

/// Field error if the specification has no other text.
pub const DEFAULT_FIELD_ERROR: &str = "Please enter a valid value for this field.";

/// Field name -> texts, as in `modelState`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);

impl FieldErrors {
    pub fn add(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(text.into());
    }

    /// Adds the error of a field, if any.
    pub fn extend(&mut self, field: &str, problem: Option<impl Into<String>>) {
        if let Some(text) = problem {
            self.add(field, text);
        }
    }

    /// Adds the text unless the condition is true.
    pub fn require(&mut self, ok: bool, field: &str, text: impl Into<String>) {
        if !ok {
            self.add(field, text);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All errors as one text, for places without fields.
    pub fn sentences(&self) -> String {
        self.0.values().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// `Ok` if there are no errors.
    pub fn check(self) -> crate::Result<()> {
        if self.is_empty() { Ok(()) } else { Err(crate::Error::Invalid(self)) }
    }
}

/// A National Provider Identifier: empty, 10 digits, or 15 digits with the prefix 80840; Luhn over 80840 + NPI.
pub fn is_npi(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    let digits = match text.len() {
        10 => format!("80840{text}"),
        15 if text.starts_with("80840") => text.to_owned(),
        _ => return false,
    };
    digits.bytes().all(|b| b.is_ascii_digit()) && luhn(&digits)
}

/// A National Provider Identifier in its stored form: its 10 digits, without the prefix of health applications.
pub fn npi(text: &str) -> &str {
    if text.len() == 15 { text.strip_prefix("80840").unwrap_or(text) } else { text }
}

/// A LOINC code: up to 7 digits, a hyphen, and a check digit (Luhn).
pub fn is_loinc(text: &str) -> bool {
    let Some((number, check)) = text.split_once('-') else { return false };
    let is_number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    (1..=7).contains(&number.len())
        && check.len() == 1
        && is_number(number)
        && is_number(check)
        && luhn(&format!("{number}{check}"))
}

/// An https address: a host name, localhost or an IPv4 address, with an optional port and path. Plain http is only
/// for this machine.
pub fn is_secure_url(text: &str) -> bool {
    static URL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?i)(https?)://([a-z0-9.-]+)(?::([0-9]{1,5}))?(?:/\S*)?$").expect("a pattern")
    });
    let Some(parts) = URL.captures(text) else { return false };
    let host = parts[2].to_ascii_lowercase();
    let is_here = host == "localhost" || host == "127.0.0.1";
    let is_port = parts.get(3).is_none_or(|port| port.as_str().parse::<u16>().is_ok_and(|port| port > 0));
    (is_here || host.parse::<Ipv4Addr>().is_ok() || is_host_name(&host))
        && is_port
        && (is_here || parts[1].eq_ignore_ascii_case("https"))
}

/// At least two labels of a domain name, the last one of letters.
fn is_host_name(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |l: &&str| (1..=63).contains(&l.len()) && !l.starts_with('-') && !l.ends_with('-');
    let is_top = |l: &&str| l.len() >= 2 && l.bytes().all(|b| b.is_ascii_alphabetic());
    labels.len() >= 2 && labels.iter().all(is_label) && labels.last().is_some_and(is_top)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let d = u32::from(b - b'0');
            if i % 2 == 0 { d } else { d * 2 / 10 + d * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// An object identifier: at least two numbers separated by dots, optionally after `urn:oid:`.
pub fn is_oid(text: &str) -> bool {
    let arcs: Vec<&str> = text.strip_prefix("urn:oid:").unwrap_or(text).split('.').collect();
    let is_arc = |arc: &&str| {
        !arc.is_empty() && arc.bytes().all(|b| b.is_ascii_digit()) && (*arc == "0" || !arc.starts_with('0'))
    };
    arcs.len() >= 2 && matches!(arcs[0], "0" | "1" | "2") && arcs.iter().all(is_arc)
}

/// An address that contains a post office box.
pub fn is_po_box(text: &str) -> bool {
    static PO_BOX: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\b(p\.?\s*o\.?|post(\s+office)?)\s*box\b").expect("a pattern"));
    PO_BOX.is_match(text)
}

pub const PO_BOX_REFUSED: &str = "Street address cannot be a P.O. Box";

/// The error of a street address: a post office box, no letter at all, or characters that addresses do not have. The
/// web app has the same check (`shared/rules/fields.ts`).
pub fn street_problem(text: &str) -> Option<&'static str> {
    static STREET: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^[\p{L}\p{M}\p{N} .,:;'’\u{22}#/&()°ºª+-]*\p{L}[\p{L}\p{M}\p{N} .,:;'’\u{22}#/&()°ºª+-]*$",
        )
        .expect("a pattern")
    });
    if is_po_box(text) {
        Some(PO_BOX_REFUSED)
    } else if !STREET.is_match(text) {
        Some(DEFAULT_FIELD_ERROR)
    } else {
        None
    }
}

/// Something@something.tld, without spaces and control characters.
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    !local.is_empty()
        && !local.contains('@')
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
        && domain.split('.').count() >= 2
        && domain.split('.').all(|l| !l.is_empty() && l.chars().all(|c| c.is_alphanumeric() || c == '-'))
}

/// The key for finding a user name: names ignore case. Names never contain control characters, and PostgreSQL refuses
/// texts with U+0000.
pub fn user_name_key(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).flat_map(char::to_lowercase).collect()
}

/// The ten digits of a phone number, which may have punctuation.
pub fn phone_digits(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    (digits.len() == 10 && text.chars().all(|c| c.is_ascii_digit() || " ()-.+".contains(c))).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_npi_passes_luhn_with_or_without_its_prefix() {
        assert!(is_npi("") && is_npi("1234567893") && is_npi("808401234567893"));
        assert!(
            !is_npi("1234567890") && !is_npi("123") && !is_npi("123456789012345") && !is_npi("12345678a3")
        );
    }

    #[test]
    fn an_object_identifier_has_numbers_between_dots() {
        assert!(is_oid("2.16.840.1.113883.3.9999") && is_oid("urn:oid:2.16.840.1"));
        for bad in ["larkfield", "2", "3.1", "2..1", "2.01", "2.16.", "urn:uuid:2.16"] {
            assert!(!is_oid(bad), "{bad}");
        }
    }

    /// ADA-R-228
    #[test]
    fn a_post_office_box_is_recognized_wherever_it_stands() {
        for text in ["P.O. Box 12", "PO BOX 9", "Post Office Box 1", "Post Box 12", "12 Main St PO Box 9"] {
            assert_eq!(street_problem(text), Some(PO_BOX_REFUSED), "{text}");
        }
        for text in ["12 Poboxer Street", "4 Main Street", "9 PO Boxwood Lane", "12 Ríó Box Ave"] {
            assert_eq!(street_problem(text), None, "{text}");
        }
    }

    /// ADA-R-227
    #[test]
    fn a_street_has_letters_of_any_script_and_no_signs_that_stand_in_no_address() {
        for text in ["418 Orchard Lane", "Łódzka 5/7", "1-2-3 銀座 #4"] {
            assert_eq!(street_problem(text), None, "{text}");
        }
        for text in ["418 22", "418 <b>Orchard</b>", "418 Orchard @ Lane", "418 Orchard {x}"] {
            assert_eq!(street_problem(text), Some(DEFAULT_FIELD_ERROR), "{text}");
        }
    }

    /// SES-R-291
    #[test]
    fn an_npi_is_stored_without_the_prefix_of_health_applications() {
        assert_eq!((npi("808401234567893"), npi("1234567893"), npi("")), ("1234567893", "1234567893", ""));
    }

    #[test]
    fn the_last_digit_of_a_loinc_code_checks_the_others() {
        for code in ["11488-4", "57133-1", "34133-9", "8-3"] {
            assert!(is_loinc(code), "{code}");
        }
        for code in ["11488-3", "114884", "-4", "11488-44", "1148a-4", "12345678-9"] {
            assert!(!is_loinc(code), "{code}");
        }
    }

    /// SES-R-284 SES-R-285 SES-R-286 SES-R-287 SES-R-288
    #[test]
    fn a_secure_url_is_https_with_a_host_and_perhaps_a_port_and_a_path() {
        for url in [
            "https://id.larkfield.example",
            "https://id.larkfield.example:8443/realms/main",
            "https://localhost",
            "https://192.0.2.7/",
            "http://localhost:8080/auth",
            "HTTPS://ID.EXAMPLE/",
        ] {
            assert!(is_secure_url(url), "{url}");
        }
        for url in [
            "http://id.larkfield.example",
            "https://",
            "https://larkfield",
            "https://a..example",
            "https://-a.example",
            "https://id.example:99999",
            "https://id.example?x=1",
            "https://user@id.example",
            "ftp://id.example",
            "https://300.1.1.1",
        ] {
            assert!(!is_secure_url(url), "{url}");
        }
    }

    #[test]
    fn an_email_needs_a_local_part_and_a_dotted_domain() {
        assert!(
            is_email("a@b.example")
                && !is_email("a@b")
                && !is_email("@b.example")
                && !is_email("a b@c.example")
        );
    }
}
