//! The stored part of a call: some headers, and bodies that are text and short enough. Bodies of operations with
//! secrets in their types are never stored. Elsewhere (in headers, in queries, and in unexpected members), secrets
//! are replaced by their keyed hash.

use axum::{
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::Request,
    http::{HeaderMap, header},
    response::Response,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use store::keys::DataKey;

/// Maximum size of a stored body, in bytes.
const BODY_MAX: u64 = 64 << 10;

/// The stored headers.
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

/// Parts of names of fields with secrets.
const SECRETS: [&str; 9] =
    ["password", "secret", "token", "ticket", "credential", "verifier", "assertion", "private", "recovery"];
/// Names of fields with secrets.
const SECRET_NAMES: [&str; 6] = ["code", "codes", "answer", "answers", "pin", "ssn"];

/// Whether the bodies of an operation are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodies {
    Kept,
    /// Their types contain secrets: they are not stored.
    Secret,
}

/// The request and its answer.
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
    /// A request to pass on, and its stored part.
    pub(super) async fn of_request(request: Request, path: &str, bodies: Bodies) -> (Request, Self) {
        let (parts, body) = request.into_parts();
        let url = match parts.uri.query() {
            Some(query) => format!("{path}?{query}"),
            None => path.to_owned(),
        };
        let (body, kept) = Self::of(&parts.headers, body, bodies).await;
        (Request::from_parts(parts, body), Self { url, ..kept })
    }

    /// A response to pass on, and its stored part.
    pub(super) async fn of_response(response: Response, bodies: Bodies) -> (Response, Self) {
        let (parts, body) = response.into_parts();
        let (body, kept) = Self::of(&parts.headers, body, bodies).await;
        (Response::from_parts(parts, body), kept)
    }

    /// A body is only read if its stated length is short, so that nothing waits for a long or endless one.
    async fn of(headers: &HeaderMap, body: Body, bodies: Bodies) -> (Body, Self) {
        let kept = Self { headers: kept(headers), ..Self::default() };
        let kind = essence(headers);
        let length = body.size_hint().upper().or_else(|| content_length(headers));
        let why = match length {
            Some(0) => return (body, kept),
            _ if bodies == Bodies::Secret => "it may contain secrets".to_owned(),
            _ if !is_text(&kind) => format!("not text: {kind}"),
            Some(length) if length <= BODY_MAX => String::new(),
            Some(length) => format!("too long: {length} bytes"),
            None => "without a stated length".to_owned(),
        };
        if !why.is_empty() {
            return (body, Self { omitted: Some(why), ..kept });
        }
        match to_bytes(body, BODY_MAX as usize).await {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                (Body::from(bytes), Self { body: Some(text), ..kept })
            }
            // The body was cut off, or longer than stated; the next reader gets the same error.
            Err(error) => {
                let broken = futures::stream::iter([Err::<Bytes, _>(error)]);
                (Body::from_stream(broken), Self { omitted: Some("not complete".into()), ..kept })
            }
        }
    }

    fn without_secrets(mut self, mask: &Mask<'_>) -> Self {
        if let Some(value) = self.headers.get_mut("authorization") {
            *value = match value.split_once(' ') {
                Some((scheme, secret)) => format!("{scheme} {}", mask.shown(secret)),
                None => mask.shown(value),
            };
        }
        if let Some((path, query)) = self.url.split_once('?') {
            self.url = format!("{path}?{}", mask.form(query));
        }
        let kind = self.headers.get("content-type").cloned().unwrap_or_default();
        self.body = self.body.map(|text| mask.body(&kind, text));
        self
    }
}

impl Exchange {
    /// With secrets replaced by their hashes.
    pub(super) fn without_secrets(self, mask: &Mask<'_>) -> Self {
        Self { request: self.request.without_secrets(mask), response: self.response.without_secrets(mask) }
    }
}

