//! Medplum's router and memory as the EHR.

use super::Peer;
use crate::{client, http, letter};
use fhir::client::Client;
use fhir::model::{Confidentiality, Gender, Identifier, NewDocument, Patient, PatientQuery, VisitClass};
use fhir::problem::Problem;
use fhir::write::{self, Content};
use serde_json::{Value, json};

async fn ehr() -> Option<(Peer, Client)> {
    let peer = Peer::start(include_str!("../../peers/ehr.mjs"), chart()).await?;
    let client = client(&peer.base);
    Some((peer, client))
}

/// Written as generators of synthetic patients and other EHRs write: ids that are UUIDs, several names and numbers, times
/// with zones, and references with displays.
fn chart() -> Value {
    let number = |kind: &str, system: &str, value: &str| {
        json!({
            "type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": kind}]},
            "system": system, "value": value,
        })
    };
    let cleopatra = json!({"reference": "Patient/cleo", "display": "Mrs. Cleopatra442 Bashirian201"});
    json!([
        {
            "resourceType": "Patient", "id": "cleo", "gender": "female", "birthDate": "1958-04-12",
            "identifier": [
                {"system": "https://github.com/synthetichealth/synthea", "value": "cleo"},
                number("MR", "http://hospital.smarthealthit.org", "MRN-0042"),
                number("SS", "http://hl7.org/fhir/sid/us-ssn", "999-21-9021"),
            ],
            "name": [
                {"use": "official", "family": "Bashirian201", "given": ["Cleopatra442", "Ann"], "prefix": ["Mrs."]},
                {"use": "maiden", "family": "Núñez", "given": ["Cleopatra442"]},
            ],
            "telecom": [{"system": "phone", "value": "555-761-3391", "use": "home"}],
            "address": [{"line": ["422 Funk Knoll"], "city": "Beverly", "state": "MA", "postalCode": "01915"}],
            "multipleBirthBoolean": false,
        },
        {
            "resourceType": "Patient", "id": "cleo-daughter", "gender": "female", "birthDate": "1987-04-12",
            "identifier": [number("MR", "http://hospital.smarthealthit.org", "MRN-0043")],
            "name": [{"family": "Bashirian201", "given": ["Cleopatra442"]}],
        },
        {"resourceType": "Practitioner", "id": "doctor", "active": true,
            "identifier": [{"system": "http://hl7.org/fhir/sid/us-npi", "value": "9999985291"}],
            "name": [{"family": "Bechtelar572", "given": ["Walton"], "prefix": ["Dr."]}]},
        {"resourceType": "Practitioner", "id": "other", "active": true,
            "name": [{"family": "Kris249", "given": ["Abe"]}]},
        {"resourceType": "Encounter", "id": "first", "status": "finished", "subject": cleopatra,
            "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"},
            "type": [{"text": "General examination"}],
            "participant": [{"individual": {"reference": "Practitioner/doctor", "display": "Dr. Bechtelar572"}}],
            "period": {"start": "2025-01-02T09:15:00-05:00", "end": "2025-01-02T09:30:00-05:00"}},
        {"resourceType": "Encounter", "id": "second", "status": "in-progress", "subject": cleopatra,
            "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "EMER"},
            "period": {"start": "2026-02-03T23:50:00-05:00"}},
        {"resourceType": "Encounter", "id": "others", "status": "finished",
            "subject": {"reference": "Patient/cleo-daughter"},
            "class": {"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB"}},
        {"resourceType": "ServiceRequest", "id": "echo", "status": "active", "intent": "order",
            "subject": cleopatra, "encounter": {"reference": "Encounter/second"},
            "code": {"coding": [{"system": "http://loinc.org", "code": "34552-0", "display": "Echocardiogram"}]},
            "authoredOn": "2026-02-04T00:10:00-05:00"},
        {"resourceType": "ServiceRequest", "id": "panel", "status": "completed", "intent": "order",
            "subject": cleopatra, "encounter": {"reference": "Encounter/first"},
            "code": {"text": "Lipid panel"}, "authoredOn": "2025-01-02"},
    ])
}

