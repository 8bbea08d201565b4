//! The API description, for programs (`/api/openapi.json`) and for people (`/api/docs`): a page without scripts.

use super::fixed::Fixed;
use crate::openapi;
use axum::{
    Router,
    http::{HeaderMap, HeaderName, header},
    response::{IntoResponse, Response},
    routing::get,
};
use platform::App;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, fmt::Write, sync::LazyLock};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    color:#1b1f24;background:#fff}code{font-size:.95em}details{border-top:1px solid #d0d7de;padding:.5rem 0}\
    summary{cursor:pointer}summary b{display:inline-block;min-width:4.5rem}table{border-collapse:collapse;width:100%}\
    td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0}\
    @media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}a{color:#79c0ff}}";

static DESCRIPTION: LazyLock<Fixed> = LazyLock::new(|| Fixed::new("application/json", openapi::json()));
static PAGE: LazyLock<Fixed> = LazyLock::new(|| {
    let description = serde_json::from_str(&openapi::json()).unwrap_or_default();
    Fixed::new("text/html; charset=utf-8", page(&description))
});

pub fn routes() -> Router<App> {
    Router::new().route("/api/openapi.json", get(description)).route("/api/docs", get(documentation))
}

async fn description(headers: HeaderMap) -> Response {
    DESCRIPTION.answer(&headers)
}

async fn documentation(headers: HeaderMap) -> Response {
    let hash = openssl::base64::encode_block(&openssl::sha::sha256(STYLE.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let policy: [(HeaderName, String); 1] = [(header::CONTENT_SECURITY_POLICY, policy)];
    (policy, PAGE.answer(&headers)).into_response()
}

/// The complete description: operations by tag, then the types.
fn page(api: &Value) -> String {
    let info = &api["info"];
    let mut html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{0} API</title><style>{STYLE}</style><h1>{0} API {1}</h1><p>{2} \
         <a href=\"/api/openapi.json\">OpenAPI description</a>",
        text(&info["title"]),
        text(&info["version"]),
        text(&info["description"]),
    );
    for (tag, operations) in by_tag(api) {
        let _ = write!(html, "<h2>{}</h2>", escaped(&tag));
        operations
            .iter()
            .for_each(|(path, method, operation)| write_operation(&mut html, path, method, operation));
    }
    html.push_str("<h2>Types</h2>");
    for (name, schema) in members(&api["components"]["schemas"]) {
        let name = escaped(name);
        let _ = write!(html, "<details id=\"{name}\" open><summary><code>{name}</code></summary>");
        write_schema(&mut html, schema);
        html.push_str("</details>");
    }
    html
}

type Operations<'a> = Vec<(&'a str, &'a str, &'a Value)>;

fn by_tag(api: &Value) -> BTreeMap<String, Operations<'_>> {
    let mut tags: BTreeMap<String, Operations> = BTreeMap::new();
    for (path, methods) in members(&api["paths"]) {
        for (method, operation) in members(methods) {
            let tag = operation["tags"][0].as_str().unwrap_or("other").to_owned();
            tags.entry(tag).or_default().push((path, method, operation));
        }
    }
    tags
}

fn write_operation(html: &mut String, path: &str, method: &str, operation: &Value) {
    let roles =
        operation["x-roles"].as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(", ");
    let _ = write!(
        html,
        "<details id=\"{}\"><summary><b>{}</b> <code>{}</code> {}</summary><p>{}<p>For: {roles}",
        text(&operation["operationId"]),
        escaped(&method.to_uppercase()),
        escaped(path),
        text(&operation["summary"]),
        text(&operation["description"]),
    );
    let parameters = operation["parameters"].as_array();
    if let Some(parameters) = parameters.filter(|all| !all.is_empty()) {
        html.push_str("<table><tr><th>Parameter<th>Type<th>");
        for parameter in parameters {
            let required = if parameter["required"] == true { ", required" } else { "" };
            let _ = write!(
                html,
                "<tr><td><code>{}</code> ({}{required})<td>{}<td>{}",
                text(&parameter["name"]),
                text(&parameter["in"]),
                kind(&parameter["schema"]),
                text(&parameter["description"]),
            );
        }
        html.push_str("</table>");
    }
    for (content_type, content) in members(&operation["requestBody"]["content"]) {
        let _ = write!(html, "<p>Body, <code>{}</code>: {}", escaped(content_type), kind(&content["schema"]));
    }
    for (status, response) in members(&operation["responses"]) {
        let _ = write!(html, "<p>{}: {}", escaped(status), text(&response["description"]));
        for (content_type, content) in members(&response["content"]) {
            let _ = write!(html, " <code>{}</code> {}", escaped(content_type), kind(&content["schema"]));
        }
    }
    html.push_str("</details>");
}

fn write_schema(html: &mut String, schema: &Value) {
    let _ = write!(html, "<p>{}", text(&schema["description"]));
    let properties = members(&schema["properties"]);
    let names = schema["required"].as_array();
    let mut rows = String::new();
    for (name, property) in properties {
        let required = names.is_some_and(|names| names.iter().any(|required| required == name));
        let _ = write!(
            rows,
            "<tr><td><code>{}</code>{}<td>{}<td>{}",
            escaped(name),
            if required { "" } else { " (optional)" },
            kind(property),
            text(&property["description"]),
        );
    }
    match rows.is_empty() {
        true => html.push_str(&kind(schema)),
        false => {
            let _ = write!(html, "<table><tr><th>Member<th>Type<th>{rows}</table>");
        }
    }
}

/// A type in short form, with its limits; named types are links.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        let name = escaped(name);
        return format!("<a href=\"#{name}\"><code>{name}</code></a>");
    }
    for (variants, word) in [("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")] {
        if let Some(all) = schema[variants].as_array() {
            return all.iter().map(kind).collect::<Vec<_>>().join(word);
        }
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().map(|choice| escaped(&choice.to_string())).collect::<Vec<_>>().join(", ");
    }
    if schema["items"].is_object() {
        return format!("list of {}", kind(&schema["items"]));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect::<Vec<_>>().join(" or "),
        other => text(other),
    };
    let limits = [("format", ""), ("minLength", "at least "), ("maxLength", "at most "), ("pattern", "")];
    limits.iter().fold(types, |words, (name, word)| match &schema[*name] {
        Value::Null => words,
        limit => format!("{words}, {word}{}", text(limit)),
    })
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let object: Option<&Map<String, Value>> = value.as_object();
    object.into_iter().flatten().map(|(name, member)| (name.as_str(), member))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escaped(text),
        other => escaped(&other.to_string()),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
