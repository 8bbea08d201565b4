//! What is kept of a call: some headers, and bodies that are text and short enough, with the hash of a secret in its place.

use crate::secret::token_hash;
use axum::{
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::Request,
    http::{HeaderMap, header},
    response::Response,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest body that is kept, in bytes.
const BODY_MAX: u64 = 64 << 10;

/// The headers that are kept.
const HEADERS: [&str; 11] = [
    "host",
    "accept",
    "accept-encoding",
    "accept-language",
    "authorization",
    "origin",
    "referer",
    "connection",
    "user-agent",
    "content-length",
    "content-type",
];

/// Parts of the names of fields that hold secrets.
const SECRETS: [&str; 9] =
    ["password", "secret", "token", "ticket", "credential", "verifier", "assertion", "private", "recovery"];
/// Names of fields that hold secrets.
const SECRET_NAMES: [&str; 5] = ["code", "codes", "answer", "answers", "pin"];

/// What was sent and what was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exchange {
    pub request: Side,
    pub response: Side,
}

/// One side of a call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Side {
    /// Of a request, with the query.
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub body: Option<String>,
    /// Why there is no body.
    pub omitted: Option<String>,
}

impl Side {
    /// A request as it goes on, and what is kept of it.
    pub(super) async fn of_request(request: Request, path: &str) -> (Request, Self) {
        let (parts, body) = request.into_parts();
        let url = match parts.uri.query() {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        let (body, kept) = Self::of(&parts.headers, body).await;
        (Request::from_parts(parts, body), Self { url, ..kept })
    }

    /// A response as it goes on, and what is kept of it.
    pub(super) async fn of_response(response: Response) -> (Response, Self) {
        let (parts, body) = response.into_parts();
        let (body, kept) = Self::of(&parts.headers, body).await;
        (Response::from_parts(parts, body), kept)
    }

    /// A body is read only if it says that it is short: nothing waits for a long one, or one without an end.
    async fn of(headers: &HeaderMap, body: Body) -> (Body, Self) {
        let kept = Self { headers: kept(headers), ..Self::default() };
        let kind = essence(headers);
        let length = body.size_hint().upper().or_else(|| content_length(headers));
        let why = match length {
            Some(0) => return (body, kept),
            _ if !is_text(&kind) => format!("not text: {kind}"),
            Some(length) if length <= BODY_MAX => String::new(),
            Some(length) => format!("too long: {length} bytes"),
            None => "of no stated length".to_owned(),
        };
        if !why.is_empty() {
            return (body, Self { omitted: Some(why), ..kept });
        }
        match to_bytes(body, BODY_MAX as usize).await {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                (Body::from(bytes), Self { body: Some(text), ..kept })
            }
            // It was cut off, or longer than it said; whoever reads it next is told so.
            Err(error) => {
                let broken = futures::stream::iter([Err::<Bytes, _>(error)]);
                (Body::from_stream(broken), Self { omitted: Some("not complete".into()), ..kept })
            }
        }
    }

    fn without_secrets(mut self) -> Self {
        if let Some(value) = self.headers.get_mut("authorization") {
            *value = match value.split_once(' ') {
                Some((scheme, secret)) => format!("{scheme} {}", hashed(secret)),
                None => hashed(value),
            };
        }
        if let Some((path, query)) = self.url.split_once('?') {
            self.url = format!("{path}?{}", form_without_secrets(query));
        }
        let kind = self.headers.get("content-type").cloned().unwrap_or_default();
        self.body = self.body.map(|text| body_without_secrets(&kind, text));
        self
    }
}

impl Exchange {
    /// With the hash of each secret in its place.
    pub(super) fn without_secrets(self) -> Self {
        Self { request: self.request.without_secrets(), response: self.response.without_secrets() }
    }
}

fn kept(headers: &HeaderMap) -> BTreeMap<String, String> {
    let value = |name: &&str| {
        let text = headers.get(*name)?.to_str().ok()?;
        // Where somebody came from may say in its query whom they searched for.
        let text = if *name == "referer" { text.split(['?', '#']).next().unwrap_or_default() } else { text };
        Some(((*name).to_owned(), text.to_owned()))
    };
    HEADERS.iter().filter_map(value).collect()
}

fn essence(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/") || is_json(kind) || kind == FORM || kind.ends_with("xml")
}

const FORM: &str = "application/x-www-form-urlencoded";

fn is_json(kind: &str) -> bool {
    kind.contains("json")
}

