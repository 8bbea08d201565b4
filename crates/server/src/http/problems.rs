//! Problem details for errors outside handlers.

use axum::{
    Json,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use platform::{Error, error::Problem};
use std::panic::AssertUnwindSafe;

/// 405: the path exists, the method does not.
pub async fn method_not_allowed() -> Response {
    not_allowed()
}

/// As [`method_not_allowed`], outside a handler.
pub fn not_allowed() -> Response {
    problem(StatusCode::METHOD_NOT_ALLOWED, "The resource does not support this method.").into_response()
}

/// Turns all errors of the API into problem details, including those of the HTTP kit, which are plain text.
pub async fn always_problems(request: Request, next: Next) -> Response {
    let is_api = super::is_api(request.uri().path());
    let response = next.run(request).await;
    let status = response.status();
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_api || !is_error || !content_type.is_some_and(|kind| kind.starts_with("text/plain")) {
        return response;
    }
    let mut problem = problem(status, "The request cannot be answered.").into_response();
    for (name, value) in response.headers() {
        if ![header::CONTENT_TYPE, header::CONTENT_LENGTH].contains(name) {
            problem.headers_mut().append(name, value.clone());
        }
    }
    problem
}

fn problem(status: StatusCode, message: &'static str) -> impl IntoResponse {
    let problem = Problem {
        kind: "about:blank",
        title: status.canonical_reason().unwrap_or("Error").into(),
        status: status.as_u16(),
        message: message.into(),
        model_state: None,
        reason: None,
        error_id: None,
    };
    let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"))];
    (status, content_type, Json(problem))
}

/// A panic of a handler is answered with 500, and the connection stays open. The panic's message is not repeated,
/// since it may contain patient data; the panic hook has logged the place.
pub async fn catch_panic(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Error::internal("the handler panicked").into_response(),
    }
}
