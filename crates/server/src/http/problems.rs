//! Problems that no handler reports.

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
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let problem = Problem {
        kind: "about:blank",
        title: "Method Not Allowed".into(),
        status: status.as_u16(),
        message: "The resource does not support this method.".into(),
        model_state: None,
        reason: None,
        error_id: None,
    };
    let content_type = [(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"))];
    (status, content_type, Json(problem)).into_response()
}

/// A handler that panics answers 500, and its connection lives on. What it said is not repeated, since it may hold
/// data of patients; the panic hook has logged the place.
pub async fn catch_panic(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => Error::internal("the handler panicked").into_response(),
    }
}