fn body_without_secrets(kind: &str, text: String) -> String {
    if is_json(kind) {
        if !may_hold_secrets(&text) {
            return text;
        }
        return match serde_json::from_str::<Value>(&text) {
            Ok(mut value) => {
                hide(&mut value);
                value.to_string()
            }
            // What cannot be read might hold anything.
            Err(_) => hashed(&text),
        };
    }
    if kind.starts_with(FORM) { form_without_secrets(&text) } else { text }
}

/// Whether any name in a JSON text may be that of a secret. Most texts need not be read.
fn may_hold_secrets(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    // A name can be written in escapes.
    text.contains("\\u")
        || SECRETS.iter().any(|part| text.contains(part))
        || SECRET_NAMES.iter().any(|name| text.contains(&format!("\"{name}\"")))
}

fn form_without_secrets(text: &str) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
        if is_secret(&name) {
            form.append_pair(&name, &hashed(&value))
        } else {
            form.append_pair(&name, &value)
        };
    }
    form.finish()
}

fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if is_secret(name) => *text = hashed(text),
                    Value::Number(number) if is_secret(name) => *member = hashed(&number.to_string()).into(),
                    Value::Array(items) if is_secret(name) => {
                        for item in items {
                            *item = hashed(&item.to_string()).into();
                        }
                    }
                    other => hide(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|part| name.contains(part)) || SECRET_NAMES.contains(&name.as_str())
}

/// The hash that stands for a secret: the same for the same one.
fn hashed(secret: &str) -> String {
    if secret.is_empty() {
        return String::new();
    }
    format!("sha256:{}", hex(&token_hash(secret)))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn sent(kind: &str, body: impl Into<Body>) -> (Bytes, Side) {
        let request = Request::post("/api/things?search=Tenney&token=sesame")
            .header("content-type", kind)
            .header("authorization", "Bearer sesame")
            .header("cookie", "id=sesame")
            .body(body.into())
            .expect("a request");
        let (request, side) = Side::of_request(request, "/api/things").await;
        let bytes = to_bytes(request.into_body(), usize::MAX).await.expect("a body");
        (bytes, side)
    }

    #[tokio::test]
    async fn a_secret_is_kept_as_its_hash_alone() {
        let body = json!({ "name": "Dana", "newPassword": "sesame", "factors": [{ "code": 123456 }], "tokens": ["sesame"] });
        let (bytes, side) = sent("application/json", body.to_string()).await;
        assert_eq!(bytes, body.to_string());
        let kept = serde_json::to_string(&side.without_secrets()).expect("JSON");
        assert!(!kept.contains("sesame") && !kept.contains("123456"), "{kept}");
        assert!(kept.contains("Dana") && kept.contains("search=Tenney"), "{kept}");
        assert!(kept.contains(&format!("Bearer {}", hashed("sesame"))), "{kept}");
        let (_, escaped) = sent("application/json", "{\"\\u0070assword\":\"sesame\"}").await;
        assert!(!escaped.without_secrets().body.expect("a body").contains("sesame"));
        let (_, form) = sent(FORM, "name=Dana&password=sesame").await;
        assert_eq!(
            form.without_secrets().body,
            Some(format!("name=Dana&password={}", hashed("sesame").replace(':', "%3A")))
        );
    }

    // ADB-R-222 ADB-R-223
    #[tokio::test]
    async fn only_the_listed_headers_are_kept() {
        let (_, side) = sent("text/plain", "hello").await;
        let names: Vec<&str> = side.headers.keys().map(String::as_str).collect();
        assert_eq!(names, ["authorization", "content-type"]);
    }

    #[tokio::test]
    async fn a_body_that_is_long_or_no_text_goes_on_and_is_not_kept() {
        let long = "x".repeat(BODY_MAX as usize + 1);
        let (bytes, side) = sent("text/plain", long.clone()).await;
        assert_eq!((bytes.len(), side.body), (long.len(), None));
        assert_eq!(side.omitted.as_deref(), Some("too long: 65537 bytes"));
        let (bytes, side) = sent("image/png", vec![1, 2]).await;
        assert_eq!(
            (bytes.as_ref(), side.body, side.omitted.as_deref()),
            ([1, 2].as_slice(), None, Some("not text: image/png"))
        );
        let endless = Body::from_stream(futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from("{}"))]));
        let (bytes, side) = sent("application/json", endless).await;
        assert_eq!(
            (bytes.as_ref(), side.omitted.as_deref()),
            (b"{}".as_slice(), Some("of no stated length"))
        );
    }
}
