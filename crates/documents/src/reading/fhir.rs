//! FHIR resources as JSON or XML: documents as sections, other resources as tables, attachments as parts.

use std::collections::HashMap;

use clinical::{cda::narrative, embedded::from_base64};
use mail_parser::decoders::html::html_to_text;
use roxmltree::Node;
use serde_json::{Map, Value};

use super::fhir_standing::{self, no_value, said};
use super::fhir_words::{is_shown, items, label, measured, member, text, type_words, words};
use super::{Part, Reading, file_name};
use crate::error::ConversionError;

const NAMESPACE: &str = "http://hl7.org/fhir";
/// Maximum number of XML nodes.
const MAX_NODES: u32 = 1_000_000;
/// Maximum nesting of XML elements; the JSON parser has its own limit.
const MAX_DEPTH: usize = 120;
/// Maximum number of displayed resources of a bundle.
const MAX_RESOURCES: usize = 2_000;
/// Maximum nesting of sections.
const MAX_SECTIONS: u8 = 8;

const BROKEN: ConversionError = ConversionError::Broken("the FHIR resource cannot be read");

/// Whether an XML text is a FHIR resource, judging by its beginning.
pub(crate) fn is_fhir_xml(text: &str) -> bool {
    let head: String = text.chars().take(4_000).collect();
    head.contains("\"http://hl7.org/fhir\"") || head.contains("'http://hl7.org/fhir'")
}

/// Reads JSON.
pub(super) fn read_json(content: &str) -> Result<Reading, ConversionError> {
    let value: Value = serde_json::from_str(content.trim_start_matches('\u{feff}')).map_err(|_| BROKEN)?;
    if text(&value, "resourceType").is_empty() {
        return Err(BROKEN);
    }
    Ok(shown(&value))
}

/// Reads XML; [`ConversionError::Unsupported`] for XML other than FHIR.
pub(super) fn read_xml(content: &str) -> Result<Reading, ConversionError> {
    let content = content.trim_start_matches('\u{feff}').trim_start();
    let document = xml::parse(content, MAX_NODES).map_err(|_| BROKEN)?;
    let root = document.root_element();
    if root.tag_name().namespace() != Some(NAMESPACE) {
        return Err(ConversionError::Unsupported);
    }
    Ok(shown(&resource_of(root, content, 0).ok_or(ConversionError::TooLarge)?))
}

/// Converts the XML element of a resource to the JSON form.
fn resource_of(node: Node<'_, '_>, xml: &str, depth: usize) -> Option<Value> {
    let mut value = value_of(node, xml, depth)?;
    if let Value::Object(object) = &mut value {
        object.insert("resourceType".to_owned(), node.tag_name().name().into());
        return Some(value);
    }
    // The resource is empty.
    Some(serde_json::json!({ "resourceType": node.tag_name().name() }))
}

fn value_of(node: Node<'_, '_>, xml: &str, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut object = Map::new();
    for child in node.children().filter(Node::is_element) {
        let name = child.tag_name().name();
        let is_resource = name.starts_with(|c: char| c.is_ascii_uppercase());
        if is_resource && matches!(node.tag_name().name(), "resource" | "contained" | "outcome") {
            return resource_of(child, xml, depth + 1);
        }
        let value = match name {
            "div" => Value::from(&xml[child.range()]),
            _ => value_of(child, xml, depth + 1)?,
        };
        match object.get_mut(name) {
            Some(Value::Array(items)) => items.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => _ = object.insert(name.to_owned(), value),
        }
    }
    Some(match node.attribute("value") {
        Some(text) => text.into(),
        None => Value::Object(object),
    })
}

fn shown(value: &Value) -> Reading {
    let mut reading = Reading::new(title(value));
    match text(value, "resourceType") {
        "Bundle" => bundle(&mut reading, value),
        _ => {
            resource(&mut reading, value);
            attachments(&mut reading, value);
        }
    }
    reading
}

