//! Shared HTTP building blocks.

use crate::{Error, checks, fields::DEFAULT_FIELD_ERROR};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{StatusCode, header, request::Parts, uri::Authority},
    response::{AppendHeaders, IntoResponse, Response},
};
use chrono::{DateTime, Days, Duration, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::convert::Infallible;
use utoipa::ToSchema;

/// Totals above this number are shown as `10,000+`, and further pages use a cursor.
pub const COUNT_CAP: u64 = 10_000;

const NOT_JSON: &str = "The request body is not valid JSON.";

/// A JSON request body. Errors name the field, without repeating the value.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned + ToSchema + 'static, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        if !is_of_type(&request, "application/json") {
            return Err(Error::BadRequest("The request body must be JSON.".into()));
        }
        let bytes = whole_body(request, state).await?;
        let value: Value = read(serde_json::Deserializer::from_slice(&bytes))?;
        if checks::is_object::<T>() && !value.is_object() {
            return Err(Error::BadRequest("The request body must be a JSON object.".into()));
        }
        checked(value).map(Self)
    }
}

/// The JSON in a part of a multipart form, checked like a body.
pub fn part<T: DeserializeOwned + ToSchema + 'static>(text: &str) -> Result<T, Error> {
    checked(read(serde_json::Deserializer::from_slice(text.as_bytes()))?)
}

fn checked<T: DeserializeOwned + ToSchema + 'static>(mut value: Value) -> Result<T, Error> {
    checks::check::<T>(&mut value).check()?;
    serde_path_to_error::deserialize(value).map_err(unreadable)
}

/// A request body as an HTML form (`application/x-www-form-urlencoded`) or JSON.
pub struct FormBody<T>(pub T);

impl<T: DeserializeOwned + ToSchema + 'static, S: Send + Sync> FromRequest<S> for FormBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        if is_of_type(&request, "application/json") {
            return Body::from_request(request, state).await.map(|Body(form)| Self(form));
        }
        if !is_of_type(&request, "application/x-www-form-urlencoded") {
            return Err(Error::BadRequest("The request body must be a form or JSON.".into()));
        }
        let bytes = whole_body(request, state).await?;
        let texts = url::form_urlencoded::parse(&bytes).into_owned();
        checked(checks::typed::<T>(texts)).map(Self)
    }
}

async fn whole_body<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Error> {
    Bytes::from_request(request, state).await.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge("The request is too large.".into()),
        _ => Error::BadRequest("The request body is incomplete.".into()),
    })
}

fn is_of_type(request: &Request, name: &str) -> bool {
    let given = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(name)
}

/// A single JSON value.
fn read<'de, T: Deserialize<'de>>(
    mut json: serde_json::Deserializer<serde_json::de::SliceRead<'de>>,
) -> Result<T, Error> {
    let value = serde_path_to_error::deserialize(&mut json).map_err(unreadable)?;
    json.end().map_err(|_| Error::BadRequest(NOT_JSON.into()))?;
    Ok(value)
}

fn unreadable(error: serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = error.path().to_string();
    if error.inner().is_data() && path != "." {
        Error::field(&path, DEFAULT_FIELD_ERROR)
    } else {
        Error::BadRequest(NOT_JSON.into())
    }
}

/// Reads a member that can be removed: absent is `None`, null is `Some(None)`. Use with `#[serde(default)]`.
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    member: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(member).map(Some)
}

/// Query parameters; empty values count as absent.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        Query::<T>::from_request_parts(parts, state)
            .await
            .map(|Query(value)| Self(value))
            .map_err(|_| Error::BadRequest("A query parameter has an invalid value.".into()))
    }
}

/// An end of a period: a day in UTC, or a time, from clients in other time zones.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DayOrMoment {
    Moment(DateTime<Utc>),
    Day(NaiveDate),
}

impl DayOrMoment {
    /// The first moment of a period that begins with it.
    pub fn begin(self) -> DateTime<Utc> {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
        }
    }

    /// The exclusive end of a period that ends with it; `None` beyond the end of time. Times have milliseconds, and
    /// the last one is included.
    pub fn behind(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Moment(moment) => moment.checked_add_signed(Duration::milliseconds(1)),
            Self::Day(day) => day.checked_add_days(Days::new(1)).map(|next| Self::Day(next).begin()),
        }
    }
}

