//! Answers: resources, refusals, and the bytes of documents.

use crate::json::text;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// A refusal as an OperationOutcome.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    code: &'static str,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, code: &'static str) -> Self {
        Self { status, code }
    }

    pub(super) fn invalid() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid")
    }

    pub(super) fn not_supported() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "not-supported")
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found")
    }

    pub(super) fn broken() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "exception")
    }

    pub(super) fn not_signed_in() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "login")
    }

    pub(super) fn forbidden() -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden")
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let issue = json!({"severity": "error", "code": self.code});
        let outcome = json!({"resourceType": "OperationOutcome", "issue": [issue]});
        let mut response = (self.status, fhir(&outcome)).into_response();
        if self.status == StatusCode::UNAUTHORIZED
            && let Ok(challenge) = "Bearer".parse()
        {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// A resource as an answer.
pub(super) fn fhir(resource: &Value) -> Response {
    ([(CONTENT_TYPE, "application/fhir+json")], resource.to_string()).into_response()
}

/// The bytes of a Binary or an attachment. Only what cannot have scripts is shown in the browser.
pub(super) fn content(from: &Value, type_field: &str) -> Result<Response, Refusal> {
    let media_type = text(from, type_field).unwrap_or("application/octet-stream");
    let bytes = STANDARD.decode(text(from, "data").unwrap_or_default()).map_err(|_| Refusal::broken())?;
    let is_shown = matches!(media_type, "application/pdf" | "image/png" | "image/jpeg" | "text/plain");
    Response::builder()
        .header(CONTENT_TYPE, media_type)
        .header(X_CONTENT_TYPE_OPTIONS, "nosniff")
        .header(CONTENT_DISPOSITION, if is_shown { "inline" } else { "attachment" })
        .header(
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        )
        .body(Body::from(bytes))
        .map_err(|_| Refusal::broken())
}
