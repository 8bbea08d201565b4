//! The routes of the practice: FHIR, its sign-in, and charts.

use super::answers::{Refusal, content, fhir};
use super::capabilities::{offers, smart_configuration, statement};
use super::search::{Parameters, bundle, matching, page};
use super::{Practice, REQUEST_MAX, chart, sign_in};
use crate::json::{inner, list, text};
use crate::read::is_id;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::header::{ACCEPT, ETAG, IF_MATCH, LOCATION};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use chrono::SecondsFormat;
use serde_json::{Value, json};
use std::sync::Arc;
use uuid::Uuid;

/// The routes of the practice, relative to its base address.
pub fn router(state: Practice) -> Router {
    Router::new()
        .route(
            "/metadata",
            get(async |State(practice): State<Practice>| fhir(&statement(&practice.base_url))),
        )
        .route("/.well-known/smart-configuration", get(configuration))
        .route("/authorize", get(sign_in::show_page).post(sign_in::grant_code))
        .route("/token", post(sign_in::token))
        .route("/revoke", post(sign_in::revoke))
        .route("/chart/{patient}", get(chart::show))
        .route("/chart/{patient}/{document}", get(chart::content))
        .route("/ValueSet/$expand", get(expand))
        .route("/{kind}", get(search_by_get).post(create))
        .route("/{kind}/_search", post(search_by_post))
        .route("/{kind}/{id}", get(read).put(update))
        .layer(DefaultBodyLimit::max(REQUEST_MAX))
        .with_state(state)
}

async fn configuration(State(practice): State<Practice>) -> axum::Json<Value> {
    axum::Json(smart_configuration(&practice.base_url))
}

/// Whether the request may do this with resources of a type.
fn admit(
    practice: &Practice,
    headers: &HeaderMap,
    kind: &str,
    interaction: &'static str,
) -> Result<(), Refusal> {
    if !offers(kind, interaction) {
        let is_known = super::capabilities::OFFERED.iter().any(|(offered, _)| *offered == kind);
        let status = if is_known { StatusCode::METHOD_NOT_ALLOWED } else { StatusCode::NOT_FOUND };
        return Err(Refusal::new(status, "not-supported"));
    }
    practice.authorize(headers, kind, interaction)
}

async fn search_by_get(
    State(practice): State<Practice>,
    Path(kind): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    search(&practice, &headers, &kind, parameters(query.unwrap_or_default().as_bytes()))
}

async fn search_by_post(
    State(practice): State<Practice>,
    Path(kind): Path<String>,
    headers: HeaderMap,
    form: Bytes,
) -> Result<Response, Refusal> {
    search(&practice, &headers, &kind, parameters(&form))
}

fn parameters(form: &[u8]) -> Parameters {
    url::form_urlencoded::parse(form).into_owned().collect()
}

fn search(
    practice: &Practice,
    headers: &HeaderMap,
    kind: &str,
    mut asked: Parameters,
) -> Result<Response, Refusal> {
    admit(practice, headers, kind, "search-type")?;
    let mut take = |name: &str| {
        let at = asked.iter().position(|(found, _)| found == name)?;
        Some(asked.remove(at).1)
    };
    let (name, offset) = (take("_page"), take("_offset"));
    let offset = offset.map_or(Ok(0), |offset| offset.parse()).map_err(|_| Refusal::invalid())?;
    let mut pages = practice.pages.lock().map_err(|_| Refusal::broken())?;
    if let Some(name) = &name {
        asked = pages.of(name, kind).ok_or(Refusal::new(StatusCode::GONE, "expired"))?;
    }
    let page = page(&practice.store(), kind, &asked, offset)?;
    let next = match (page.next, name) {
        (None, _) => None,
        (Some(offset), Some(name)) => Some((offset, name)),
        (Some(offset), None) => {
            let name = practice.random()?.expose().to_owned();
            pages.keep(&name, kind, &asked);
            Some((offset, name))
        }
    };
    let next = next.map(|(at, name)| format!("{}/{kind}?_page={name}&_offset={at}", practice.base_url));
    Ok(fhir(&bundle(&practice.base_url, kind, &page, next)))
}

