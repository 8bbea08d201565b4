//! Data types that several resources have: ids, references, dates, concepts and periods.

use crate::json::{inner, list, text, texts};
use crate::model::Moment;
use chrono::{DateTime, NaiveDate};
use serde_json::Value;

/// Longest id that is accepted. FHIR has 64; large EHRs have longer ones.
const ID_MAX: usize = 256;

/// Whether this can be a logical id, and a segment of a URL.
pub fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~');
    !id.is_empty() && id.len() <= ID_MAX && id.chars().all(plain) && id.chars().any(|c| c != '.')
}

/// The type of a resource.
pub(crate) fn resource_type(resource: &Value) -> Option<&str> {
    text(resource, "resourceType")
}

/// The id of a resource.
pub(super) fn id(resource: &Value) -> Option<String> {
    text(resource, "id").filter(|id| is_id(id)).map(str::to_owned)
}

/// The patient of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The one that was asked for.
    Same,
    /// Somebody else.
    Other,
    /// The resource does not say.
    Missing,
}

/// Whether a resource belongs to a patient of the server at `base`.
pub fn subject(resource: &Value, patient_id: &str, base: &str) -> Subject {
    let reference =
        ["subject", "patient"].into_iter().find_map(|field| text(resource.get(field)?, "reference"));
    match reference {
        None => Subject::Missing,
        Some(reference) if id_in(reference, "Patient", base) == Some(patient_id) => Subject::Same,
        Some(_) => Subject::Other,
    }
}

/// The id in a reference such as `Patient/1`, `Patient/1/_history/2`, or one of these after the base address.
fn id_in<'a>(reference: &'a str, kind: &str, base: &str) -> Option<&'a str> {
    let relative = reference.strip_prefix(base).unwrap_or(reference);
    let mut segments = relative.split('/');
    let found = (segments.next()? == kind).then(|| segments.next()).flatten()?;
    let is_whole = matches!(segments.next(), None | Some("_history"));
    (is_whole && is_id(found)).then_some(found)
}

/// The id of a Reference to a resource of this type, wherever it is.
pub(crate) fn reference_id(reference: &Value, kind: &str) -> Option<String> {
    let written = text(reference, "reference")?;
    let written = written.split("/_history/").next()?;
    let (before, found) = written.rsplit_once('/')?;
    (before.rsplit('/').next() == Some(kind) && is_id(found)).then(|| found.to_owned())
}

/// A complete day; `None` for a year or a month alone.
pub(super) fn day(written: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(written.get(..10)?, "%Y-%m-%d").ok()
}

/// A dateTime or instant.
pub(super) fn moment(written: &str) -> Option<Moment> {
    match DateTime::parse_from_rfc3339(written) {
        Ok(time) => Some(Moment::Time(time)),
        Err(_) => day(written).map(Moment::Day),
    }
}

/// The birth date as it is written, also a part of one.
pub(crate) fn written_born(patient: &Value) -> Option<&str> {
    text(patient, "birthDate")
}

/// Text of a CodeableConcept.
pub(super) fn concept(concept: &Value) -> Option<String> {
    let display = || list(concept, "coding").find_map(|coding| text(coding, "display"));
    let code = || list(concept, "coding").find_map(|coding| text(coding, "code"));
    text(concept, "text").or_else(display).or_else(code).map(str::to_owned)
}

/// Whether an element is not in force on a day, by its `use` or its period.
pub(super) fn is_over(element: &Value, today: NaiveDate) -> bool {
    let period = inner(element, "period");
    let bound = |field| text(period, field).and_then(part_of_date);
    text(element, "use") == Some("old")
        || bound("end").is_some_and(|(_, last)| last < today)
        || bound("start").is_some_and(|(first, _)| first > today)
}

/// First and last day of a date, a month or a year.
fn part_of_date(written: &str) -> Option<(NaiveDate, NaiveDate)> {
    if let Some(day) = day(written) {
        return Some((day, day));
    }
    let (year, month) = written.split_once('-').map_or((written, None), |(year, month)| (year, Some(month)));
    let (year, month) = (year.parse().ok()?, month.map(str::parse::<u32>).transpose().ok()?);
    let first = NaiveDate::from_ymd_opt(year, month.unwrap_or(1), 1)?;
    let months = chrono::Months::new(if month.is_some() { 1 } else { 12 });
    Some((first, first.checked_add_months(months)?.pred_opt()?))
}

/// Last name, first name, and further given names of a HumanName.
pub(super) fn name_parts(name: &Value) -> (String, String, String) {
    let family = text(name, "family").unwrap_or_default().to_owned();
    let mut given = texts(name, "given");
    let first = given.next().unwrap_or_default().to_owned();
    let middle = given.collect::<Vec<_>>().join(" ");
    if !(family.is_empty() && first.is_empty()) {
        return (family, first, middle);
    }
    // A name as one text: the last word is the last name, unless a comma says otherwise.
    let whole = text(name, "text").unwrap_or_default();
    let (family, given) = match whole.split_once(',') {
        Some((family, given)) => (family.trim(), given.trim()),
        None => whole.rsplit_once(' ').map_or((whole, ""), |(given, family)| (family, given.trim())),
    };
    let (first, middle) = given.split_once(' ').unwrap_or((given, ""));
    (family.to_owned(), first.to_owned(), middle.trim().to_owned())
}
