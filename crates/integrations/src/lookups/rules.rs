//! Rules of a search for patients.

use super::types::ChartPatientSearch;
use chrono::NaiveDate;
use fhir::model::{Gender, PatientQuery};
use patients::model::Patient;
use platform::fields::FieldErrors;

/// Fewest characters of a whole name.
const NAME: usize = 3;
/// Fewest characters of a first name, last name or record number.
const PART: usize = 2;

pub const NO_CRITERION: &str = "Please enter at least one criterion.";
pub const FACILITY_NEEDED: &str = "Please choose a facility.";
const GENDER: &str = "Please choose male, female or undifferentiated.";

/// The search for the EHR, or what is wrong with it. `requires_facility`: the connection needs one.
pub fn query(asked: &ChartPatientSearch, requires_facility: bool) -> Result<PatientQuery, FieldErrors> {
    let mut errors = FieldErrors::default();
    for (field, text, least) in [
        ("name", &asked.name, NAME),
        ("firstName", &asked.first_name, PART),
        ("lastName", &asked.last_name, PART),
        ("mrn", &asked.mrn, PART),
    ] {
        let is_long_enough = text.is_empty() || text.chars().count() >= least;
        errors.require(is_long_enough, field, format!("Please enter at least {least} characters."));
    }
    let gender = gender(&asked.gender);
    errors.require(gender.is_some() || asked.gender.is_empty(), "gender", GENDER);
    // Facility and gender alone would list everybody.
    let texts = [&asked.name, &asked.first_name, &asked.last_name, &asked.patient_id, &asked.mrn];
    let has_criterion = asked.birth_date.is_some() || texts.iter().any(|text| !text.is_empty());
    errors.require(has_criterion, "name", NO_CRITERION);
    errors.require(!requires_facility || !asked.facility.is_empty(), "facility", FACILITY_NEEDED);
    if !errors.0.is_empty() {
        return Err(errors);
    }
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(PatientQuery {
        name: text(&asked.name),
        born: asked.birth_date,
        family: text(&asked.last_name),
        given: text(&asked.first_name),
        id: text(&asked.patient_id),
        record_number: text(&asked.mrn),
        gender,
        facility: text(&asked.facility),
        include_inactive: asked.show_inactive,
    })
}

fn gender(text: &str) -> Option<Gender> {
    match text.to_ascii_lowercase().as_str() {
        "m" | "male" => Some(Gender::Male),
        "f" | "female" => Some(Gender::Female),
        "un" | "undifferentiated" => Some(Gender::Other),
        _ => None,
    }
}

const REQUIRED: &str = "The EHR needs this for a new patient.";

/// Checks a patient that is to be added to the EHR.
pub fn check_new(patient: &Patient, today: NaiveDate) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    patients::rules::check(patient, today, &mut errors);
    let has = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    errors.require(has(&patient.last_name), "lastName", REQUIRED);
    errors.require(has(&patient.first_name), "firstName", REQUIRED);
    errors.require(patient.birth_date.is_some(), "birthDate", REQUIRED);
    errors.require(has(&patient.gender), "gender", REQUIRED);
    if errors.0.is_empty() { Ok(()) } else { Err(errors) }
}
