//! Small HTTP pieces that all areas use.

use crate::{Error, fields::DEFAULT_FIELD_ERROR};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{StatusCode, header, request::Parts},
};
use chrono::{DateTime, Days, Duration, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use utoipa::ToSchema;

/// Above this number totals are shown as `10,000+` and pages go on by cursor.
pub const COUNT_CAP: u64 = 10_000;

/// A JSON request body. What cannot be read is named by its field, without repeating the value.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let is_json = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|v| v.to_str().ok())
            .is_some_and(|v| v.starts_with("application/json"));
        if !is_json {
            return Err(Error::BadRequest("The request body must be JSON.".into()));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|error| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge("The request is too large.".into()),
            _ => Error::BadRequest("The request body is not complete.".into()),
        })?;
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        serde_path_to_error::deserialize(&mut json).map(Self).map_err(|error| {
            let path = error.path().to_string();
            if error.inner().is_data() && path != "." {
                Error::field(&path, DEFAULT_FIELD_ERROR)
            } else {
                Error::BadRequest("The request body is not valid JSON.".into())
            }
        })
    }
}

/// Reads a member that can be taken away: absent it is `None`, null is `Some(None)`. Goes with `#[serde(default)]`.
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
            .map_err(|_| Error::BadRequest("A query parameter has a value that cannot be used.".into()))
    }
}

/// An end of a span of time: a day of UTC, or, from a reader whose days begin at another hour, a moment.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
pub enum DayOrMoment {
    Moment(DateTime<Utc>),
    Day(NaiveDate),
}

impl DayOrMoment {
    /// The first moment of a span that begins with it.
    pub fn begin(self) -> DateTime<Utc> {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => day.and_time(NaiveTime::MIN).and_utc(),
        }
    }

    /// The first moment behind a span that ends with it; none behind the end of time. Moments are told to the
    /// millisecond, and the last one counts whole.
    pub fn behind(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Moment(moment) => moment.checked_add_signed(Duration::milliseconds(1)),
            Self::Day(day) => day.checked_add_days(Days::new(1)).map(|next| Self::Day(next).begin()),
        }
    }
}

/// A path parameter; one that cannot be read is not found.
pub struct Id<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Id<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        Path::<T>::from_request_parts(parts, state).await.map(|Path(v)| Self(v)).map_err(|_| Error::NotFound)
    }
}

/// A page counted from 1.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    pub number: u64,
    pub size: u64,
}

impl Page {
    /// Fills in defaults; refuses sizes above `max`.
    pub fn new(number: Option<u64>, size: Option<u64>, default: u64, max: u64) -> Result<Self, Error> {
        let page = Self { number: number.unwrap_or(1), size: size.unwrap_or(default) };
        if page.number == 0 || page.size == 0 || page.size > max {
            return Err(Error::BadRequest("The page does not exist.".into()));
        }
        if page.offset() >= COUNT_CAP {
            return Err(Error::BadRequest("Pages beyond row 10,000 are reached by their cursor.".into()));
        }
        Ok(page)
    }

    pub fn offset(self) -> u64 {
        (self.number - 1) * self.size
    }
}

/// A list without more pages.
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
    /// A page whose total was counted up to one more than [`COUNT_CAP`].
    pub fn capped(items: Vec<T>, counted: u64) -> Self {
        Self { items, total_count: counted.min(COUNT_CAP), total_is_capped: counted > COUNT_CAP }
    }
}

/// `data` says whether it worked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Data {
    pub data: Option<bool>,
}

/// One sentence for the user.
#[derive(Debug, Serialize, ToSchema)]
pub struct Message {
    pub message: String,
}
