//! A page that shows what is in a patient's chart.

use super::Practice;
use super::answers::{Refusal, content as bytes_of};
use super::html::{escaped, page};
use crate::json::{inner, list, text};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use chrono::NaiveDate;
use serde_json::Value;

/// The patient and their documents.
pub(super) async fn show(
    State(practice): State<Practice>,
    Path(patient_id): Path<String>,
) -> Result<Response, Refusal> {
    if !practice.shows_charts {
        return Err(Refusal::not_signed_in());
    }
    let store = practice.store();
    let patient = store.get("Patient", &patient_id).ok_or_else(Refusal::not_found)?;
    let reference = format!("Patient/{patient_id}");
    let is_theirs =
        |document: &&std::sync::Arc<Value>| text(inner(document, "subject"), "reference") == Some(&reference);
    let mut documents: Vec<&Value> =
        store.all("DocumentReference").filter(is_theirs).map(AsRef::as_ref).collect();
    documents.sort_by_key(|document| std::cmp::Reverse(text(inner(document, "meta"), "lastUpdated")));
    let rows: String = documents.iter().map(|document| row(&patient_id, document)).collect();
    let list = match rows.is_empty() {
        true => "<p class=\"note\">Documents appear here as soon as they are filed.</p>".to_owned(),
        false => format!(
            "<table><thead><tr><th>Document</th><th>Type</th><th>Date</th><th>From</th><th>Status</th></tr></thead>\
             <tbody>{rows}</tbody></table>"
        ),
    };
    let about = escaped(&about(patient));
    Ok(page(
        StatusCode::OK,
        &name(patient, (practice.now)().date_naive()),
        &format!("<p>{about}</p><h2>Documents</h2>{list}"),
        "'none'",
    ))
}

fn name(patient: &Value, today: NaiveDate) -> String {
    let read = crate::read::patient(patient, today).unwrap_or_default();
    format!("{}, {} {}", read.family, read.given, read.middle).trim_end().to_owned()
}

fn about(patient: &Value) -> String {
    let number = list(patient, "identifier").find_map(|identifier| text(identifier, "value"));
    let born = text(patient, "birthDate").unwrap_or("unknown");
    format!(
        "Born {born} · {} · Record number {}",
        text(patient, "gender").unwrap_or("unknown"),
        number.unwrap_or("none")
    )
}

fn row(patient_id: &str, document: &Value) -> String {
    let attachment =
        list(document, "content").next().map_or(&Value::Null, |content| inner(content, "attachment"));
    let field = |from: &Value, name: &str| escaped(text(from, name).unwrap_or_default());
    let (id, status) = (field(document, "id"), field(document, "status"));
    let (title, date) = (field(attachment, "title"), field(attachment, "creation"));
    let kind = field(inner(document, "type"), "text");
    let author = list(document, "author").next().map(|author| field(author, "display")).unwrap_or_default();
    let link = format!("<a href=\"{}/{id}\">{title}</a>", escaped(patient_id));
    match status.as_str() {
        "entered-in-error" => format!(
            "<tr><td><s>{link}</s></td><td><s>{kind}</s></td><td><s>{date}</s></td><td><s>{author}</s></td>\
             <td>Entered in error</td></tr>"
        ),
        _ => format!(
            "<tr><td>{link}</td><td>{kind}</td><td>{date}</td><td>{author}</td><td>{status}</td></tr>"
        ),
    }
}

/// The content of a document.
pub(super) async fn content(
    State(practice): State<Practice>,
    Path((patient_id, document_id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    if !practice.shows_charts {
        return Err(Refusal::not_signed_in());
    }
    let store = practice.store();
    let document = store.get("DocumentReference", &document_id).ok_or_else(Refusal::not_found)?;
    if text(inner(document, "subject"), "reference") != Some(&format!("Patient/{patient_id}")) {
        return Err(Refusal::not_found());
    }
    let attachment = list(document, "content").next().map(|content| inner(content, "attachment"));
    let attachment = attachment.ok_or_else(Refusal::not_found)?;
    match text(attachment, "url").and_then(|url| url.strip_prefix("Binary/")) {
        Some(binary) => bytes_of(store.get("Binary", binary).ok_or_else(Refusal::not_found)?, "contentType"),
        None => bytes_of(attachment, "contentType"),
    }
}
