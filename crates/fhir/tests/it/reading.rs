//! Reading of single resources.

use chrono::NaiveDate;
use fhir::keys::SigningKey;
use fhir::model::{Gender, VisitClass};
use fhir::read;
use serde_json::{Value, json};

fn patient(mut fields: Value) -> fhir::model::Patient {
    fields["resourceType"] = "Patient".into();
    fields["id"] = "1".into();
    read::patient(&fields, NaiveDate::from_ymd_opt(2026, 3, 1).unwrap()).unwrap()
}

#[test]
fn the_name_in_force_is_taken_whole() {
    let named = patient(json!({"name": [
        {"use": "maiden", "family": "Cardenas", "given": ["Bea"]},
        {"use": "nickname", "given": ["Betty"]},
        {"use": "official", "family": "Before", "given": ["B"], "period": {"end": "2019"}},
        {"use": "official", "family": "Later", "given": ["L"], "period": {"start": "2026-04"}},
        {"use": "usual", "family": "Usual", "given": ["U"]},
        {"use": "official", "family": "Roy", "given": ["Beatriz", "L", "M"], "period": {"start": "2020", "end": "2026-03"}},
        {"use": "old", "family": "Before"},
    ]}));
    assert_eq!(
        (named.family.as_str(), named.given.as_str(), named.middle.as_str()),
        ("Roy", "Beatriz", "L M")
    );
    assert_eq!(named.former_names, ["Cardenas", "Before", "Later"]);

    // A first name is not borrowed from another name.
    let half =
        patient(json!({"name": [{"use": "official", "family": "Roy"}, {"use": "usual", "given": ["Bea"]}]}));
    assert_eq!((half.family.as_str(), half.given.as_str()), ("Roy", ""));
    for text in ["Roy, Beatriz L", "Beatriz L Roy"] {
        let named = patient(json!({"name": {"text": text}}));
        assert!(named.family == "Roy" && named.given.starts_with("Beatriz"), "{}", named.given);
    }
}

#[test]
fn no_day_of_birth_is_invented() {
    for (written, day) in [("1961", false), ("1961-03", false), ("1961-03-14", true), ("1961-02-30", false)] {
        assert_eq!(patient(json!({"birthDate": written})).born.is_some(), day, "{written}");
    }
}

#[test]
fn slightly_invalid_patients_are_read() {
    let read = patient(json!({
        "active": "false",
        "gender": "F",
        "identifier": [
            {"value": "1", "type": {"coding": [{"code": "SS"}]}},
            {"value": "2", "use": "old", "type": {"coding": [{"code": "MR"}]}},
            {"value": " 3 ", "type": {"coding": {"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}}},
            {"type": {"coding": [{"code": "MR"}]}},
            7,
        ],
        "telecom": [{"system": "email", "value": "x@y.example"}, {"system": "phone", "use": "work", "value": "2"}],
        "address": {"line": "1 Main", "city": 5},
        "deceasedDateTime": "2020",
    }));
    assert!(!read.is_active && read.is_deceased && read.gender == Gender::Unknown);
    assert_eq!((read.record_number.as_deref(), read.identifiers.len()), (Some("3"), 2));
    assert_eq!((read.phone.as_str(), read.street1.as_str(), read.city.as_str()), ("2", "1 Main", ""));
}

#[test]
fn visits_and_orders_keep_their_marks() {
    let visit = json!({
        "resourceType": "Encounter", "id": "1", "status": "cancelled",
        "class": {"coding": [{"code": "EMER"}]}, "period": {"start": "2026-02-01"},
    });
    let visit = read::visit(&visit).unwrap();
    assert!(visit.is_cancelled && visit.class == VisitClass::Emergency);
    assert_eq!(visit.begins.unwrap().day().to_string(), "2026-02-01");
    let order = json!({
        "resourceType": "ServiceRequest", "id": "1", "status": "revoked", "doNotPerform": true,
        "code": {"coding": [{"code": "x", "display": "MRI"}]}, "encounter": {"reference": "Encounter/7"},
    });
    let order = read::order(&order).unwrap();
    assert!(order.is_revoked && order.description == "Not to be performed: MRI");
    assert_eq!(order.visit_id.as_deref(), Some("7"));
}

#[test]
fn a_public_key_has_no_private_part_and_a_thumbprint() {
    let key = SigningKey::generate().unwrap();
    let jwk = key.public_jwk();
    assert_eq!((&jwk["kid"], &jwk["crv"], jwk.get("d")), (&key.key_id().into(), &"P-384".into(), None));
    assert_eq!(jwk["x"].as_str().map(str::len), Some(64));
}