/// A path parameter; an invalid one is not found.
pub struct Id<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        Path::<T>::from_request_parts(parts, state).await.map(|Path(v)| Self(v)).map_err(|_| Error::NotFound)
    }
}

/// The requested host name in lower case without a port; empty if there is none. Behind a trusted proxy, the host
/// that the proxy was asked for.
#[derive(Clone, Debug, Default)]
pub struct HostName(pub String);

impl HostName {
    /// The host of an authority such as `mail.example:8443`.
    pub fn of_authority(authority: &str) -> Self {
        let host = Authority::try_from(authority.trim()).map(|a| a.host().to_lowercase());
        Self(host.unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for HostName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        if let Some(forwarded) = parts.extensions.get::<Self>() {
            return Ok(forwarded.clone());
        }
        // HTTP/2 has it in the address.
        let header = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let authority = parts.uri.authority().map(Authority::as_str).or(header);
        Ok(Self::of_authority(authority.unwrap_or_default()))
    }
}

/// A page of a list.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    offset: u64,
    pub size: u64,
}

impl Page {
    /// A page counted from 1. Applies defaults; refuses sizes above `max`.
    pub fn new(number: Option<u64>, size: Option<u64>, default: u64, max: u64) -> Result<Self, Error> {
        let size = size.unwrap_or(default);
        let before = number.unwrap_or(1).checked_sub(1).ok_or(NO_PAGE)?;
        Self::from_row(before.checked_mul(size), size, max)
    }

    /// A page that begins at a row, counted from 0.
    pub fn starting_at(row: Option<u64>, size: Option<u64>, default: u64, max: u64) -> Result<Self, Error> {
        Self::from_row(Some(row.unwrap_or(0)), size.unwrap_or(default), max)
    }

    fn from_row(offset: Option<u64>, size: u64, max: u64) -> Result<Self, Error> {
        if size == 0 || size > max {
            return Err(NO_PAGE);
        }
        match offset {
            Some(offset) if offset < COUNT_CAP => Ok(Self { offset, size }),
            _ => Err(Error::BadRequest("Pages beyond row 10,000 need a cursor.".into())),
        }
    }

    /// Number of rows before the page.
    pub fn offset(self) -> u64 {
        self.offset
    }
}

const NO_PAGE: Error = Error::BadRequest(std::borrow::Cow::Borrowed("The page does not exist."));

/// A complete list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    pub items: Vec<T>,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Paged<T> {
    pub items: Vec<T>,
    /// Exact up to 10,000.
    pub total_count: u64,
    /// There are more than `total_count`.
    pub total_is_capped: bool,
}

impl<T> Paged<T> {
    /// A page whose total was counted up to [`COUNT_CAP`] + 1.
    pub fn capped(items: Vec<T>, counted: u64) -> Self {
        Self { items, total_count: counted.min(COUNT_CAP), total_is_capped: counted > COUNT_CAP }
    }

    /// The same page with converted items.
    pub fn map<U>(self, item: impl FnMut(T) -> U) -> Paged<U> {
        let Self { items, total_count, total_is_capped } = self;
        Paged { items: items.into_iter().map(item).collect(), total_count, total_is_capped }
    }
}

/// 201 with the address of the new object, and the object.
pub struct Created<T>(pub String, pub T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        let location = AppendHeaders([(header::LOCATION, self.0)]);
        (StatusCode::CREATED, location, axum::Json(self.1)).into_response()
    }
}

/// `data` is whether it worked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Data {
    pub data: Option<bool>,
}

/// One sentence for the user.
#[derive(Debug, Serialize, ToSchema)]
pub struct Message {
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_after_the_pages_before_it() {
        assert_eq!(Page::new(Some(3), Some(25), 10, 100).map(Page::offset).ok(), Some(50));
        assert_eq!(Page::starting_at(Some(7), None, 10, 100).map(Page::offset).ok(), Some(7));
    }

    #[test]
    fn a_page_that_cannot_be_is_refused() {
        for (number, size) in [(0, 10), (1, 0), (1, 101), (u64::MAX, 100), (101, 100)] {
            assert!(Page::new(Some(number), Some(size), 10, 100).is_err(), "{number} of {size}");
        }
    }
}
