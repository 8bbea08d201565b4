//! Data types of HL7 V3: identifiers, codes, names, addresses, telephone numbers and times.

use std::fmt;

use chrono::{NaiveDate, NaiveDateTime};
use serde::{Deserialize, Serialize};

use crate::record_number;

/// HL7 instance identifier (data type II).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceId {
    /// OID, UUID or RUID of the naming system.
    pub root: String,
    /// Identifier within the naming system.
    pub extension: Option<String>,
    /// Name of the assigning authority.
    pub authority: Option<String>,
}

impl InstanceId {
    /// Its kind, by its authority, since the format has no types.
    pub fn kind(&self) -> record_number::Kind {
        let id = self.extension.as_deref().unwrap_or_default();
        let authorities = [self.root.as_str(), self.authority.as_deref().unwrap_or_default()];
        record_number::Identifier { id, authorities, ..record_number::Identifier::default() }.kind()
    }

    /// Whether its root is `root` or below it.
    pub(in crate::cda) fn is_of(&self, root: &str) -> bool {
        self.root.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// A coded value (data types CD, CE).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// The code.
    pub code: String,
    /// OID of the code system.
    pub system: Option<String>,
    /// Name to show.
    pub display: Option<String>,
}

/// A person's name in parts (data type PN).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PersonName {
    /// Title before the name.
    pub prefix: Option<String>,
    /// First given name.
    pub first: Option<String>,
    /// Further given names.
    pub middle: Option<String>,
    /// Family name.
    pub last: Option<String>,
    /// Suffix of the name, such as Jr. or MD.
    pub suffix: Option<String>,
}

impl PersonName {
    /// Whether no part of the name is known.
    pub fn is_empty(&self) -> bool {
        self.parts().next().is_none()
    }

    fn parts(&self) -> impl Iterator<Item = &str> {
        [&self.prefix, &self.first, &self.middle, &self.last, &self.suffix]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}

impl fmt::Display for PersonName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.parts().collect();
        f.write_str(&parts.join(" "))
    }
}

/// A postal address (data type AD).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Street lines.
    pub lines: Vec<String>,
    /// City.
    pub city: Option<String>,
    /// State or province, in the US two letters.
    pub state: Option<String>,
    /// ZIP or postal code.
    pub postal_code: Option<String>,
    /// Country code.
    pub country: Option<String>,
}

impl fmt::Display for Address {
    /// One line: `27 Orchard Row, Larkfield, OH 43999`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region: Vec<_> =
            [&self.state, &self.postal_code].into_iter().flatten().map(String::as_str).collect();
        let mut parts: Vec<String> = self.lines.clone();
        parts.extend(self.city.clone());
        parts.push(region.join(" "));
        parts.extend(self.country.clone().filter(|country| !matches!(country.as_str(), "US" | "USA")));
        parts.retain(|part| !part.is_empty());
        f.write_str(&parts.join(", "))
    }
}

/// A way to reach someone (data type TEL).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Telecom {
    /// URL such as `tel:+15550100164` or `mailto:...`, as written.
    pub value: String,
    /// HL7 use code, such as HP, WP or MC.
    pub use_code: Option<String>,
}

impl Telecom {
    /// The telephone number, if this is one: a `tel:` URL, or a value without scheme.
    pub fn phone(&self) -> Option<&str> {
        strip_scheme(&self.value, "tel:")
            .or_else(|| (!self.value.contains([':', '@'])).then_some(self.value.as_str()))
    }

    /// The value to show: without its scheme, a US number as `(555) 010-0164`.
    pub fn display(&self) -> String {
        let value = ["tel:", "mailto:", "fax:"]
            .into_iter()
            .find_map(|scheme| strip_scheme(&self.value, scheme))
            .unwrap_or(&self.value);
        match us_number(value) {
            Some(us) => format!("({}) {}-{}", &us[..3], &us[3..6], &us[6..]),
            None => value.to_owned(),
        }
    }
}

/// Whether a telephone number has the calling code of a country outside North America: `+` and a digit other than 1
/// (E.164).
pub fn is_foreign_number(phone: &str) -> bool {
    phone.trim_start().strip_prefix('+').is_some_and(|rest| rest.starts_with(|c| matches!(c, '2'..='9')))
}

/// The ten digits of a US telephone number written with or without its country code; None for anything else.
pub fn us_number(phone: &str) -> Option<String> {
    let is_number =
        phone.chars().all(|c| c.is_ascii_digit() || "+-.() ".contains(c)) && !is_foreign_number(phone);
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    let national = digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits);
    (is_number && national.len() == 10).then(|| national.to_owned())
}

/// The rest of a value with this scheme, in any case; None without the scheme, or if nothing follows.
pub(super) fn strip_scheme<'a>(value: &'a str, scheme: &str) -> Option<&'a str> {
    let head = value.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| value[scheme.len()..].trim()).filter(|rest| !rest.is_empty())
}

/// A point in time of any precision (data type TS: `YYYY[MM[DD[HHMM[SS[.S]]]]][+/-ZZzz]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

impl Timestamp {
    /// Keeps the value as written, without surrounding spaces; None if it does not start with a year.
    pub fn new(value: &str) -> Option<Self> {
        let value = value.trim();
        let year = value.get(..4)?;
        year.bytes().all(|byte| byte.is_ascii_digit()).then(|| Self(value.to_owned()))
    }

    /// The value as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The local calendar day, if the value is that precise.
    pub fn date(&self) -> Option<NaiveDate> {
        NaiveDate::parse_from_str(self.digits().get(..8)?, "%Y%m%d").ok()
    }

    fn digits(&self) -> &str {
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        &self.0[..end]
    }

    /// Local time in minutes, if the value is that precise.
    fn date_time(&self) -> Option<NaiveDateTime> {
        NaiveDateTime::parse_from_str(self.digits().get(..12)?, "%Y%m%d%H%M").ok()
    }

    fn offset(&self) -> Option<&str> {
        let at = self.0.rfind(['+', '-'])?;
        Some(&self.0[at..])
            .filter(|offset| offset.len() == 5 && offset[1..].bytes().all(|b| b.is_ascii_digit()))
    }
}

impl fmt::Display for Timestamp {
    /// `11/17/2026`, `11/17/2026 09:30 AM -0500`, `11/2026` or `2026`, as precise as the value; otherwise the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits();
        if let Some(time) = self.date_time() {
            write!(f, "{}", time.format("%m/%d/%Y %I:%M %p"))?;
            return self.offset().map_or(Ok(()), |offset| write!(f, " {offset}"));
        }
        match (self.date(), digits.len()) {
            (Some(date), _) => write!(f, "{}", date.format("%m/%d/%Y")),
            (None, 6) => write!(f, "{}/{}", &digits[4..], &digits[..4]),
            _ => f.write_str(&self.0),
        }
    }
}
