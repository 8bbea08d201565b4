//! JSON that a web service gets, by the template of its connection.

use crate::ehr::Outgoing;
use base64::{Engine, engine::general_purpose::STANDARD};
use fhir::model::Confidentiality;
use serde_json::{Value, json};
use uuid::Uuid;

/// The template of a connection that has no own.
pub const USUAL: &str = r#"{
  "event": {{event}},
  "id": {{document.id}},
  "title": {{document.title}},
  "type": { "system": {{document.type.system}}, "code": {{document.type.code}}, "name": {{document.type.name}} },
  "date": {{document.date}},
  "confidentiality": {{document.confidentiality}},
  "from": {{document.from}},
  "note": {{document.note}},
  "urgent": {{document.urgent}},
  "patient": {
    "recordNumber": {{patient.recordNumber}},
    "lastName": {{patient.lastName}},
    "firstName": {{patient.firstName}},
    "birthDate": {{patient.birthDate}},
    "gender": {{patient.gender}}
  },
  "mediaType": {{document.mediaType}},
  "content": {{document.content}}
}"#;

/// Placeholders, each of which becomes a JSON value.
pub const PLACEHOLDERS: [&str; 18] = [
    "event",
    "document.id",
    "document.title",
    "document.type.system",
    "document.type.code",
    "document.type.name",
    "document.date",
    "document.confidentiality",
    "document.from",
    "document.note",
    "document.urgent",
    "document.mediaType",
    "document.content",
    "patient.recordNumber",
    "patient.lastName",
    "patient.firstName",
    "patient.birthDate",
    "patient.gender",
];

/// What a web service is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    Document,
    TakenBack,
}

impl Happening {
    fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::TakenBack => "takenBack",
        }
    }

    /// Key by which the service knows a repeated call.
    pub fn key(self, identifier: Uuid) -> String {
        match self {
            Self::Document => identifier.to_string(),
            Self::TakenBack => format!("{identifier}-taken-back"),
        }
    }
}

/// Values of a template.
#[derive(Clone, Copy)]
pub struct Filling<'a> {
    pub sent: &'a Outgoing,
    pub happening: Happening,
}

/// The template of a connection, or the usual one.
pub fn of(own: &str) -> &str {
    if own.trim().is_empty() { USUAL } else { own }
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// No such placeholder.
    Unknown(String),
    /// With values in place of the placeholders it is no JSON.
    NotJson,
}

impl TemplateError {
    pub fn text(&self) -> String {
        match self {
            Self::Unknown(name) => format!("There is no placeholder {{{{{name}}}}}."),
            Self::NotJson => {
                "This is no JSON. A placeholder stands for a whole value, so it needs no quotation marks."
                    .into()
            }
        }
    }
}

/// Checks that a template has known placeholders alone and makes JSON.
pub fn check(template: &str) -> Result<(), TemplateError> {
    let text = replaced(template, |name| {
        let is_known = PLACEHOLDERS.contains(&name);
        if is_known { Ok("\"\"".into()) } else { Err(TemplateError::Unknown(name.into())) }
    })?;
    serde_json::from_str::<Value>(&text).map(|_| ()).map_err(|_| TemplateError::NotJson)
}

/// The JSON of a document; none if the template makes no JSON.
pub fn fill(template: &str, with: &Filling) -> Option<String> {
    let text = replaced(template, |name| {
        value(name, with).map(|value| value.to_string()).ok_or(TemplateError::Unknown(name.into()))
    });
    let text = text.ok()?;
    serde_json::from_str::<serde::de::IgnoredAny>(&text).ok().map(|_| text)
}

/// The text with each placeholder replaced once: placeholders within values are text.
fn replaced(
    template: &str,
    mut by: impl FnMut(&str) -> Result<String, TemplateError>,
) -> Result<String, TemplateError> {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        text.push_str(before);
        text.push_str(&by(name.trim())?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

fn value(name: &str, with: &Filling) -> Option<Value> {
    let (Outgoing { document, patient }, happening) = (with.sent, with.happening);
    Some(match name {
        "event" => json!(happening.name()),
        "document.id" => json!(document.identifier),
        "document.title" => json!(document.title),
        "document.type.system" => json!(document.kind.system),
        "document.type.code" => json!(document.kind.code),
        "document.type.name" => json!(document.kind.name),
        "document.date" => json!(document.date),
        "document.confidentiality" => json!(match document.confidentiality {
            Confidentiality::Normal => "N",
            Confidentiality::Restricted => "R",
            Confidentiality::VeryRestricted => "V",
        }),
        "document.from" => json!(document.author),
        "document.note" => json!(document.note),
        "document.urgent" => json!(document.is_urgent),
        "document.mediaType" => json!(document.media_type),
        "document.content" => match happening {
            Happening::Document => json!(STANDARD.encode(&document.content)),
            Happening::TakenBack => Value::Null,
        },
        "patient.recordNumber" => json!(patient.patient_id),
        "patient.lastName" => json!(patient.last_name),
        "patient.firstName" => json!(patient.first_name),
        "patient.birthDate" => json!(patient.birth_date),
        "patient.gender" => json!(patient.gender),
        _ => return None,
    })
}