/// A letter with references to what this EHR has.
fn letter_here() -> NewDocument {
    NewDocument {
        patient_id: "cleo".into(),
        visit_id: Some("second".into()),
        order_ids: vec!["echo".into()],
        reviewer_id: Some("doctor".into()),
        reviewer_group: None,
        ..letter()
    }
}

#[tokio::test]
async fn patients_of_another_ehr_are_found_and_read() {
    let Some((_peer, client)) = ehr().await else { return };
    assert_eq!(client.offers().await.unwrap().fhir_version, "4.0.1");
    let query = PatientQuery::default;
    let born = "1958-04-12".parse().ok();
    let both: &[&str] = &["cleo", "cleo-daughter"];
    let cases: [(PatientQuery, &[&str]); 8] = [
        (PatientQuery { name: Some("BASHIRIAN201, Cleopatra442".into()), ..query() }, both),
        (PatientQuery { name: Some("Bashirian201".into()), born, ..query() }, &["cleo"]),
        (PatientQuery { family: Some("Núñez".into()), ..query() }, &["cleo"]),
        (PatientQuery { given: Some("cleopatra442".into()), born, ..query() }, &["cleo"]),
        (PatientQuery { record_number: Some("MRN-0043".into()), ..query() }, &["cleo-daughter"]),
        (PatientQuery { record_number: Some("MRN-0043".into()), born, ..query() }, &[]),
        (PatientQuery { born, gender: Some(Gender::Male), ..query() }, &[]),
        (PatientQuery { id: Some("cleo".into()), born, ..query() }, &["cleo"]),
    ];
    for (number, (query, expected)) in cases.into_iter().enumerate() {
        let found = client.find_patients(&query).await.unwrap();
        let ids: Vec<_> = found.items.iter().map(|patient| patient.id.as_str()).collect();
        assert_eq!(ids, expected, "case {number}");
    }
    let patient = client.patient("cleo").await.unwrap().unwrap();
    assert_eq!((patient.given.as_str(), patient.middle.as_str()), ("Cleopatra442", "Ann"));
    assert_eq!(patient.former_names, ["Núñez"]);
    assert_eq!(patient.record_number.as_deref(), Some("MRN-0042"));
    assert_eq!((patient.street1.as_str(), patient.phone.as_str()), ("422 Funk Knoll", "555-761-3391"));
    assert_eq!(client.patient("nobody").await, Ok(None));
}

#[tokio::test]
async fn visits_orders_and_practitioners_of_another_ehr_are_listed() {
    let Some((_peer, client)) = ehr().await else { return };
    let visits = client.visits("cleo").await.unwrap().items;
    let of = |at: usize| (visits[at].id.as_str(), visits[at].class, visits[at].description.as_str());
    assert_eq!(of(0), ("second", VisitClass::Emergency, ""));
    assert_eq!(of(1), ("first", VisitClass::Office, "General examination"));
    assert_eq!((visits.len(), visits[1].provider.as_str()), (2, "Dr. Bechtelar572"));
    assert_eq!(visits[0].begins.unwrap().day().to_string(), "2026-02-03", "where the patient was");
    let orders = client.orders("cleo", None).await.unwrap().items;
    let names: Vec<_> = orders.iter().map(|order| order.description.as_str()).collect();
    assert_eq!(names, ["Echocardiogram", "Lipid panel"]);
    let orders = client.orders("cleo", Some("first")).await.unwrap().items;
    assert_eq!((orders.len(), orders[0].id.as_str()), (1, "panel"));
    assert!(client.visits("nobody").await.unwrap().items.is_empty());
    let reviewers = client.reviewers("walton bech").await.unwrap().items;
    let names: Vec<_> = reviewers.iter().map(|one| (one.family.as_str(), one.user_name.as_str())).collect();
    assert_eq!(names, [("Bechtelar572", "9999985291")]);
    assert_eq!(client.reviewers("").await.unwrap().items.len(), 2);
}

