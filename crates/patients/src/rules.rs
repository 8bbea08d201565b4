//! Checks of typed patient data.

use crate::model::{IntegrationMeta, Patient};
use chrono::NaiveDate;
use clinical::cda::{is_foreign_number, us_number};
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors};
use std::collections::BTreeMap;

/// Longest text of a patient field.
pub const TEXT_LIMIT: usize = 35;
/// Toll-free area codes, which do not belong to a person.
const TOLL_FREE: [&str; 6] = ["800", "888", "877", "866", "855", "844"];

/// Whether a telephone number has ten digits, optionally after one more digit, and is not toll-free; or is a foreign
/// one as in documents: `+`, country code and number, up to 15 digits (E.164).
fn is_phone(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if !text.chars().all(|c| c.is_ascii_digit() || " ()-.+".contains(c)) {
        return false;
    }
    if is_foreign_number(text) {
        return (7..=15).contains(&digits.len());
    }
    let national = if digits.len() == 11 { &digits[1..] } else { &digits };
    national.len() == 10 && !TOLL_FREE.iter().any(|area| national.starts_with(area))
}

/// The code of a gender, also if it is written out.
fn gender_code(text: &str) -> Option<&'static str> {
    match text {
        "M" | "male" => Some("M"),
        "F" | "female" => Some("F"),
        "UN" | "undifferentiated" => Some("UN"),
        _ => None,
    }
}

/// Checks the format of a patient's fields; required fields depend on the screen.
pub fn check(patient: &Patient, today: NaiveDate, errors: &mut FieldErrors) {
    let mut refuse = |is_good: bool, field: &str| {
        errors.require(is_good, &format!("patient.{field}"), DEFAULT_FIELD_ERROR);
    };
    for Text { name, is_limited, value } in texts(&mut patient.clone()) {
        let text = value.as_deref().unwrap_or_default();
        refuse(!is_limited || text.chars().count() <= TEXT_LIMIT, name);
    }
    let is = |text: &Option<String>, is_good: fn(&str) -> bool| {
        text.as_deref().is_none_or(|text| text.is_empty() || is_good(text))
    };
    // A text that is too long was refused above.
    let is_telephone =
        |text: &str| text.chars().count() > TEXT_LIMIT || text.trim().is_empty() || is_phone(text.trim());
    refuse(is(&patient.telephone, is_telephone), "telephone");
    refuse(is(&patient.gender, |text| gender_code(text).is_some()), "gender");
    let is_state = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_uppercase());
    refuse(is(&patient.state, is_state), "state");
    refuse(patient.birth_date.is_none_or(|day| day <= today), "birthDate");
    refuse(patient.integration_meta.as_ref().is_none_or(is_short), "integrationMeta");
}

/// Longest id of an EHR, in characters.
const CHART_ID: usize = 255;

fn is_short(meta: &IntegrationMeta) -> bool {
    let ids = [&meta.patient_id, &meta.visit_id, &meta.medical_record_number, &meta.facility_id];
    ids.into_iter().flatten().all(|id| id.chars().count() <= CHART_ID)
}

/// Most characters of the texts of a patient in a form, by the name of the field. Documents may have longer ones.
pub fn form_limits() -> BTreeMap<&'static str, usize> {
    let mut patient = Patient::default();
    texts(&mut patient).iter().filter(|text| text.is_limited).map(|text| (text.name, TEXT_LIMIT)).collect()
}

/// Trims texts, turns empty ones into none, writes the gender as its code, leaves the ten digits of a US telephone number
/// and drops identifiers that lack root or id.
pub fn tidy(mut patient: Patient) -> Patient {
    for Text { value, .. } in texts(&mut patient) {
        *value = value.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    }
    if let Some(code) = patient.gender.as_deref().and_then(gender_code) {
        patient.gender = Some(code.to_owned());
    }
    patient.telephone = patient.telephone.map(|t| us_number(&t).unwrap_or(t));
    patient.patient_ids.retain(|i| !i.root.trim().is_empty() && !i.id.trim().is_empty());
    patient
}

/// A field of a patient that is a text.
struct Text<'p> {
    /// As the API names it.
    name: &'static str,
    /// A form takes at most [`TEXT_LIMIT`] characters. Others have their own format, or come from documents alone.
    is_limited: bool,
    value: &'p mut Option<String>,
}

