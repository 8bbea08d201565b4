//! Converts FHIR values to text, by their shape: a resource from another system may have any version.

use clinical::record_number::{self, Identifier};
use serde_json::{Map, Value};

/// Members without a meaning for readers.
const SILENT: [&str; 9] = [
    "resourceType",
    "meta",
    "text",
    "contained",
    "extension",
    "modifierExtension",
    "id",
    "implicitRules",
    "language",
];

/// Whether a member of a resource is shown.
pub(super) fn is_shown(key: &str) -> bool {
    !SILENT.contains(&key) && !key.starts_with('_')
}

/// The members of an array, or a single value: FHIR XML does not distinguish them.
pub(super) fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        Some(value) => std::slice::from_ref(value),
        None => &[],
    }
}

/// Converts `birthDate` to `Birth date`, `valueQuantity` to `Value`.
pub(super) fn label(key: &str) -> String {
    let key = match key {
        key if key.starts_with("value") && key.len() > 5 => "value",
        key => key,
    };
    let mut out = String::with_capacity(key.len() + 4);
    for (at, c) in key.chars().enumerate() {
        match (at, c.is_uppercase()) {
            (0, _) => out.extend(c.to_uppercase()),
            (_, true) => {
                out.push(' ');
                out.extend(c.to_lowercase());
            }
            _ => out.push(c),
        }
    }
    out
}

/// Converts `MedicationRequest` to `Medication request`.
pub(super) fn type_words(resource: &Value) -> String {
    label(text(resource, "resourceType"))
}

/// A text member; empty if missing.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default().trim()
}

/// Converts a value to text: several values to lines, no value to an empty text.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => moment(text.trim()),
        Value::Array(items) => joined(items.iter().map(words), "\n"),
        Value::Object(object) => object_words(value, object),
    }
}

/// The text of a member.
pub(super) fn member(value: &Value, key: &str) -> String {
    value.get(key).map(words).unwrap_or_default()
}

/// The value of an Observation or a component, of any type.
pub(super) fn measured(value: &Value) -> String {
    let object = value.as_object();
    let found = object.and_then(|object| object.iter().find(|(key, _)| key.starts_with("value")));
    found.map(|(_, value)| words(value)).unwrap_or_default()
}

fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

/// Converts `2026-11-17T09:30:00.123-05:00` to `2026-11-17 09:30 -05:00`; other text is unchanged.
fn moment(text: &str) -> String {
    let is_day = |day: &str| day.len() == 10 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let Some((day, time)) = text.split_once('T').filter(|(day, _)| is_day(day)) else {
        return text.to_owned();
    };
    let clock = time.get(..5).unwrap_or(time);
    let zone = time.find(['+', '-', 'Z']).map(|at| &time[at..]).unwrap_or_default();
    let zone = if zone == "Z" { "UTC" } else { zone };
    format!("{day} {clock} {zone}").trim_end().to_owned()
}

const WAYS: [&str; 7] = ["phone", "fax", "email", "pager", "url", "sms", "other"];

fn object_words(value: &Value, object: &Map<String, Value>) -> String {
    let has = |key: &str| object.contains_key(key);
    match () {
        () if has("div") => String::new(),
        () if has("coding") => match text(value, "text") {
            "" => member(value, "coding"),
            text => text.to_owned(),
        },
        () if has("family") || has("given") => name(value),
        () if has("line") || has("postalCode") || has("city") => address(value),
        () if has("value") && WAYS.contains(&text(value, "system")) => {
            joined([member(value, "value"), text(value, "use").to_owned()], ", ")
        }
        () if has("value") && (has("unit") || value["value"].is_number()) => {
            let comparator = text(value, "comparator");
            let unit = if has("unit") { text(value, "unit") } else { text(value, "code") };
            format!("{comparator}{} {unit}", member(value, "value")).trim_end().to_owned()
        }
        () if has("value") && (has("system") || has("type") || has("use")) => {
            match (member(value, "type"), is_social(value)) {
                (_, true) => format!("{} (social security number)", member(value, "value")),
                (kind, _) if kind.is_empty() => member(value, "value"),
                (kind, _) => format!("{} ({kind})", member(value, "value")),
            }
        }
        () if has("start") || has("end") => format!("{} – {}", member(value, "start"), member(value, "end")),
        () if has("low") || has("high") => match text(value, "text") {
            "" => format!("{} – {}", member(value, "low"), member(value, "high")),
            text => text.to_owned(),
        },
        () if has("numerator") => {
            format!("{} / {}", member(value, "numerator"), member(value, "denominator"))
        }
        () if has("contentType") => {
            let name = [text(value, "title"), text(value, "url"), "Attachment"];
            let name = name.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
            format!("{name} ({})", text(value, "contentType"))
        }
        () if has("reference") || (has("display") && !has("code")) => match text(value, "display") {
            "" => text(value, "reference").to_owned(),
            display => display.to_owned(),
        },
        () if has("display") || has("code") && has("system") => {
            match (text(value, "display"), text(value, "code")) {
                ("", code) => code.to_owned(),
                (display, "") => display.to_owned(),
                (display, code) => format!("{display} ({code})"),
            }
        }
        () if object.get("text").is_some_and(Value::is_string) => {
            joined([text(value, "text").to_owned(), rest(object, &["text"])], "; ")
        }
        () => rest(object, &[]),
    }
}

