//! Checks of typed patient data.

use crate::model::Patient;
use chrono::NaiveDate;
use clinical::cda::{is_foreign_number, us_number};
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors};

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
    let texts = [
        ("patientId", &patient.patient_id),
        ("firstName", &patient.first_name),
        ("middleName", &patient.middle_name),
        ("lastName", &patient.last_name),
        ("streetAddress1", &patient.street_address1),
        ("streetAddress2", &patient.street_address2),
        ("city", &patient.city),
    ];
    let fits = |text: &str| text.chars().count() <= TEXT_LIMIT;
    for (field, value) in texts {
        errors.require(value.as_deref().is_none_or(fits), &format!("patient.{field}"), DEFAULT_FIELD_ERROR);
    }
    let is_good = |text: &str| text.trim().is_empty() || is_phone(text.trim());
    let telephone = patient.telephone.as_deref().is_none_or(|text| fits(text) && is_good(text));
    errors.require(telephone, "patient.telephone", DEFAULT_FIELD_ERROR);
    let gender = patient.gender.as_deref().is_none_or(|g| g.is_empty() || gender_code(g).is_some());
    errors.require(gender, "patient.gender", DEFAULT_FIELD_ERROR);
    let state = patient
        .state
        .as_deref()
        .is_none_or(|s| s.is_empty() || (s.len() == 2 && s.bytes().all(|b| b.is_ascii_uppercase())));
    errors.require(state, "patient.state", DEFAULT_FIELD_ERROR);
    errors.require(patient.birth_date.is_none_or(|d| d <= today), "patient.birthDate", DEFAULT_FIELD_ERROR);
}

/// Normalizes patient data: trims texts, replaces empty ones by none, the gender by its code and a US telephone
/// number by its ten digits, and drops identifiers that lack root or id.
pub fn tidy(mut patient: Patient) -> Patient {
    for text in [
        &mut patient.patient_id,
        &mut patient.first_name,
        &mut patient.middle_name,
        &mut patient.last_name,
        &mut patient.gender,
        &mut patient.street_address1,
        &mut patient.street_address2,
        &mut patient.city,
        &mut patient.state,
        &mut patient.postal_code,
        &mut patient.telephone,
        &mut patient.visit_id,
        &mut patient.country,
    ] {
        *text = text.take().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty());
    }
    if let Some(code) = patient.gender.as_deref().and_then(gender_code) {
        patient.gender = Some(code.to_owned());
    }
    patient.telephone = patient.telephone.map(|t| us_number(&t).unwrap_or(t));
    patient.patient_ids.retain(|i| !i.root.trim().is_empty() && !i.id.trim().is_empty());
    patient
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
