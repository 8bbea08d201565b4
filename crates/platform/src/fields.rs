//! Field errors and the field checks that several areas share.

use serde::Serialize;
use std::collections::BTreeMap;

/// The text for a field error that the specification words no other way.
pub const DEFAULT_FIELD_ERROR: &str = "Please enter a valid value for this field.";

/// Field name -> texts, as it stands in `modelState`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FieldErrors(pub BTreeMap<String, Vec<String>>);

impl FieldErrors {
    pub fn add(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(text.into());
    }

    /// Adds what is wrong with a field, if anything is.
    pub fn extend(&mut self, field: &str, problem: Option<impl Into<String>>) {
        if let Some(text) = problem {
            self.add(field, text);
        }
    }

    /// Adds the text unless the condition holds.
    pub fn require(&mut self, ok: bool, field: &str, text: impl Into<String>) {
        if !ok {
            self.add(field, text);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that is wrong, for a place without fields.
    pub fn sentences(&self) -> String {
        self.0.values().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// `Ok` when nothing was found wrong.
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

/// An object identifier: numbers between dots, two at least; `urn:oid:` may stand before them.
pub fn is_oid(text: &str) -> bool {
    let arcs: Vec<&str> = text.strip_prefix("urn:oid:").unwrap_or(text).split('.').collect();
    let is_arc = |arc: &&str| {
        !arc.is_empty() && arc.bytes().all(|b| b.is_ascii_digit()) && (*arc == "0" || !arc.starts_with('0'))
    };
    arcs.len() >= 2 && matches!(arcs[0], "0" | "1" | "2") && arcs.iter().all(is_arc)
}

/// A street address that is a post office box.
pub fn is_po_box(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    ["pobox", "postofficebox", "postbox"].iter().any(|word| plain.starts_with(word))
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

/// A user name as accounts are found by it: names know no case. No name has control characters, and PostgreSQL refuses
/// texts with the first of them.
pub fn user_name_key(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).flat_map(char::to_lowercase).collect()
}

/// The ten digits of a phone number that may be written with punctuation.
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

    #[test]
    fn a_post_office_box_is_recognized_however_it_is_written() {
        assert!(is_po_box("P.O. Box 12") && is_po_box("PO BOX 9") && is_po_box("Post Office Box 1"));
        assert!(!is_po_box("12 Poboxer Street") && !is_po_box("4 Main Street"));
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