/// The remaining members in order, with their labels.
fn rest(object: &Map<String, Value>, but: &[&str]) -> String {
    let shown =
        object.iter().filter(|(key, _)| is_shown(key) && !but.contains(&key.as_str()) && *key != "data");
    joined(
        shown.map(|(key, value)| match words(value) {
            words if words.is_empty() => words,
            words => format!("{}: {}", label(key), words.replace('\n', ", ")),
        }),
        "; ",
    )
}

/// Whether an identifier is a social security number. It must not be taken for a record number.
fn is_social(identifier: &Value) -> bool {
    let (id, system) = (text(identifier, "value"), text(identifier, "system"));
    let read = Identifier { id, authorities: [system, ""], ..Identifier::default() };
    read.kind() == record_number::Kind::SocialSecurity
}

fn name(value: &Value) -> String {
    match text(value, "text") {
        "" => joined(
            ["prefix", "given", "family", "suffix"].map(|key| member(value, key).replace('\n', " ")),
            " ",
        ),
        text => text.to_owned(),
    }
}

fn address(value: &Value) -> String {
    let street = member(value, "line").replace('\n', ", ");
    let place = joined(["city", "state", "postalCode"].map(|key| member(value, key)), " ");
    match joined([street, place, member(value, "country")], ", ") {
        empty if empty.is_empty() => text(value, "text").to_owned(),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_put_into_words_by_their_shape() {
        let cases = [
            (
                json!({"coding": [{"system": "http://loinc.org", "code": "2345-7", "display": "Glucose"}]}),
                "Glucose (2345-7)",
            ),
            (json!({"text": "Sugar", "coding": [{"code": "x"}]}), "Sugar"),
            (json!([{"family": "Roe", "given": ["Ines", "Q"]}]), "Ines Q Roe"),
            (
                json!({"line": ["5 Elm St"], "city": "Salem", "state": "OR", "postalCode": "97301"}),
                "5 Elm St, Salem OR 97301",
            ),
            (json!({"system": "phone", "value": "555-0100", "use": "home"}), "555-0100, home"),
            (json!({"value": 104, "unit": "mg/dL", "comparator": "<"}), "<104 mg/dL"),
            (json!({"system": "urn:oid:1.2", "value": "8842"}), "8842"),
            (
                json!({"system": "http://hl7.org/fhir/sid/us-ssn", "value": "901441234"}),
                "901441234 (social security number)",
            ),
            (json!({"reference": "Patient/1", "display": "Ines Roe"}), "Ines Roe"),
            (json!("2026-11-17T09:30:00.5-05:00"), "2026-11-17 09:30 -05:00"),
            (json!("To be seen"), "To be seen"),
            (json!(true), "Yes"),
            (
                json!({"low": {"value": 70, "unit": "mg/dL"}, "high": {"value": 99, "unit": "mg/dL"}}),
                "70 mg/dL – 99 mg/dL",
            ),
            (json!({"count": 2, "onset": "early"}), "Count: 2; Onset: early"),
        ];
        for (value, expected) in cases {
            assert_eq!(words(&value), expected, "{value}");
        }
        assert_eq!((label("birthDate").as_str(), label("valueQuantity").as_str()), ("Birth date", "Value"));
    }
}
