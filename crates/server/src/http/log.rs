//! One log line per request: method, path, status and time. Paths hold ids only; query strings and bodies, which may
//! hold names and secrets, are never logged.

use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use std::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an id, which its answer and all its log lines carry.
pub async fn access(request: Request, next: Next) -> Response {
    let id = Uuid::new_v4().simple().to_string();
    let span = tracing::info_span!("request", id);
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    async move {
        let started = Instant::now();
        let mut response = next.run(request).await;
        let milliseconds = started.elapsed().as_millis() as u64;
        tracing::info!(%method, path, status = response.status().as_u16(), milliseconds, "answered");
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }
    .instrument(span)
    .await
}
