//! Checks of what people type about a message.

use crate::model::{AttachmentMeta, Patient};
use chrono::NaiveDate;
use clinical::cda::{is_foreign_number, us_number};
use platform::fields::{DEFAULT_FIELD_ERROR, FieldErrors};

/// Longest text of a patient field.
pub const TEXT_LIMIT: usize = 35;
/// Longest description of a file.
pub const DESCRIPTION_LIMIT: usize = 255;

/// Area codes of numbers that cost the caller nothing: they are nobody's own.
const TOLL_FREE: [&str; 6] = ["800", "888", "877", "866", "855", "844"];

/// A telephone number of ten digits, with or without a digit before them, that is not toll-free; or one of another country,
/// as documents write it: `+`, country code and number, up to 15 digits (E.164).
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

/// The code of a gender, which may be written out.
fn gender_code(text: &str) -> Option<&'static str> {
    match text {
        "M" | "male" => Some("M"),
        "F" | "female" => Some("F"),
        "UN" | "undifferentiated" => Some("UN"),
        _ => None,
    }
}

/// Checks the form of a patient's fields; which of them are required depends on the screen.
pub fn check_patient(patient: &Patient, today: NaiveDate, errors: &mut FieldErrors) {
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

/// Trims texts, turns empty ones into none, writes the gender as its code, leaves the ten digits of a US telephone number and drops identifiers that lack
/// root or id.
pub fn tidy_patient(mut patient: Patient) -> Patient {
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

/// What is missing to find the documents of a message later. `files` are their names, whether they are structured, and
/// their metadata.
pub fn gaps(patient: Option<&Patient>, files: &[(String, bool, AttachmentMeta)]) -> Vec<String> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.trim().is_empty());
    let is_named = |p: &Patient| [&p.first_name, &p.last_name, &p.patient_id].into_iter().any(given);
    let mut gaps = Vec::new();
    if !patient.is_some_and(is_named) {
        gaps.push("No patient is named. The document cannot be found by its patient.".into());
    }
    let untyped =
        files.iter().filter(|(_, is_structured, meta)| !is_structured && !given(&meta.document_type));
    gaps.extend(untyped.map(|(name, ..)| format!("No document type is chosen for {name}.")));
    gaps
}

/// Checks what is said about a file.
pub fn check_meta(meta: &AttachmentMeta, today: NaiveDate, errors: &mut FieldErrors) {
    let short = meta.document_description.as_deref().is_none_or(|d| d.chars().count() <= DESCRIPTION_LIMIT);
    errors.require(short, "documentDescription", DEFAULT_FIELD_ERROR);
    let known = meta
        .confidentiality
        .as_deref()
        .is_none_or(|c| matches!(c, "Normal" | "Restricted" | "VeryRestricted"));
    errors.require(known, "confidentiality", DEFAULT_FIELD_ERROR);
    let past = meta.document_date.is_none_or(|d| d <= today);
    errors.require(past, "documentDate", "Document Date must be equal or less than today.");
    let choice =
        meta.document_date_type.as_deref().is_none_or(|t| matches!(t, "today" | "message" | "selected"));
    errors.require(choice, "documentDateType", DEFAULT_FIELD_ERROR);
}

/// What an organization that files by patient needs before a message of the Intake is processed. `files` are name, whether
/// structured, and what is said of each.
pub fn check_processable(patient: Option<&Patient>, files: &[(String, bool, AttachmentMeta)]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.trim().is_empty());
    match patient.filter(|p| given(&p.first_name) || given(&p.last_name)) {
        None => errors.add("patient", "\"Patient Details\" information is required."),
        Some(patient) => {
            let (first, last) = (given(&patient.first_name), given(&patient.last_name));
            errors.require(first, "patient.firstName", "\"Patient First Name\" is required.");
            errors.require(last, "patient.lastName", "\"Patient Last Name\" is required.");
        }
    }
    for (name, _, _) in
        files.iter().filter(|(_, structured, meta)| !structured && !given(&meta.document_type))
    {
        errors.add("attachments", format!("\"Document Type\" is required for file {name}"));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PatientIdentifier;

    fn today() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
    }

    fn fields_of(patient: &Patient) -> Vec<String> {
        let mut errors = FieldErrors::default();
        check_patient(patient, today(), &mut errors);
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
            assert_eq!(tidy_patient(patient).gender.as_deref(), Some(code));
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
        assert_eq!(tidy_patient(of("+1 (555) 010-0142")).telephone.as_deref(), Some("5550100142"));
        assert_eq!(tidy_patient(of("+44 20 7946 0018")).telephone.as_deref(), Some("+44 20 7946 0018"));
    }

    #[test]
    fn patient_ids_without_root_or_id_are_dropped() {
        let id = |root: &str, id: &str| PatientIdentifier { root: root.into(), id: id.into() };
        let patient =
            Patient { patient_ids: vec![id("1.2", "7"), id("", "8"), id("1.2", " ")], ..Patient::default() };
        assert_eq!(tidy_patient(patient).patient_ids, [id("1.2", "7")]);
    }

    #[test]
    fn a_document_date_after_today_is_refused_in_the_documented_words() {
        let mut errors = FieldErrors::default();
        let meta = AttachmentMeta { document_date: today().succ_opt(), ..AttachmentMeta::default() };
        check_meta(&meta, today(), &mut errors);
        assert_eq!(errors.0["documentDate"], ["Document Date must be equal or less than today."]);
    }
}
