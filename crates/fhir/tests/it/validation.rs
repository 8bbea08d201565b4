//! What is written, validated by `fhir.resources`.

use fhir::model::{Confidentiality, Identifier, NewDocument, Patient};
use fhir::write::{self, Content};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Validates a list of resources. R4B has the same DocumentReference and Patient as R4.
const VALIDATOR: &str = "
import json, sys
from fhir.resources.R4B import get_fhir_model_class
for resource in json.load(sys.stdin):
    get_fhir_model_class(resource['resourceType']).model_validate(resource)
print('valid')
";

/// The interpreter with fhir.resources: the system's, or the one that `script/test` creates.
fn python() -> Option<PathBuf> {
    [PathBuf::from("python3"), crate::target().join("peers/bin/python3")].into_iter().find(|python| {
        let tried =
            Command::new(python).args(["-c", "import fhir.resources.R4B"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    })
}

fn validate(python: &Path, resources: &Value) -> (bool, String) {
    let mut started = Command::new(python)
        .args(["-c", VALIDATOR])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    started.stdin.take().unwrap().write_all(resources.to_string().as_bytes()).unwrap();
    let ended = started.wait_with_output().unwrap();
    (ended.stdout == b"valid\n", String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn documents_and_patients_are_valid() {
    let Some(python) = python() else {
        return crate::skipped("fhir.resources is missing");
    };
    let plain = NewDocument {
        visit_id: None,
        order_ids: Vec::new(),
        reviewer_id: None,
        reviewer_group: None,
        date: None,
        confidentiality: Confidentiality::Normal,
        note: Some(String::new()),
        is_urgent: false,
        author: String::new(),
        ..crate::letter()
    };
    let patient = Patient {
        family: "O'Rourke".into(),
        given: "Samuel".into(),
        middle: "T".into(),
        former_names: vec!["Finch".into()],
        born: "1979-04-25".parse().ok(),
        identifiers: vec![Identifier { system: String::new(), value: "1".into(), kind: Some("SS".into()) }],
        record_number: Some("LFM-19932".into()),
        street1: "640 Station Road".into(),
        phone: "(555) 010-0156".into(),
        is_deceased: true,
        facility: Some("main-street".into()),
        ..Patient::default()
    };
    let resources = json!([
        write::document(&crate::letter(), Content::Inline),
        write::document(&plain, Content::At("Binary/1")),
        write::patient(&patient),
        write::patient(&Patient { family: "Only".into(), ..Patient::default() }),
    ]);
    assert_eq!(validate(&python, &resources), (true, String::new()));
    let mut broken = resources;
    broken[0]["status"] = Value::Null;
    broken[0]["subjekt"] = json!({});
    assert!(!validate(&python, &broken).0, "the validator validates");
}