async fn read(
    State(practice): State<Practice>,
    Path((kind, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    admit(&practice, &headers, &kind, "read")?;
    let resource = practice.store().get(&kind, &id).cloned().ok_or_else(Refusal::not_found)?;
    let accepted = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if kind == "Binary" && !accepted.contains("json") {
        return content(&resource, "contentType");
    }
    Ok(versioned(StatusCode::OK, &practice.base_url, &resource))
}

fn versioned(status: StatusCode, base_url: &str, resource: &Value) -> Response {
    let version = text(inner(resource, "meta"), "versionId").unwrap_or("1");
    let (kind, id) = (text(resource, "resourceType"), text(resource, "id"));
    let (kind, id) = (kind.unwrap_or_default(), id.unwrap_or_default());
    let headers = [
        (ETAG, format!("W/\"{version}\"")),
        (LOCATION, format!("{base_url}/{kind}/{id}/_history/{version}")),
    ];
    (status, headers, fhir(resource)).into_response()
}

const IF_NONE_EXIST: HeaderName = HeaderName::from_static("if-none-exist");

async fn create(
    State(practice): State<Practice>,
    Path(kind): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    admit(&practice, &headers, &kind, "create")?;
    let mut resource = resource_in(&body, &kind)?;
    let condition = headers.get(IF_NONE_EXIST).map(|value| parameters(value.as_bytes()));
    resource["id"] = Uuid::new_v4().to_string().into();
    changed(&practice, move |practice| {
        let mut store = practice.store();
        if let Some(condition) = condition {
            match matching(&store, &kind, &condition)?.as_slice() {
                [] => {}
                [known] => return Ok(versioned(StatusCode::OK, &practice.base_url, known)),
                _ => return Err(Refusal::new(StatusCode::PRECONDITION_FAILED, "multiple-matches")),
            }
        }
        if !is_acceptable(&resource, |kind, id| store.get(kind, id).is_some()) {
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid"));
        }
        stamp(practice, &mut resource, 1);
        store.put(resource.clone()).map_err(|_| Refusal::broken())?;
        Ok(versioned(StatusCode::CREATED, &practice.base_url, &resource))
    })
    .await
}

async fn update(
    State(practice): State<Practice>,
    Path((kind, id)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Refusal> {
    admit(&practice, &headers, &kind, "update")?;
    let mut resource = resource_in(&body, &kind)?;
    if text(&resource, "id") != Some(&id) {
        return Err(Refusal::invalid());
    }
    let expected = headers.get(IF_MATCH).and_then(|tag| tag.to_str().ok());
    let expected = expected.map(|tag| tag.trim_start_matches("W/").trim_matches('"').to_owned());
    let expected = expected.ok_or(Refusal::new(StatusCode::PRECONDITION_REQUIRED, "required"))?;
    changed(&practice, move |practice| {
        let mut store = practice.store();
        let known: &Arc<Value> = store.get(&kind, &id).ok_or_else(Refusal::not_found)?;
        let version = text(inner(known, "meta"), "versionId").unwrap_or("1").to_owned();
        if version != expected {
            return Err(Refusal::new(StatusCode::PRECONDITION_FAILED, "conflict"));
        }
        if !is_acceptable(&resource, |kind, id| store.get(kind, id).is_some()) {
            return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid"));
        }
        stamp(practice, &mut resource, version.parse().unwrap_or(1) + 1);
        store.put(resource.clone()).map_err(|_| Refusal::broken())?;
        Ok(versioned(StatusCode::OK, &practice.base_url, &resource))
    })
    .await
}

/// Changes are written to the file, which blocks.
async fn changed(
    practice: &Practice,
    change: impl FnOnce(&Practice) -> Result<Response, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let practice = practice.clone();
    let changing = tokio::task::spawn_blocking(move || change(&practice));
    changing.await.unwrap_or_else(|_| Err(Refusal::broken()))
}

fn resource_in(body: &[u8], kind: &str) -> Result<Value, Refusal> {
    let resource: Value = serde_json::from_slice(body).map_err(|_| Refusal::invalid())?;
    match text(&resource, "resourceType") == Some(kind) {
        true => Ok(resource),
        false => Err(Refusal::invalid()),
    }
}

fn stamp(practice: &Practice, resource: &mut Value, version: u64) {
    let now = (practice.now)().to_rfc3339_opts(SecondsFormat::Millis, true);
    if !inner(resource, "meta").is_object() {
        resource["meta"] = json!({});
    }
    resource["meta"]["versionId"] = version.to_string().into();
    resource["meta"]["lastUpdated"] = now.into();
}

/// Whether the required elements are there, and what is referred to exists.
fn is_acceptable(resource: &Value, exists: impl Fn(&str, &str) -> bool) -> bool {
    let refers =
        |reference: &str| reference.split_once('/').is_some_and(|(kind, id)| is_id(id) && exists(kind, id));
    let is_known = |reference: &Value| text(reference, "reference").is_none_or(refers);
    match text(resource, "resourceType") {
        Some("Patient") => list(resource, "name").any(|name| text(name, "family").is_some()),
        Some("Binary") => {
            text(resource, "contentType").is_some() && is_known(inner(resource, "securityContext"))
        }
        _ => {
            let attachments = || list(resource, "content").map(|content| inner(content, "attachment"));
            let has_content = |attachment: &Value| {
                text(attachment, "data").is_some() || text(attachment, "url").is_some_and(refers)
            };
            let context = inner(resource, "context");
            text(inner(resource, "subject"), "reference").is_some_and(refers)
                && text(resource, "status").is_some()
                && attachments().next().is_some()
                && attachments().all(has_content)
                && list(context, "encounter").chain(list(context, "related")).all(is_known)
        }
    }
}

async fn expand(
    State(practice): State<Practice>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    admit(&practice, &headers, "ValueSet", "read")?;
    let asked = parameters(query.unwrap_or_default().as_bytes());
    let url = asked.iter().find(|(name, _)| name == "url").ok_or_else(Refusal::invalid)?.clone();
    let found = matching(&practice.store(), "ValueSet", &vec![url])?;
    let mut expanded = found.first().ok_or_else(Refusal::not_found)?.as_ref().clone();
    let contains: Vec<Value> = list(inner(&expanded, "compose"), "include")
        .flat_map(|include| {
            let system = inner(include, "system");
            list(include, "concept").map(move |concept| {
                json!({"system": system, "code": concept["code"], "display": concept["display"]})
            })
        })
        .collect();
    let now = (practice.now)().to_rfc3339_opts(SecondsFormat::Secs, true);
    expanded["expansion"] = json!({"timestamp": now, "total": contains.len(), "contains": contains});
    Ok(fhir(&expanded))
}