/// Title such as `Patient: Ines Roe`.
fn title(value: &Value) -> String {
    let kind = type_words(value);
    if text(value, "resourceType") == "Bundle" {
        let composition = resources(value).find(|one| text(one, "resourceType") == "Composition");
        let title = |one: &Value| Some(member(one, "title")).filter(|title| !title.is_empty());
        let named = composition.and_then(|one| title(one).map(|title| said(one, &title)));
        return named.unwrap_or_else(|| format!("FHIR bundle ({})", text(value, "type")));
    }
    match summary(value) {
        name if name.is_empty() => kind,
        name => format!("{kind}: {name}"),
    }
}

/// Topic and standing of a resource, on one line.
fn summary(value: &Value) -> String {
    const KEYS: [&str; 9] = [
        "title",
        "name",
        "code",
        "medicationCodeableConcept",
        "vaccineCode",
        "type",
        "description",
        "status",
        "id",
    ];
    let found = KEYS.iter().map(|key| member(value, key)).find(|words| !words.is_empty());
    let words: String =
        found.unwrap_or_default().lines().next().unwrap_or_default().chars().take(200).collect();
    said(value, &words)
}

fn resources(bundle: &Value) -> impl Iterator<Item = &Value> {
    items(bundle.get("entry")).iter().filter_map(|entry| entry.get("resource"))
}

/// Resources by their full URL and by `Type/id`.
fn addresses(bundle: &Value) -> HashMap<String, &Value> {
    let mut found = HashMap::new();
    for entry in items(bundle.get("entry")) {
        let Some(resource) = entry.get("resource") else { continue };
        let id = text(resource, "id");
        let local =
            if id.is_empty() { String::new() } else { format!("{}/{id}", text(resource, "resourceType")) };
        for address in [text(entry, "fullUrl").to_owned(), local] {
            // An empty reference has no target.
            if !address.is_empty() {
                found.entry(address).or_insert(resource);
            }
        }
    }
    found
}

fn bundle(reading: &mut Reading, bundle: &Value) {
    let known = addresses(bundle);
    let composition = resources(bundle).find(|one| text(one, "resourceType") == "Composition");
    match composition {
        Some(composition) => self::composition(reading, composition, &known),
        None => collection(reading, bundle),
    }
    resources(bundle).for_each(|resource| attachments(reading, resource));
}

fn composition(reading: &mut Reading, composition: &Value, known: &HashMap<String, &Value>) {
    let subject = items(composition.get("subject")).first();
    let patient = subject.and_then(|subject| known.get(text(subject, "reference")));
    let of_patient = |key: &str| patient.map(|patient| member(patient, key)).unwrap_or_default();
    let named = subject.map(words).filter(|_| patient.is_none()).unwrap_or_else(|| of_patient("name"));
    let fact = |label: &str, value: String| (label.to_owned(), value);
    reading.facts([
        fact("Patient", named),
        fact("Date of birth", of_patient("birthDate")),
        fact("Gender", of_patient("gender")),
        fact("Identifiers", of_patient("identifier")),
        fact("Address", of_patient("address")),
        fact("Telephone", of_patient("telecom")),
        fact("Document type", member(composition, "type")),
        fact("Date", member(composition, "date")),
        fact("Status", member(composition, "status")),
        fact("Author", referred(composition.get("author"), known)),
        fact("Custodian", referred(composition.get("custodian"), known)),
        fact("Confidentiality", member(composition, "confidentiality")),
    ]);
    narrative(reading, composition);
    for section in items(composition.get("section")) {
        self::section(reading, section, known, 1);
    }
}

/// Names of the targets of references.
fn referred(value: Option<&Value>, known: &HashMap<String, &Value>) -> String {
    let name = |reference: &Value| match known.get(text(reference, "reference")) {
        Some(resource) => summary(resource),
        None => words(reference),
    };
    items(value).iter().map(name).collect::<Vec<_>>().join("\n")
}

