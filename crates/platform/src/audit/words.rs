//! Changes of an audit entry, in words for activity lists.

use serde_json::Value;

/// The change, or empty if the event alone is clear. `detail` is the text of [`super::Act::detail`].
pub fn what_changed(detail: &str) -> String {
    let Ok(Value::Object(detail)) = serde_json::from_str(detail) else { return String::new() };
    let words = detail.iter().filter_map(|(name, value)| word(name, value));
    words.collect::<Vec<_>>().join(", ")
}

fn word(name: &str, value: &Value) -> Option<String> {
    let yes_or_no = |yes: &str, no: &str| Some(if value.as_bool()? { yes } else { no }.to_owned());
    match name {
        "fields" => {
            let fields: Vec<_> = value.as_array()?.iter().filter_map(Value::as_str).map(spaced).collect();
            Some(fields.join(", "))
        }
        "isProcessed" => yes_or_no("processed", "no longer processed"),
        "enabled" => yes_or_no("enabled", "disabled"),
        "assigned" => yes_or_no("added to the organization", "removed from the organization"),
        "assignedTo" if value.is_null() => Some("unassigned".into()),
        "assignedTo" => Some("assigned".into()),
        "acknowledged" => Some("failure acknowledged".into()),
        "again" => Some("sent again".into()),
        "cancelled" => Some("fax cancelled".into()),
        "what" => value.as_str().map(str::to_owned),
        _ => None,
    }
}

/// `documentType` as `document type`.
fn spaced(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_told_in_words() {
        assert_eq!(what_changed(r#"{"fields":["patient","documentType"]}"#), "patient, document type");
        assert_eq!(what_changed(r#"{"isProcessed":false}"#), "no longer processed");
        assert_eq!(what_changed(r#"{"assignedTo":null}"#), "unassigned");
    }

    #[test]
    fn ids_and_what_is_unknown_are_left_out() {
        assert_eq!(what_changed(r#"{"original":"0192","sessionsEnded":2}"#), "");
        assert_eq!(what_changed("null"), "");
    }
}