#[tokio::test]
async fn a_document_is_filed_in_another_ehr_once_and_withdrawn() {
    let Some((_peer, client)) = ehr().await else { return };
    let document = letter_here();
    let filed = client.file(&document).await.unwrap();
    assert!(filed.is_new && filed.version.is_some());
    let again = client.file(&document).await.unwrap();
    assert_eq!((&again.id, &again.version, again.is_new), (&filed.id, &filed.version, false));
    let found = client.find_filed(document.identifier).await.unwrap().unwrap();
    assert_eq!((found.id, found.location), (filed.id.clone(), filed.location.clone()));

    let other = NewDocument { patient_id: "cleo-daughter".into(), ..document.clone() };
    assert_eq!(client.file(&other).await, Err(Problem::WrongPatient));
    let withdraw = async |patient: &str| client.withdraw(&filed.id, document.identifier, patient).await;
    assert_eq!(withdraw("cleo-daughter").await, Err(Problem::WrongPatient));
    withdraw("cleo").await.unwrap();
    withdraw("cleo").await.unwrap();
    assert!(matches!(client.file(&document).await, Err(Problem::Refused { status: 409, .. })));
    let kept = http().send(http::Request::get(&filed.location).body(Vec::new()).unwrap(), 1 << 20).await;
    let kept: Value = serde_json::from_slice(kept.unwrap().body()).unwrap();
    let mut written = write::document(&document, Content::Inline);
    written["status"] = "entered-in-error".into();
    for (field, value) in written.as_object().unwrap() {
        match field.as_str() {
            "meta" => assert_eq!(kept["meta"]["tag"], value["tag"]),
            _ => assert_eq!(&kept[field], value),
        }
    }
    assert_ne!(kept["meta"]["versionId"].as_str(), filed.version.as_deref());
}

/// The EHR cannot tell which one is meant (412).
#[tokio::test]
async fn a_document_that_another_ehr_has_twice_is_found() {
    let Some((peer, client)) = ehr().await else { return };
    let document = letter_here();
    for _ in 0..2 {
        let written = write::document(&document, Content::Inline).to_string().into_bytes();
        let create = http::Request::post(format!("{}/DocumentReference", peer.base)).body(written).unwrap();
        assert_eq!(http().send(create, 1 << 20).await.unwrap().status(), 201);
    }
    assert!(!client.file(&document).await.unwrap().is_new);
}

#[tokio::test]
async fn large_and_bare_documents_are_filed_in_another_ehr() {
    let Some((_peer, client)) = ehr().await else { return };
    // The smaller one is refused within the document, and then sent apart.
    for size in [1 << 20, 5 << 20] {
        let large = NewDocument { content: vec![b'x'; size].into(), ..letter_here() };
        let filed = client.file(&large).await.unwrap();
        assert!(filed.is_new);
        assert_eq!(client.file(&large).await.unwrap().id, filed.id);
    }
    let bare = NewDocument {
        identifier: uuid::Uuid::new_v4(),
        visit_id: None,
        order_ids: Vec::new(),
        reviewer_id: None,
        date: None,
        confidentiality: Confidentiality::Normal,
        note: None,
        is_urgent: false,
        author: String::new(),
        ..letter_here()
    };
    assert!(client.file(&bare).await.unwrap().is_new);
}

#[tokio::test]
async fn a_patient_is_added_to_another_ehr_once() {
    let Some((_peer, client)) = ehr().await else { return };
    let numbered = |value: &str, family: &str| Patient {
        family: family.into(),
        given: "Aiyana".into(),
        born: "1989-07-22".parse().ok(),
        identifiers: vec![Identifier {
            system: "http://hospital.example/numbers?of=us&kind=mr".into(),
            value: value.into(),
            kind: Some("MR".into()),
        }],
        is_active: true,
        ..Patient::default()
    };
    let added = client.add_patient(&numbered("A&B + 10%20", "Whitcomb")).await.unwrap();
    assert_eq!(added.record_number.as_deref(), Some("A&B + 10%20"));
    let again = client.add_patient(&numbered("A&B + 10%20", "Whitcomb")).await.unwrap();
    assert_eq!(again.id, added.id);
    let next = client.add_patient(&numbered("A&B + 10", "Whitcomb")).await.unwrap();
    assert_ne!(next.id, added.id, "another number");
    let other = client.add_patient(&numbered("A&B + 10", "Paek")).await;
    assert_eq!(other, Err(Problem::WrongPatient));
}