fn section(reading: &mut Reading, section: &Value, known: &HashMap<String, &Value>, level: u8) {
    if level > MAX_SECTIONS {
        return reading.note_once("Sections that are nested more deeply are not shown here.");
    }
    let title = [member(section, "title"), member(section, "code"), "Section".to_owned()];
    reading.heading(level.min(3), title.iter().find(|title| !title.is_empty()).map_or("", String::as_str));
    if !narrative(reading, section) {
        let rows = items(section.get("entry")).iter().take(MAX_RESOURCES).map(|reference| {
            match known.get(text(reference, "reference")) {
                Some(resource) => {
                    vec![type_words(resource), summary(resource), fhir_standing::status(resource)]
                }
                None => vec![String::new(), words(reference), String::new()],
            }
        });
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() && section.get("section").is_none() {
            let reason = Some(member(section, "emptyReason")).filter(|reason| !reason.is_empty());
            reading.note(reason.map_or("No text.".to_owned(), |reason| format!("No entries: {reason}")));
        }
        reading.table(&["Kind", "Entry", "Status"], rows);
        if items(section.get("entry")).len() > MAX_RESOURCES {
            reading.note("The section has more entries than are shown here.");
        }
    }
    for inner in items(section.get("section")) {
        self::section(reading, inner, known, level + 1);
    }
}

/// Adds the narrative of a resource or section, if any. Only its text, lists and tables are used.
fn narrative(reading: &mut Reading, value: &Value) -> bool {
    let Some(div) = value.get("text").map(|narrative| text(narrative, "div")).filter(|div| !div.is_empty())
    else {
        return false;
    };
    let blocks = narrative::from_xhtml(&entities(div));
    match blocks {
        Some(blocks) => reading.narrative(blocks),
        None => reading.text(&html_to_text(div)),
    }
    true
}

/// Replaces XHTML entities that XML does not have, as far as they are common in narratives.
fn entities(div: &str) -> String {
    let mut out = div.to_owned();
    for (name, sign) in
        [("&nbsp;", "\u{a0}"), ("&ndash;", "–"), ("&mdash;", "—"), ("&copy;", "©"), ("&deg;", "°")]
    {
        if out.contains(name) {
            out = out.replace(name, sign);
        }
    }
    out
}

/// Adds the resources of a bundle that is not a document: observations as a table, others one by one.
fn collection(reading: &mut Reading, bundle: &Value) {
    reading.facts([
        ("Type".to_owned(), member(bundle, "type")),
        ("Time".to_owned(), member(bundle, "timestamp")),
        ("Resources".to_owned(), items(bundle.get("entry")).len().to_string()),
    ]);
    let (observations, others): (Vec<_>, Vec<_>) =
        resources(bundle).take(MAX_RESOURCES).partition(|one| text(one, "resourceType") == "Observation");
    for one in others {
        reading.heading(1, &title(one));
        resource(reading, one);
    }
    if !observations.is_empty() {
        reading.heading(1, "Observations");
        reading.table(&OBSERVATION, observations.into_iter().flat_map(observation).collect());
    }
    if items(bundle.get("entry")).len() > MAX_RESOURCES {
        reading.note("The bundle has more resources than are shown here.");
    }
}

const OBSERVATION: [&str; 6] =
    ["Observation", "Value", "Reference range", "Interpretation", "Time", "Status"];

/// A row for an observation, and one for each of its components.
fn observation(value: &Value) -> Vec<Vec<String>> {
    let row = |of: &Value, name: String| {
        let range = items(of.get("referenceRange")).iter().map(words).collect::<Vec<_>>().join("\n");
        let measured = Some(measured(of)).filter(|measured| !measured.is_empty());
        let measured = measured.or_else(|| no_value(of)).unwrap_or_default();
        vec![name, measured, range, member(of, "interpretation"), String::new(), String::new()]
    };
    let mut first = row(value, said(value, &member(value, "code")));
    first[4] = ["effectiveDateTime", "effectivePeriod", "issued"]
        .iter()
        .map(|key| member(value, key))
        .find(|time| !time.is_empty())
        .unwrap_or_default();
    first[5] = fhir_standing::status(value);
    // Each row must be understandable by itself, so each one includes the standing.
    let parts = items(value.get("component"))
        .iter()
        .map(|part| row(part, format!("  {}", said(value, &member(part, "code")))));
    std::iter::once(first).chain(parts).collect()
}

