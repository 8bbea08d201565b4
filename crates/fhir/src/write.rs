//! Resources that are written: Patient and DocumentReference (US Core).

use crate::model::{Confidentiality, Gender, GroupKind, NewDocument, Patient};
use crate::read::URI;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use uuid::Uuid;

const RECORD_NUMBERS: &str = "http://terminology.hl7.org/CodeSystem/v2-0203";
const CONFIDENTIALITY: &str = "http://terminology.hl7.org/CodeSystem/v3-Confidentiality";
const PRIORITY: &str = "http://terminology.hl7.org/CodeSystem/v3-ActPriority";
const CATEGORY: &str = "http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category";

/// Where the content of a document is.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// In the DocumentReference itself.
    Inline,
    /// At this address of a Binary.
    At(&'a str),
}

/// The identifier of a document as a URI.
pub(crate) fn uri_of(identifier: Uuid) -> String {
    format!("urn:uuid:{identifier}")
}

/// The DocumentReference of a document.
///
/// R4 has no element for the person who is to review a document: `authenticator` would claim that they have. So reviewers
/// are in `context.related`, next to the orders.
pub fn document(document: &NewDocument, content: Content<'_>) -> Value {
    let mut attachment = json!({
        "contentType": document.media_type,
        "size": document.content.len(),
        "title": document.title,
    });
    match content {
        Content::Inline => attachment["data"] = STANDARD.encode(&document.content).into(),
        Content::At(url) => attachment["url"] = url.into(),
    }
    if let Some(date) = document.date {
        attachment["creation"] = date.to_string().into();
    }
    let mut resource = json!({
        "resourceType": "DocumentReference",
        "identifier": [{"system": URI, "value": uri_of(document.identifier)}],
        "status": "current",
        "docStatus": "final",
        "type": {
            "coding": [coding(&document.kind.system, &document.kind.code, &document.kind.name)],
            "text": document.kind.name,
        },
        "category": [{"coding": [coding(CATEGORY, "clinical-note", "Clinical Note")]}],
        "subject": reference("Patient", &document.patient_id),
        "description": document.note.as_ref().filter(|note| !note.is_empty()).unwrap_or(&document.title),
        "securityLabel": [{"coding": [confidentiality(document.confidentiality)]}],
        "content": [{"attachment": attachment}],
    });
    if !document.author.is_empty() {
        resource["author"] = json!([{"display": document.author}]);
    }
    if document.is_urgent {
        resource["meta"] = json!({"tag": [coding(PRIORITY, "UR", "urgent")]});
    }
    let context = context(document);
    if context.as_object().is_some_and(|fields| !fields.is_empty()) {
        resource["context"] = context;
    }
    resource
}

fn context(document: &NewDocument) -> Value {
    let mut context = json!({});
    if let Some(visit) = &document.visit_id {
        context["encounter"] = json!([reference("Encounter", visit)]);
    }
    let orders = document.order_ids.iter().map(|order| reference("ServiceRequest", order));
    let reviewer = document.reviewer_id.iter().map(|reviewer| reference("Practitioner", reviewer));
    let group = document.reviewer_group.iter().map(|(kind, id)| match kind {
        GroupKind::Group => reference("Group", id),
        GroupKind::CareTeam => reference("CareTeam", id),
    });
    let related: Vec<Value> = orders.chain(reviewer).chain(group).collect();
    if !related.is_empty() {
        context["related"] = related.into();
    }
    context
}

fn confidentiality(confidentiality: Confidentiality) -> Value {
    match confidentiality {
        Confidentiality::Normal => coding(CONFIDENTIALITY, "N", "normal"),
        Confidentiality::Restricted => coding(CONFIDENTIALITY, "R", "restricted"),
        Confidentiality::VeryRestricted => coding(CONFIDENTIALITY, "V", "very restricted"),
    }
}

/// The Patient, without its id. An empty text is left out, and a former name is an old one.
pub fn patient(patient: &Patient) -> Value {
    let mut names = vec![json!({"use": "official", "family": patient.family, "given": given(patient)})];
    names.extend(patient.former_names.iter().map(|family| json!({"use": "old", "family": family})));
    let mut resource = json!({
        "resourceType": "Patient",
        "active": patient.is_active,
        "name": names,
        "gender": gender(patient.gender),
    });
    let identifiers: Vec<Value> = patient.identifiers.iter().map(identifier).collect();
    let own_number = patient
        .record_number
        .as_ref()
        .filter(|number| !patient.identifiers.iter().any(|identifier| identifier.value == **number));
    let own_number = own_number.map(|number| json!({"type": kind("MR"), "value": number}));
    let address = address(patient);
    let fields = [
        ("identifier", Value::from_iter(identifiers.into_iter().chain(own_number))),
        ("birthDate", patient.born.map_or(Value::Null, |born| born.to_string().into())),
        ("address", Value::from_iter(address)),
        ("telecom", Value::from_iter(phone(patient))),
        ("deceasedBoolean", if patient.is_deceased { true.into() } else { Value::Null }),
        (
            "managingOrganization",
            patient.facility.as_ref().map_or(Value::Null, |id| reference("Organization", id)),
        ),
    ];
    for (field, value) in fields {
        if !(value.is_null() || value.as_array().is_some_and(Vec::is_empty)) {
            resource[field] = value;
        }
    }
    without_empty(&mut resource);
    resource
}

fn given(patient: &Patient) -> Vec<&str> {
    [patient.given.as_str(), &patient.middle].into_iter().filter(|part| !part.is_empty()).collect()
}

/// The code of a gender.
pub(crate) fn gender(gender: Gender) -> &'static str {
    match gender {
        Gender::Male => "male",
        Gender::Female => "female",
        Gender::Other => "other",
        Gender::Unknown => "unknown",
    }
}

fn identifier(identifier: &crate::model::Identifier) -> Value {
    let mut written = json!({"system": identifier.system, "value": identifier.value});
    if let Some(code) = &identifier.kind {
        written["type"] = kind(code);
    }
    written
}

fn kind(code: &str) -> Value {
    json!({"coding": [{"system": RECORD_NUMBERS, "code": code}]})
}

fn address(patient: &Patient) -> Option<Value> {
    let lines: Vec<&str> =
        [patient.street1.as_str(), &patient.street2].into_iter().filter(|line| !line.is_empty()).collect();
    let rest = [&patient.city, &patient.state, &patient.postal_code, &patient.country];
    if lines.is_empty() && rest.iter().all(|part| part.is_empty()) {
        return None;
    }
    Some(json!({
        "use": "home", "line": lines, "city": patient.city, "state": patient.state,
        "postalCode": patient.postal_code, "country": patient.country,
    }))
}

fn phone(patient: &Patient) -> Option<Value> {
    let is_known = !patient.phone.is_empty();
    is_known.then(|| json!({"system": "phone", "use": "home", "value": patient.phone}))
}

/// FHIR has no empty texts, lists and objects.
fn without_empty(value: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(without_empty);
            elements.retain(|element| !is_empty(element));
        }
        Value::Object(fields) => {
            fields.values_mut().for_each(without_empty);
            fields.retain(|_, field| !is_empty(field));
        }
        _ => {}
    }
}

fn reference(kind: &str, id: &str) -> Value {
    json!({"reference": format!("{kind}/{id}")})
}

fn coding(system: &str, code: &str, display: &str) -> Value {
    json!({"system": system, "code": code, "display": display})
}