fn kept(headers: &HeaderMap) -> BTreeMap<String, String> {
    let value = |name: &&str| {
        let text = headers.get(*name)?.to_str().ok()?;
        // The query of a referring page may contain search words about patients.
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

/// Replaces a secret with its keyed hash: the same for the same secret within an organization, and useless for
/// guessing.
pub(super) struct Mask<'k>(pub &'k DataKey);

impl Mask<'_> {
    pub(super) fn hash(&self, secret: &str) -> Vec<u8> {
        self.0.token("api_capture.secret", secret)
    }

    fn shown(&self, secret: &str) -> String {
        if secret.is_empty() {
            return String::new();
        }
        format!("hmac:{}", hex(&self.hash(secret)))
    }

    fn body(&self, kind: &str, text: String) -> String {
        if is_json(kind) {
            if !may_hold_secrets(&text) {
                return text;
            }
            return match serde_json::from_str::<Value>(&text) {
                Ok(mut value) => {
                    self.hide(&mut value);
                    value.to_string()
                }
                // Unreadable content might contain anything.
                Err(_) => self.shown(&text),
            };
        }
        if kind.starts_with(FORM) { self.form(&text) } else { text }
    }

    fn form(&self, text: &str) -> String {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in url::form_urlencoded::parse(text.as_bytes()) {
            if is_secret(&name) {
                form.append_pair(&name, &self.shown(&value))
            } else {
                form.append_pair(&name, &value)
            };
        }
        form.finish()
    }

    fn hide(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if is_secret(name) => *text = self.shown(text),
                        Value::Number(number) if is_secret(name) => {
                            *member = self.shown(&number.to_string()).into();
                        }
                        Value::Array(items) if is_secret(name) => {
                            for item in items {
                                *item = self.shown(&item.to_string()).into();
                            }
                        }
                        other => self.hide(other),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            _ => {}
        }
    }
}

/// Whether any name in a JSON text may be that of a secret. Most texts need no parsing.
fn may_hold_secrets(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    // Names can be written with escapes.
    text.contains("\\u")
        || SECRETS.iter().any(|part| text.contains(part))
        || SECRET_NAMES.iter().any(|name| text.contains(&format!("\"{name}\"")))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRETS.iter().any(|part| name.contains(part)) || SECRET_NAMES.contains(&name.as_str())
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
        let (request, side) = Side::of_request(request, "/api/things", Bodies::Kept).await;
        let bytes = to_bytes(request.into_body(), usize::MAX).await.expect("a body");
        (bytes, side)
    }

    /// A key that is not stored.
    async fn key() -> DataKey {
        let store = store::Store::open_and_migrate("sqlite::memory:").await.expect("a database");
        let keys = store::keys::KeyRing::new(
            store.clone(),
            store::Clock::system(),
            store::keys::MasterKey::generate(),
        );
        let txn = store.begin().await.expect("a transaction");
        keys.create_in(&txn, uuid::Uuid::now_v7()).await.expect("a key")
    }

    #[tokio::test]
    async fn a_secret_is_kept_as_its_keyed_hash_alone() {
        let body = json!({ "name": "Dana", "newPassword": "sesame", "factors": [{ "code": 123456 }], "tokens": ["sesame"] });
        let (bytes, side) = sent("application/json", body.to_string()).await;
        assert_eq!(bytes, body.to_string());
        let (key, other) = (key().await, key().await);
        let (mask, of_another) = (Mask(&key), Mask(&other));
        assert_ne!(mask.hash("sesame"), of_another.hash("sesame"), "only the key tells which secret it was");
        let kept = serde_json::to_string(&side.without_secrets(&mask)).expect("JSON");
        assert!(!kept.contains("sesame") && !kept.contains("123456"), "{kept}");
        assert!(kept.contains("Dana") && kept.contains("search=Tenney"), "{kept}");
        assert!(kept.contains(&format!("Bearer {}", mask.shown("sesame"))), "{kept}");
        let (_, escaped) = sent("application/json", "{\"\\u0070assword\":\"sesame\"}").await;
        assert!(!escaped.without_secrets(&mask).body.expect("a body").contains("sesame"));
        let (_, form) = sent(FORM, "name=Dana&password=sesame").await;
        assert_eq!(
            form.without_secrets(&mask).body,
            Some(format!("name=Dana&password={}", mask.shown("sesame").replace(':', "%3A")))
        );
    }

    #[tokio::test]
    async fn nothing_is_kept_of_a_body_whose_type_holds_secrets() {
        let (answer, side) = Side::of_response(
            Response::builder()
                .header("content-type", "application/json")
                .body(Body::from(r#"{"uri":"otpauth://sesame"}"#))
                .expect("a response"),
            Bodies::Secret,
        )
        .await;
        assert!(!serde_json::to_string(&side).expect("JSON").contains("otpauth"));
        assert_eq!(side.omitted.as_deref(), Some("it may contain secrets"));
        assert!(!to_bytes(answer.into_body(), 100).await.expect("a body").is_empty(), "it goes on");
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
            (b"{}".as_slice(), Some("without a stated length"))
        );
    }
}