/// The fields that are texts. All fields are named here, so that none is forgotten.
fn texts(patient: &mut Patient) -> [Text<'_>; 13] {
    let Patient {
        patient_id,
        first_name,
        middle_name,
        last_name,
        birth_date: _,
        gender,
        street_address1,
        street_address2,
        city,
        state,
        postal_code,
        telephone,
        visit_id,
        visit_date: _,
        country,
        patient_ids: _,
        known_patient_id: _,
        integration_meta: _,
    } = patient;
    let limited = |name, value| Text { name, is_limited: true, value };
    let other = |name, value| Text { name, is_limited: false, value };
    [
        limited("patientId", patient_id),
        limited("firstName", first_name),
        limited("middleName", middle_name),
        limited("lastName", last_name),
        limited("streetAddress1", street_address1),
        limited("streetAddress2", street_address2),
        limited("city", city),
        limited("telephone", telephone),
        other("gender", gender),
        other("state", state),
        other("postalCode", postal_code),
        other("visitId", visit_id),
        other("country", country),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PatientIdentifier;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 20).expect("a date")
    }

    fn fields_of(patient: &Patient) -> Vec<String> {
        let mut errors = FieldErrors::default();
        check(patient, today(), &mut errors);
        errors.0.into_keys().collect()
    }

    #[test]
    fn the_described_limits_are_those_of_the_check() {
        for (name, limit) in form_limits().into_iter().filter(|(name, _)| *name != "telephone") {
            for (length, refused) in [(limit, vec![]), (limit + 1, vec![format!("patient.{name}")])] {
                let patient = serde_json::from_value(serde_json::json!({ name: "x".repeat(length) }));
                assert_eq!(fields_of(&patient.expect("a patient")), refused, "{name}, {length}");
            }
        }
    }

    #[test]
    fn patient_texts_take_thirty_five_characters_and_no_more() {
        let fits = Patient { last_name: Some("x".repeat(35)), ..Patient::default() };
        let too_long = Patient { last_name: Some("x".repeat(36)), ..Patient::default() };
        assert!(fields_of(&fits).is_empty());
        assert_eq!(fields_of(&too_long), ["patient.lastName"]);
    }

    #[test]
    fn a_birth_date_after_today_and_an_unknown_gender_are_refused() {
        let patient =
            Patient { birth_date: today().succ_opt(), gender: Some("X".into()), ..Patient::default() };
        assert_eq!(fields_of(&patient), ["patient.birthDate", "patient.gender"]);
    }

    /// MSG-R-147
    #[test]
    fn a_gender_is_taken_as_its_code_or_written_out() {
        for (text, code) in [("male", "M"), ("female", "F"), ("undifferentiated", "UN"), ("UN", "UN")] {
            let patient = Patient { gender: Some(text.into()), ..Patient::default() };
            assert!(fields_of(&patient).is_empty(), "{text}");
            assert_eq!(tidy(patient).gender.as_deref(), Some(code));
        }
    }

    #[test]
    fn a_telephone_number_has_ten_digits_and_no_toll_free_area_or_is_one_of_another_country() {
        let of = |text: &str| Patient { telephone: Some(text.into()), ..Patient::default() };
        for right in ["", " ", "(555) 010-0142", "1-555-010-0142", "2 555 010 0142", "+44 20 7946 0018"] {
            assert!(fields_of(&of(right)).is_empty(), "{right}");
        }
        let wrong =
            ["555-0142", "1 877 555 0142", "+1 800 555 0142", "555 010 0142 x7", "442079460018", "+441"];
        for wrong in wrong {
            assert_eq!(fields_of(&of(wrong)), ["patient.telephone"], "{wrong}");
        }
        assert_eq!(tidy(of("+1 (555) 010-0142")).telephone.as_deref(), Some("5550100142"));
        assert_eq!(tidy(of("+44 20 7946 0018")).telephone.as_deref(), Some("+44 20 7946 0018"));
    }

    #[test]
    fn patient_ids_without_root_or_id_are_dropped() {
        let id = |root: &str, id: &str| PatientIdentifier { root: root.into(), id: id.into() };
        let patient =
            Patient { patient_ids: vec![id("1.2", "7"), id("", "8"), id("1.2", " ")], ..Patient::default() };
        assert_eq!(tidy(patient).patient_ids, [id("1.2", "7")]);
    }
}
