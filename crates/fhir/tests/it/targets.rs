//! Target of the repository's fuzzer.

use chrono::NaiveDate;
use fhir::{bundle, outcome, read};
use serde_json::Value;

/// For any bytes, reading them as each of the resources ends.
pub fn fhir_answer(data: &[u8]) {
    let Ok(answer) = serde_json::from_slice::<Value>(data) else { return };
    read_all(&answer);
    for entry in bundle::page(answer).map(|page| page.entries).unwrap_or_default() {
        read_all(&entry);
    }
}

fn read_all(resource: &Value) {
    let today = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
    if let Some(patient) = read::patient(resource, today) {
        assert!(read::is_id(&patient.id));
        assert!(patient.replaced_by.is_none() || !patient.is_active);
    }
    read::visit(resource);
    read::order(resource);
    read::reviewer(resource, today);
    read::reviewer_group(resource);
    read::facility(resource);
    read::document(resource);
    read::document_types(resource);
    read::offers(resource);
    read::subject(resource, "1", "https://ehr.example/fhir/");
    outcome::codes(resource);
}
