//! Patient.

use super::parts::{day, id, is_over, name_parts, reference_id, resource_type, written_born};
use crate::json::{flag, inner, list, owned, text, texts};
use crate::model::{Gender, Identifier, Patient};
use chrono::NaiveDate;
use serde_json::Value;

/// Identifiers kept of one patient.
const IDENTIFIERS_MAX: usize = 50;
/// Former names kept of one patient.
const FORMER_MAX: usize = 20;

/// The patient with the names, numbers and addresses in force on a day; `None` if this is none, or has no id.
pub fn patient(resource: &Value, today: NaiveDate) -> Option<Patient> {
    if resource_type(resource) != Some("Patient") {
        return None;
    }
    let (family, given, middle) = current_name(resource, today).map(name_parts).unwrap_or_default();
    let identifiers: Vec<Identifier> = list(resource, "identifier")
        .filter_map(|element| identifier(element, today))
        .take(IDENTIFIERS_MAX)
        .collect();
    let replaced_by = replaced_by(resource);
    let mut patient = Patient {
        id: id(resource)?,
        former_names: former_names(resource, &family, today),
        family,
        given,
        middle,
        born: written_born(resource).and_then(day),
        gender: gender(resource),
        record_number: record_number(&identifiers),
        identifiers,
        phone: phone(resource, today),
        is_active: flag(resource, "active") != Some(false) && replaced_by.is_none(),
        is_deceased: flag(resource, "deceasedBoolean") == Some(true)
            || text(resource, "deceasedDateTime").is_some(),
        replaced_by,
        facility: reference_id(inner(resource, "managingOrganization"), "Organization"),
        ..Patient::default()
    };
    if let Some(address) = address(resource, today) {
        let mut lines = texts(address, "line");
        patient.street1 = lines.next().unwrap_or_default().to_owned();
        patient.street2 = lines.collect::<Vec<_>>().join(", ");
        patient.city = owned(address, "city").unwrap_or_default();
        patient.state = owned(address, "state").unwrap_or_default();
        patient.postal_code = owned(address, "postalCode").unwrap_or_default();
        patient.country = owned(address, "country").unwrap_or_default();
    }
    Some(patient)
}

/// The one name in force: the official one, else the usual one, else one without a use.
fn current_name(resource: &Value, today: NaiveDate) -> Option<&Value> {
    let in_force = |name: &&Value| !is_over(name, today) && text(name, "use") != Some("maiden");
    let rank = |name: &&Value| match text(name, "use") {
        Some("official") => 0,
        Some("usual") => 1,
        None => 2,
        _ => 3,
    };
    let by_rank = || list(resource, "name").filter(in_force).min_by_key(rank);
    // A patient whose every name has ended still has the one that was used last.
    by_rank().or_else(|| list(resource, "name").last())
}

fn former_names(resource: &Value, family: &str, today: NaiveDate) -> Vec<String> {
    let mut former: Vec<String> = Vec::new();
    for name in list(resource, "name") {
        let is_former = is_over(name, today) || text(name, "use") == Some("maiden");
        let (last, ..) = name_parts(name);
        if is_former && !last.is_empty() && last != family && !former.contains(&last) {
            former.push(last);
        }
    }
    former.truncate(FORMER_MAX);
    former
}

fn identifier(element: &Value, today: NaiveDate) -> Option<Identifier> {
    let value = owned(element, "value")?;
    if is_over(element, today) {
        return None;
    }
    let codings = || list(inner(element, "type"), "coding");
    let of_table = |coding: &&Value| text(coding, "system").is_none_or(|system| system.contains("0203"));
    let kind = codings().filter(of_table).find_map(|coding| owned(coding, "code"));
    Some(Identifier { system: owned(element, "system").unwrap_or_default(), value, kind })
}

fn record_number(identifiers: &[Identifier]) -> Option<String> {
    let number = identifiers.iter().find(|identifier| identifier.kind.as_deref() == Some("MR"))?;
    Some(number.value.clone())
}

fn gender(resource: &Value) -> Gender {
    match text(resource, "gender") {
        Some("male") => Gender::Male,
        Some("female") => Gender::Female,
        Some("other") => Gender::Other,
        _ => Gender::Unknown,
    }
}

fn replaced_by(resource: &Value) -> Option<String> {
    let link = list(resource, "link").find(|link| text(link, "type") == Some("replaced-by"))?;
    reference_id(inner(link, "other"), "Patient")
}

fn address(resource: &Value, today: NaiveDate) -> Option<&Value> {
    let rank = |address: &&Value| match (is_over(address, today), text(address, "use")) {
        (true, _) => 4,
        (_, Some("home")) => 0,
        (_, None) => 1,
        (_, Some("billing")) => 3,
        _ => 2,
    };
    list(resource, "address").min_by_key(rank)
}

fn phone(resource: &Value, today: NaiveDate) -> String {
    let phones = list(resource, "telecom").filter(|entry| text(entry, "system") == Some("phone"));
    let rank = |entry: &&Value| match (is_over(entry, today), text(entry, "use")) {
        (true, _) => 4,
        (_, Some("home")) => 0,
        (_, Some("mobile")) => 1,
        (_, Some("work")) => 3,
        _ => 2,
    };
    phones.min_by_key(rank).and_then(|entry| owned(entry, "value")).unwrap_or_default()
}
