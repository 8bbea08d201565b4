//! Errors with a text for the caller and a private detail for the log. Only this module turns them into problem
//! details (RFC 9457) with the members `message` and `modelState`.

use crate::fields::FieldErrors;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use sea_orm::{DbErr, RuntimeErr};
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt::{self, Display},
};
use utoipa::ToSchema;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Reason code: the client signs off silently.
pub const REVOKED: &str = "Token revoked or expired.";
/// Shown instead of a restricted document that the user may not open; also the reason code.
pub const RESTRICTED: &str =
    "This document is restricted. Please ask an administrator for permission to open it.";
/// Reason code: the organization does not allow the caller's address.
pub const ADDRESS_REFUSED: &str = "Address not allowed.";

/// Reason code: the terms of service must be accepted first.
pub const TERMS_REQUIRED: &str = "TermsRequired";

/// Reason code: the person has to sign in at the EHR first.
pub const LOGIN_REQUIRED: &str = "LoginRequired";

/// Reason code: a save is based on an outdated version.
const OUTDATED: &str = "Changed in the meantime.";

const VERSION_NEEDED: &str = "Please send the version that was read.";

/// Error of a request.
pub enum Error {
    /// 422: invalid fields.
    Invalid(FieldErrors),
    /// 400: the request as a whole is invalid.
    BadRequest(Cow<'static, str>),
    /// 401 of a sign-in: the text is shown in the form.
    SignInRefused(Cow<'static, str>),
    /// 401: no valid token.
    Unauthenticated,
    /// 403: signed in, but the role does not allow it.
    Forbidden,
    /// 403: the document is restricted, and the caller may not open restricted ones.
    Restricted,
    /// 403: the organization does not allow the address of the request.
    AddressRefused,
    /// 403: the service account may not be used from the address of the request.
    ServiceAddressRefused,
    /// 403: terms of service were activated that the caller has not accepted.
    TermsRequired,
    /// 404: does not exist, or belongs to another tenant.
    NotFound,
    /// 409: the object's state does not allow it.
    Conflict(Cow<'static, str>),
    /// 409: somebody else saved it since the caller read it; with its name ("this network", "these settings").
    Outdated(&'static str),
    /// 409: the person has to sign in at an outside system first.
    LoginRequired(Cow<'static, str>),
    /// 413
    TooLarge(Cow<'static, str>),
    /// 429
    TooMany(Cow<'static, str>),
    /// 502: an outside system did not answer, or not as needed.
    Unanswered(Cow<'static, str>),
    /// 507: the disk or the database is full.
    Full,
    /// 500: the detail goes to the log, never to the caller.
    Internal(String),
}

impl Error {
    /// A field error.
    pub fn field(field: &str, text: impl Into<String>) -> Self {
        let mut errors = FieldErrors::default();
        errors.add(field, text);
        Self::Invalid(errors)
    }

    /// The same for an item of a list in a form: its fields are `endpoints[0].port`.
    pub fn within(self, list: &str, at: usize) -> Self {
        match self {
            Self::Invalid(fields) => {
                let named = |(field, texts)| (format!("{list}[{at}].{field}"), texts);
                Self::Invalid(FieldErrors(fields.0.into_iter().map(named).collect()))
            }
            other => other,
        }
    }

    /// Refuses a change without the current version: it would overwrite unseen changes. `what` is "this network" or
    /// "these settings".
    pub fn unless_current<V: PartialEq>(read: Option<V>, kept: &V, what: &'static str) -> Result<()> {
        match read {
            None => Err(Self::field("version", VERSION_NEEDED)),
            Some(read) if read != *kept => Err(Self::Outdated(what)),
            Some(_) => Ok(()),
        }
    }

    /// An unexpected error. The detail must not contain patient data.
    pub fn internal(detail: impl Display) -> Self {
        Self::Internal(detail.to_string())
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::SignInRefused(_) | Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden
            | Self::Restricted
            | Self::AddressRefused
            | Self::ServiceAddressRefused
            | Self::TermsRequired => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Conflict(_) | Self::Outdated(_) | Self::LoginRequired(_) => StatusCode::CONFLICT,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unanswered(_) => StatusCode::BAD_GATEWAY,
            Self::Full => StatusCode::INSUFFICIENT_STORAGE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(fields) => match fields.0.values().flatten().next() {
                Some(text) => text.clone(),
                None => crate::fields::DEFAULT_FIELD_ERROR.into(),
            },
            Self::BadRequest(text)
            | Self::SignInRefused(text)
            | Self::Conflict(text)
            | Self::LoginRequired(text)
            | Self::Unanswered(text)
            | Self::TooLarge(text)
            | Self::TooMany(text) => text.to_string(),
            Self::Outdated(what) => {
                let it = if what.starts_with("these ") { "them" } else { "it" };
                format!("Somebody else has changed {what} since you opened {it}.")
            }
            Self::Unauthenticated => REVOKED.into(),
            Self::Forbidden => "You are not authorized to view this resource.".into(),
            Self::Restricted => RESTRICTED.into(),
            Self::AddressRefused => "Your organization does not allow access from this network address. Please ask an administrator of your organization.".into(),
            Self::ServiceAddressRefused => "This service account may not be used from this network address.".into(),
            Self::TermsRequired => "Please accept the terms of service first.".into(),
            Self::NotFound => "Not Found".into(),
            Self::Full => "The server cannot store anything at the moment. Please try again later.".into(),
            Self::Internal(_) => "Something went wrong on our side. Please try again.".into(),
        }
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        if is_unstorable_text(&error) {
            return Self::BadRequest("A text contains a character that cannot be stored.".into());
        }
        if is_full(&error) {
            return Self::Full;
        }
        Self::Internal(store::describe(&error))
    }
}

/// For logs: requests, and so the texts that answer them, may contain patient data.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Internal(detail) => f.write_str(detail),
            Self::Invalid(fields) => write!(f, "refused: {:?}", fields.0.keys()),
            other => write!(f, "refused: {}", other.status()),
        }
    }
}

/// PostgreSQL cannot store texts with U+0000 (`character_not_in_repertoire`).
fn is_unstorable_text(error: &DbErr) -> bool {
    code_of(error).is_some_and(|code| code == "22021")
}

/// `SQLITE_FULL` of SQLite, `disk_full` of PostgreSQL.
fn is_full(error: &DbErr) -> bool {
    code_of(error).is_some_and(|code| code == "13" || code == "53100")
}

fn code_of(error: &DbErr) -> Option<Cow<'_, str>> {
    let (DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))) = error
    else {
        return None;
    };
    error.as_database_error().and_then(|e| e.code())
}

impl From<store::keys::KeyError> for Error {
    fn from(error: store::keys::KeyError) -> Self {
        match error {
            store::keys::KeyError::Database(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

impl From<store::blobs::BlobError> for Error {
    fn from(error: store::blobs::BlobError) -> Self {
        match error {
            store::blobs::BlobError::Full => Self::Full,
            other => Self::internal(other),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::internal(error)
    }
}

/// Body of every error answer (RFC 9457 with the two members that the product's clients use).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Always `about:blank`: the status is the type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub title: String,
    pub status: u16,
    /// One sentence for the user.
    pub message: String,
    /// Field name -> texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_state: Option<BTreeMap<String, Vec<String>>>,
    /// Why a token, an address, a document or a save was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Id for finding the log line of an unexpected error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_id: Option<String>,
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.status();
        if let Self::Full = &self {
            tracing::error!("a request was refused because the disk is full");
        }
        let error_id = if let Self::Internal(detail) = &self {
            let id = uuid::Uuid::new_v4().simple().to_string();
            tracing::error!(error_id = id, detail, "request failed");
            Some(id)
        } else {
            None
        };
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error").into(),
            status: status.as_u16(),
            message: self.message(),
            reason: match self {
                Self::Unauthenticated => Some(REVOKED),
                Self::AddressRefused | Self::ServiceAddressRefused => Some(ADDRESS_REFUSED),
                Self::Restricted => Some(RESTRICTED),
                Self::TermsRequired => Some(TERMS_REQUIRED),
                Self::Outdated(_) => Some(OUTDATED),
                Self::LoginRequired(_) => Some(LOGIN_REQUIRED),
                _ => None,
            },
            model_state: if let Self::Invalid(fields) = self { Some(fields.0) } else { None },
            error_id,
        };
        let mut response = (status, axum::Json(problem)).into_response();
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response
    }
}
