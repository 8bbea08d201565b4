//! Encounter.

use super::parts::{concept, id, moment, reference_id, resource_type};
use crate::json::{inner, list, owned, text};
use crate::model::{Visit, VisitClass};
use serde_json::Value;

/// The visit; `None` if this is none, has no id, or was entered in error.
pub fn visit(resource: &Value) -> Option<Visit> {
    let status = owned(resource, "status").unwrap_or_default();
    if resource_type(resource) != Some("Encounter") || status == "entered-in-error" {
        return None;
    }
    let period = inner(resource, "period");
    let description = list(resource, "type").chain(list(resource, "reasonCode")).find_map(concept);
    Some(Visit {
        id: id(resource)?,
        begins: text(period, "start").and_then(moment),
        ends: text(period, "end").and_then(moment),
        provider: provider(resource),
        description: description.unwrap_or_default(),
        is_cancelled: status == "cancelled",
        status,
        class: class(inner(resource, "class")),
        facility: facility(resource),
    })
}

fn provider(resource: &Value) -> String {
    let individuals = || list(resource, "participant").map(|participant| inner(participant, "individual"));
    let is_practitioner =
        |individual: &&Value| text(individual, "reference").is_some_and(|link| link.contains("Practitioner"));
    let name = individuals().filter(is_practitioner).chain(individuals()).find_map(|by| owned(by, "display"));
    name.unwrap_or_default()
}

/// From a Coding of v3-ActCode. Some servers send a CodeableConcept.
fn class(class: &Value) -> VisitClass {
    let code = text(class, "code").or_else(|| list(class, "coding").find_map(|coding| text(coding, "code")));
    match code {
        Some("AMB") => VisitClass::Office,
        Some("EMER") => VisitClass::Emergency,
        Some("IMP" | "ACUTE" | "NONAC") => VisitClass::Inpatient,
        Some("OBSENC" | "SS") => VisitClass::Observation,
        Some("HH") => VisitClass::Home,
        Some("VR") => VisitClass::Virtual,
        _ => VisitClass::Other,
    }
}

fn facility(resource: &Value) -> Option<String> {
    let location =
        || list(resource, "location").find_map(|place| reference_id(inner(place, "location"), "Location"));
    reference_id(inner(resource, "serviceProvider"), "Organization").or_else(location)
}
