//! Patients' contact details and numbers as printed: record numbers, telephone numbers, US addresses.

use clinical::cda::us_number;

/// Words that mark a line as about somebody else, so that its telephone number is not the patient's.
const OTHERS: &[&str] = &[
    "attending",
    "clinic",
    "clinician",
    "contact",
    "doctor",
    "emergency",
    "employer",
    "facility",
    "father",
    "fax",
    "from",
    "guarantor",
    "guardian",
    "hospital",
    "insurance",
    "insured",
    "kin",
    "laboratory",
    "mother",
    "office",
    "ordered",
    "ordering",
    "parent",
    "pcp",
    "pharmacy",
    "physician",
    "practice",
    "provider",
    "referred",
    "referring",
    "sender",
    "spouse",
    "subscriber",
];

/// Names for parts of a building. They belong to the street.
const UNITS: &[&str] = &["apartment", "apt", "building", "floor", "lot", "room", "suite", "ste", "unit"];

/// Whether a line is about somebody other than the patient.
pub(crate) fn tells_of_others(line: &str) -> bool {
    let lower = line.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| OTHERS.contains(&word))
}

/// Record number at the start of a value, after an optional issuer in brackets.
pub(crate) fn identifier(value: &str) -> Option<String> {
    let number = value.split_whitespace().find(|word| !word.ends_with(')'))?;
    let number = number.trim_end_matches([',', ';', '.']);
    let is_plain = number.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let digits = number.chars().filter(char::is_ascii_digit).count();
    let is_date = number.split('-').count() == 3 && digits >= 6 && digits + 2 == number.len();
    (is_plain && !is_date && digits >= 3 && number.len() <= 20).then(|| number.to_owned())
}

/// Telephone number at the start of a value, as ten digits.
pub(crate) fn telephone(value: &str) -> Option<String> {
    let printed = value.split("  ").next()?;
    let end = printed.find(|c: char| !c.is_ascii_digit() && !"+-.() ".contains(c)).unwrap_or(printed.len());
    us_number(printed[..end].trim())
}

/// An address. Parts that are not printed are empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Address {
    pub street: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
}

/// Parses an address such as `27 Orchard Row, Apt 2, Larkfield, OH 43999`, on one line or continued on the
/// line `below`.
pub(crate) fn address(value: &str, below: Option<&str>) -> Option<Address> {
    let cell = |line: &str| line.split("  ").map(str::trim).find(|cell| !cell.is_empty()).map(str::to_owned);
    let first = cell(value)?;
    if let Some(whole) = whole_address(&first) {
        return Some(whole);
    }
    let below = cell(below?)?;
    let ends_in_city = first.rsplit_once(',').is_some_and(|(_, last)| !is_unit(last));
    let begins_with_city = below.matches(',').count() == 1 && !ends_in_city;
    let glue = if begins_with_city || state_and_code(&below).is_some() { ", " } else { " " };
    whole_address(&format!("{}{glue}{below}", first.trim_end_matches(',')))
}

fn whole_address(text: &str) -> Option<Address> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let [street @ .., city, last] = &parts[..] else { return None };
    let (state, postal_code) = state_and_code(last)?;
    let street = street.join(", ");
    let is_street = street.starts_with(|c: char| c.is_ascii_digit()) || street.starts_with("PO Box ");
    let is_city = city.starts_with(char::is_uppercase)
        && city.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\''))
        && !is_unit(city);
    // The replacement character marks words that could not be read.
    let is_read = !street.contains('\u{fffd}');
    let is_street = is_street && is_read && street.chars().any(char::is_alphabetic) && street.len() <= 80;
    (is_street && is_city).then(|| Address { street, city: (*city).to_owned(), state, postal_code })
}

/// Parses `OH 43999` or `OH 43999-1234`.
fn state_and_code(text: &str) -> Option<(String, String)> {
    let (state, code) = text.split_once(' ')?;
    let code = code.trim();
    let (five, four) = code.split_once('-').unwrap_or((code, "0000"));
    let is_number = |text: &str, length| text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
    let is_state = state.len() == 2 && state.bytes().all(|b| b.is_ascii_uppercase());
    (is_state && is_number(five, 5) && is_number(four, 4)).then(|| (state.to_owned(), code.to_owned()))
}

fn is_unit(part: &str) -> bool {
    let word = part.split_whitespace().next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    word.starts_with('#') || UNITS.contains(&word.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_numbers_are_no_words_dates_or_prices() {
        for (value, number) in [
            ("LFM-20417", Some("LFM-20417")),
            ("(TVC) TVC-0048213 more", Some("TVC-0048213")),
            ("TVC) 0048213", Some("0048213")),
            ("11-08-1957", None),
            ("11/08/1957", None),
            ("pending", None),
            ("$1200", None),
            ("", None),
        ] {
            assert_eq!(identifier(value).as_deref(), number, "{value}");
        }
    }

    #[test]
    fn telephone_numbers_have_ten_digits() {
        for (value, number) in [
            ("(555) 010-0151  Cell", Some("5550100151")),
            ("555) 010-0151", Some("5550100151")),
            ("+1 555.010.0151 (home)", Some("5550100151")),
            ("010-0151", None),
            ("555-010-0151 555-010-0152", None),
            ("on file", None),
        ] {
            assert_eq!(telephone(value).as_deref(), number, "{value}");
        }
    }

    #[test]
    fn an_address_is_read_whole_or_not_at_all() {
        let read = |value: &str, below: &str| {
            let found = address(value, Some(below))?;
            Some([found.street, found.city, found.state, found.postal_code].join("|"))
        };
        for (value, below, wanted) in [
            ("27 Orchard Row, Larkfield, OH 43999", "", Some("27 Orchard Row|Larkfield|OH|43999")),
            (
                "27 Orchard Row, Apt 2, Salt Lake, UT 84101-0001",
                "x",
                Some("27 Orchard Row, Apt 2|Salt Lake|UT|84101-0001"),
            ),
            ("27 Orchard Row", "Larkfield, OH 43999", Some("27 Orchard Row|Larkfield|OH|43999")),
            (
                "402 Quarry Street, Unit B",
                "Larkfield, OH 43999",
                Some("402 Quarry Street, Unit B|Larkfield|OH|43999"),
            ),
            ("118 Millrace Lane, Larkfield,", "OH 43999", Some("118 Millrace Lane|Larkfield|OH|43999")),
            (
                "118 Millrace Lane, Larkfield, OH",
                "43999  Routine",
                Some("118 Millrace Lane|Larkfield|OH|43999"),
            ),
            ("1 Mill Avenue, Salt Lake", "City, UT 84101", Some("1 Mill Avenue|Salt Lake City|UT|84101")),
            (
                "1440 North Mill",
                "Avenue, Larkfield, OH 43999",
                Some("1440 North Mill Avenue|Larkfield|OH|43999"),
            ),
            ("27 Orchard Row", "Dear colleague,", None),
            ("on file", "Larkfield, OH 43999", None),
            ("27 \u{fffd} Row", "Larkfield, OH 43999", None),
            ("27 Orchard Row, Larkfield", "", None),
        ] {
            assert_eq!(read(value, below).as_deref(), wanted, "{value} / {below}");
        }
    }

    #[test]
    fn lines_about_others_are_known_by_whole_words() {
        assert!(tells_of_others("Referring physician: Okonkwo  Phone: (555) 010-0140"));
        assert!(tells_of_others("Phone (555) 010-0140 · Fax (555) 010-0142"));
        assert!(!tells_of_others("Sex: F  Phone: (555) 010-0151  Kinship unknown"));
    }
}
