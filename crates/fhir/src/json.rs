//! Reading of JSON that may lack anything: what has another type than expected is absent.

use serde_json::Value;

/// The text of a field, without blanks around it; `None` if it is empty.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

/// [`text`] as an owned value.
pub(crate) fn owned(value: &Value, field: &str) -> Option<String> {
    text(value, field).map(str::to_owned)
}

/// The elements of a field. Some servers send a single element without the list around it.
pub(crate) fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    let found: &[Value] = match value.get(field) {
        Some(Value::Array(elements)) => elements,
        Some(Value::Null) | None => &[],
        Some(single) => std::slice::from_ref(single),
    };
    found.iter()
}

/// The elements of a field that are texts.
pub(crate) fn texts<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    list(value, field).filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Whether a field is `true`. Some servers send booleans as texts.
pub(crate) fn flag(value: &Value, field: &str) -> Option<bool> {
    match value.get(field)? {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The field of a field.
pub(crate) fn inner<'a>(value: &'a Value, field: &str) -> &'a Value {
    value.get(field).unwrap_or(&Value::Null)
}
