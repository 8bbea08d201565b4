//! One log line per request: method, path, status and duration, caller, and a keyed hash of the source address;
//! requests are also counted for metrics. Query strings and bodies, which may contain names and secrets, are never
//! logged, nor are paths whose pattern names a token.

use crate::monitoring::{Asked, Requests};
use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use platform::{App, session::source_ip};
use std::{fmt::Write as _, time::Instant};
use store::keys::KeyRing;
use tracing::{Instrument, field::Empty};
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// State shared by all lines.
#[derive(Clone)]
pub struct Log {
    pub app: App,
    pub requests: Requests,
}

/// Gives the request an id, which is in its answer and all its log lines. `user` or `service` is filled in once the
/// caller is known (`platform::api`).
pub async fn access(log: Log, request: Request, next: Next) -> Response {
    let Log { app, requests } = log;
    let id = Uuid::new_v4().simple().to_string();
    let client = client_of(&app.keys, &source_ip(&request));
    let span = tracing::info_span!("request", id, client, user = Empty, service = Empty);
    let (method, path) = (request.method().clone(), path_of(&request));
    let asked = Asked::of(&request);
    async move {
        let started = Instant::now();
        let mut response = next.run(request).await;
        let (took, status) = (started.elapsed(), response.status());
        requests.note(asked, status, took);
        let milliseconds = took.as_millis() as u64;
        tracing::info!(%method, path, status = status.as_u16(), milliseconds, "answered");
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }
    .instrument(span)
    .await
}

/// Pseudonym of an address in the log: constant for an address, and not reversible without the master key.
fn client_of(keys: &KeyRing, address: &str) -> String {
    let mac = keys.master().mac("log client", address.as_bytes());
    mac[..8].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Maximum length of a readable part of a path: the length of an id.
const READABLE: usize = 36;

/// The path, or its pattern if it contains a secret. Longer parts are always left out: a secret may be in a spelling
/// that no pattern matches.
fn path_of(request: &Request) -> String {
    match request.extensions().get::<MatchedPath>() {
        Some(pattern) if pattern.as_str().contains("{token}") => pattern.as_str().to_owned(),
        _ => {
            let part = |part: &str| if part.len() > READABLE { "…".to_owned() } else { part.to_owned() };
            request.uri().path().split('/').map(part).collect::<Vec<_>>().join("/")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, body::Body, middleware::from_fn, response::IntoResponse, routing::any};
    use tower::ServiceExt;

    async fn logged(path: &str) -> String {
        let look = from_fn(async |request: Request, _: Next| path_of(&request).into_response());
        let never = any(async || "");
        let router = Router::new()
            .route("/api/fax/callbacks/{token}", never.clone())
            .route("/api/contacts", never.clone())
            .fallback(never)
            .layer(look);
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let answer = router.oneshot(request).await.expect("an answer");
        let bytes = axum::body::to_bytes(answer.into_body(), 1000).await.expect("a body");
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    #[tokio::test]
    async fn neither_a_secret_nor_the_words_of_a_search_are_logged() {
        assert_eq!(logged("/api/fax/callbacks/sesame").await, "/api/fax/callbacks/{token}");
        assert_eq!(logged("/api/contacts?search=Tenney").await, "/api/contacts");
        assert_eq!(logged("/intake?filter=Tenney").await, "/intake");
        let secret = "5".repeat(43);
        assert_eq!(logged(&format!("/api/Fax//Callbacks/{secret}/")).await, "/api/Fax//Callbacks/…/");
        let id = Uuid::nil();
        assert_eq!(logged(&format!("/api/messages/{id}")).await, format!("/api/messages/{id}"));
    }
}