fn resource(reading: &mut Reading, value: &Value) {
    if let Some(standing) = fhir_standing::standing(value) {
        reading.note(format!("{standing}."));
    }
    if text(value, "resourceType") == "Observation" {
        reading.table(&OBSERVATION, observation(value));
    }
    narrative(reading, value);
    let Some(object) = value.as_object() else { return };
    let facts = object.iter().filter(|(key, _)| is_shown(key) && *key != "data");
    reading.facts(facts.map(|(key, value)| (label(key), words(value))).collect::<Vec<_>>());
}

/// Adds the files inside a resource, at any depth.
fn attachments(reading: &mut Reading, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| attachments(reading, item)),
        Value::Object(object) => {
            if let (Some(Value::String(data)), Some(Value::String(_))) =
                (object.get("data"), object.get("contentType"))
            {
                attachment(reading, value, data);
            }
            object.values().filter(|inner| !inner.is_string()).for_each(|inner| attachments(reading, inner));
        }
        _ => {}
    }
}

fn attachment(reading: &mut Reading, value: &Value, data: &str) {
    let Some(content) = from_base64(data).filter(|content| !content.is_empty()) else {
        return reading.note_once("A file in this resource cannot be read.");
    };
    let title = text(value, "title").to_owned();
    let name = file_name(&title.replace(['/', ':'], "-"), &content, reading.parts.len() + 1);
    if reading.part(Part { name, title, content, is_decoration: false }).is_none() {
        reading.note_once("There are more files in this resource than are listed here.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    const DOCUMENT: &str = r#"{"resourceType":"Bundle","type":"document","entry":[
        {"fullUrl":"urn:uuid:c","resource":{"resourceType":"Composition","title":"Discharge summary","status":"final","date":"2026-11-17T09:30:00-05:00",
         "subject":{"reference":"urn:uuid:p"},"author":[{"display":"Ada Poe"}],
         "section":[{"title":"Plan","text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>5&nbsp;mg <b>daily</b></p><script>alert(1)</script></div>"}},
                    {"title":"Problems","entry":[{"reference":"Condition/7"}]}]}},
        {"fullUrl":"urn:uuid:p","resource":{"resourceType":"Patient","name":[{"family":"Roe","given":["Ines"]}],"birthDate":"1970-01-02"}},
        {"resource":{"resourceType":"Condition","id":"7","code":{"text":"Asthma"}}},
        {"resource":{"resourceType":"DocumentReference","content":[{"attachment":{"contentType":"application/pdf","title":"Letter","data":"JVBERi0xLjc="}}]}}]}"#;

    #[test]
    fn a_document_shows_its_patient_and_sections_and_lists_its_files() {
        let reading = read_json(DOCUMENT).unwrap();
        assert_eq!(reading.title, "Discharge summary");
        let text = reading.plain_text();
        for words in [
            "Patient: Ines Roe",
            "Date of birth: 1970-01-02",
            "Author: Ada Poe",
            "5\u{a0}mg daily",
            "Condition\tAsthma",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("alert"));
        let parts: Vec<_> = reading.parts.iter().map(|part| (part.name.as_str(), part.kind())).collect();
        assert_eq!(parts, [("Letter.pdf", Kind::Pdf)]);
    }

    #[test]
    fn what_reverses_or_weakens_a_resource_is_said_wherever_it_is_shown() {
        let document = r#"{"resourceType":"Bundle","type":"document","entry":[
            {"resource":{"resourceType":"Composition","title":"Visit","status":"entered-in-error","section":[
                {"title":"Problems","entry":[{"reference":"Condition/1"},{"reference":"Immunization/2"}]},
                {"title":"Allergies","emptyReason":{"coding":[{"code":"nilknown","display":"Nil known"}]}}]}},
            {"resource":{"resourceType":"Condition","id":"1","code":{"text":"Pneumonia"},"verificationStatus":{"coding":[{"code":"refuted"}]}}},
            {"resource":{"resourceType":"Immunization","id":"2","status":"not-done","vaccineCode":{"text":"Influenza vaccine"},"statusReason":{"text":"Patient objection"}}}]}"#;
        let text = read_json(document).unwrap().plain_text();
        for words in [
            "Withdrawn: Visit",
            "Condition\tNot present: Pneumonia",
            "Not given: Influenza vaccine\tnot-done, Patient objection",
            "No entries: Nil known (nilknown)",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let results = r#"{"resourceType":"Bundle","type":"collection","entry":[
            {"resource":{"resourceType":"Observation","status":"entered-in-error","code":{"text":"Pressure"},"component":[{"code":{"text":"Systolic"},"valueInteger":190}]}},
            {"resource":{"resourceType":"Observation","status":"final","code":{"text":"Glucose"},"dataAbsentReason":{"text":"Specimen clotted"}}},
            {"resource":{"resourceType":"Procedure","status":"not-done","code":{"text":"Biopsy"}}}]}"#;
        let text = read_json(results).unwrap().plain_text();
        for words in [
            "Withdrawn: Pressure",
            "Withdrawn: Systolic\t190",
            "Glucose\tNo value: Specimen clotted",
            "Procedure: Not done: Biopsy",
            "Not done.",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }

    #[test]
    fn xml_says_the_same_as_json() {
        let xml = r#"<?xml version="1.0"?><Bundle xmlns="http://hl7.org/fhir"><type value="collection"/>
            <entry><resource><Patient><name><given value="Ines"/><given value="Q"/><family value="Roe"/></name><birthDate value="1970-01-02"/></Patient></resource></entry>
            <entry><resource><Observation><status value="final"/><code><coding><display value="Glucose"/><code value="2345-7"/></coding></code>
            <valueQuantity><value value="104"/><unit value="mg/dL"/></valueQuantity></Observation></resource></entry></Bundle>"#;
        assert!(is_fhir_xml(xml));
        let text = read_xml(xml).unwrap().plain_text();
        for words in ["Patient: Ines Q Roe", "Birth date: 1970-01-02", "Glucose (2345-7)\t104 mg/dL\tfinal"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(read_xml("<note xmlns='urn:x'/>").unwrap_err(), ConversionError::Unsupported);
    }

    #[test]
    fn what_is_left_out_because_of_a_limit_is_said() {
        let section = |inner: String| format!(r#"{{"title":"S","section":[{inner}]}}"#);
        let deep = (0..20).fold(section(String::new()), |inner, _| section(inner));
        let entries = vec![r#"{"display":"Asthma"}"#; MAX_RESOURCES + 1].join(",");
        let bundle = format!(
            r#"{{"resourceType":"Bundle","type":"document","entry":[{{"resource":{{"resourceType":"Composition","title":"T",
            "section":[{deep},{{"title":"Problems","entry":[{entries}]}}]}}}},{{"resource":{{"resourceType":"Binary","contentType":"text/plain","data":"*"}}}}]}}"#
        );
        let text = read_json(&bundle).unwrap().plain_text();
        for note in [
            "Sections that are nested more deeply are not shown here.",
            "The section has more entries than are shown here.",
            "A file in this resource cannot be read.",
        ] {
            assert_eq!(text.matches(note).count(), 1, "{note}");
        }
        let mut long = Reading { chars: crate::reading::MAX_CHARS, ..Reading::new("t") };
        narrative(&mut long, &serde_json::json!({ "text": { "div": "<div><p>more</p></div>" } }));
        assert!(long.plain_text().ends_with("more text than is shown here.\n"));
    }

    #[test]
    fn what_is_no_resource_or_nested_without_end_is_refused() {
        assert_eq!(read_json("{\"a\":1}").unwrap_err(), BROKEN);
        assert_eq!(read_json(&"[".repeat(100_000)).unwrap_err(), BROKEN);
        let deep = format!("<a xmlns='http://hl7.org/fhir'>{}{}</a>", "<b>".repeat(500), "</b>".repeat(500));
        assert_eq!(read_xml(&deep).unwrap_err(), ConversionError::TooLarge);
        let empty = read_json("{\"resourceType\":\"Patient\"}").unwrap();
        assert_eq!(empty.title, "Patient");
    }
}
