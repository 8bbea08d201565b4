//! eFax Corporate: its REST interface (api.securedocex.com).
//!
//! A fax is created only once: a request without an answer may have succeeded, and eFax cannot look faxes up by our key.
//! URLs in answers are never followed, and only UUIDs are accepted as fax ids.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use uuid::Uuid;

use super::web::{self, Answer, WebError, cleaned, letters, number, send, text};
use crate::number::FaxNumber;
use crate::outcome::Outcome;
use crate::port::{
    Finished, Found, OutgoingFax, Progress, Provider, ProviderError, ProviderJob, ReceivedFile, Reception,
    Resolution, State, SubmitError,
};

/// Base URL of the API.
pub const ADDRESS: &str = "https://api.securedocex.com";
/// Received faxes per page of a list, and most pages of one list.
const PAGE_SIZE: usize = 100;
const MAX_PAGES: usize = 200;
/// How long before its expiry a token is renewed.
const RENEWAL_MARGIN: Duration = Duration::from_secs(300);
/// Faxes up to this long before the newest one are listed even when eFax has marked them as fetched.
const OVERLAP: TimeDelta = TimeDelta::days(2);

/// Tokens by account. They are valid for a day, while an `EFax` is created for each use.
static TOKENS: LazyLock<Mutex<HashMap<String, Token>>> = LazyLock::new(Mutex::default);

#[derive(Clone)]
struct Token {
    value: String,
    ends: Instant,
}

/// A user of an application at eFax Corporate.
#[derive(Clone)]
pub struct EFax {
    address: String,
    app_id: String,
    api_key: String,
    user_id: String,
    client: Client,
}

impl EFax {
    /// A user of an application.
    pub fn new(app_id: impl Into<String>, api_key: impl Into<String>, user_id: impl Into<String>) -> Self {
        Self {
            address: ADDRESS.to_owned(),
            app_id: app_id.into(),
            api_key: api_key.into(),
            user_id: user_id.into(),
            client: web::client(),
        }
    }

    /// Uses another base URL, without a trailing slash.
    pub fn at(self, address: impl Into<String>) -> Self {
        Self { address: address.into(), ..self }
    }
}

impl fmt::Debug for EFax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EFax").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}

/// Why a call has no answer.
#[derive(Debug)]
enum CallError {
    Web(WebError),
    /// No token, so the call was not made.
    SignIn(ProviderError),
}

impl From<CallError> for ProviderError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Web(error) => error.into(),
            CallError::SignIn(error) => error,
        }
    }
}

impl EFax {
    fn account(&self) -> String {
        [&self.address, &self.app_id, &self.api_key].map(String::as_str).join("\n")
    }

    async fn token(&self) -> Result<String, ProviderError> {
        let known = TOKENS.lock().unwrap_or_else(PoisonError::into_inner).get(&self.account()).cloned();
        if let Some(token) = known.filter(|token| token.ends > Instant::now()) {
            return Ok(token.value);
        }
        let request = self
            .client
            .post(format!("{}/tokens", self.address))
            .basic_auth(&self.app_id, Some(&self.api_key))
            .header("content-type", "application/x-www-form-urlencoded")
            .body("grant_type=client_credentials");
        let answer = send(request).await?;
        match answer.status {
            400 | 401 | 403 => return Err(ProviderError::Refused(NOT_ACCEPTED.to_owned())),
            status if !answer.is_success() => return Err(ProviderError::Unreachable(unexpected(status))),
            _ => {}
        }
        let is_token = |token: &String| token.bytes().all(|byte| byte.is_ascii_graphic());
        let value = text(&answer.body, "access_token").filter(is_token);
        let value = value.ok_or_else(|| ProviderError::Unreadable("eFax gives no token".to_owned()))?;
        let seconds = number(&answer.body, "expires_in").unwrap_or_default();
        let lasts = Duration::from_secs(seconds.into()).saturating_sub(RENEWAL_MARGIN);
        let token = Token { value: value.clone(), ends: Instant::now() + lasts };
        TOKENS.lock().unwrap_or_else(PoisonError::into_inner).insert(self.account(), token);
        Ok(value)
    }

    fn forget_token(&self) {
        TOKENS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.account());
    }

    /// Makes a call. If the token is refused, renews it once and tries again: a refused call had no effect.
    async fn call(
        &self,
        method: Method,
        path: &str,
        with: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, CallError> {
        let mut is_renewed = false;
        loop {
            let token = self.token().await.map_err(CallError::SignIn)?;
            let request = self.client.request(method.clone(), format!("{}{path}", self.address));
            let request = with(request.bearer_auth(token).header("user-id", &self.user_id));
            let answer = send(request).await.map_err(CallError::Web)?;
            if answer.status != 401 || is_renewed {
                return Ok(answer);
            }
            self.forget_token();
            is_renewed = true;
        }
    }

    async fn list(&self, offset: usize) -> Result<Vec<Value>, ProviderError> {
        let page = |request: RequestBuilder| {
            request.header("pagination-offset", offset).header("pagination-limit", PAGE_SIZE)
        };
        let mut answer = good(self.call(Method::GET, "/faxes/received", page).await?)?;
        match answer["faxes"].take() {
            Value::Array(faxes) => Ok(faxes),
            Value::Null => Ok(Vec::new()),
            _ => Err(ProviderError::Unreadable("eFax lists no faxes".to_owned())),
        }
    }
}

const NOT_ACCEPTED: &str = "eFax does not accept the application, its key or the user.";

fn unexpected(status: u16) -> String {
    format!("eFax answered with HTTP status {status}.")
}

/// The message of an error that is meant for users. Messages for developers may contain anything.
fn user_message(body: &Value) -> String {
    let errors = body.get("errors").and_then(Value::as_array);
    let first = errors.and_then(|errors| errors.first());
    let words = first.and_then(|error| text(error, "user_message").or_else(|| text(error, "error_code")));
    cleaned(&words.unwrap_or_default())
}

fn good(answer: Answer) -> Result<Value, ProviderError> {
    match answer.status {
        404 => Err(ProviderError::Unknown),
        401 | 403 => Err(ProviderError::Refused(NOT_ACCEPTED.to_owned())),
        429 => Err(ProviderError::Unreachable("eFax asks to wait.".to_owned())),
        _ if answer.is_success() => Ok(answer.body),
        400..500 => Err(ProviderError::Refused(user_message(&answer.body))),
        status => Err(ProviderError::Unreachable(unexpected(status))),
    }
}

/// The id of a fax for use in a path.
fn fax_id(id: &str) -> Option<Uuid> {
    (id.len() == 36).then(|| id.parse().ok()).flatten()
}

fn known(id: &str) -> Result<Uuid, ProviderError> {
    fax_id(id).ok_or(ProviderError::Unknown)
}

/// The number as eFax expects it: North American ones without a plus, all others with one.
fn dialled(to: &FaxNumber) -> Option<String> {
    let plain = to.extension().is_none();
    plain.then(|| if to.country_code() == "1" { to.digits().to_owned() } else { format!("+{}", to.digits()) })
}

fn submission(fax: &OutgoingFax, document: &[u8]) -> Result<Value, SubmitError> {
    let number = dialled(&fax.to).ok_or_else(|| {
        SubmitError::Refused(Outcome::BadNumber, "eFax does not dial extensions.".to_owned())
    })?;
    let resolution = match fax.resolution {
        Resolution::Fine => "FINE",
        Resolution::Standard => "STANDARD",
    };
    Ok(json!({
        "destinations": [{ "fax_number": number }],
        "documents": [{ "document_type": "PDF", "document_content": STANDARD.encode(document) }],
        "fax_options": {
            "image_resolution": resolution,
            "include_cover_page": false,
            "custom_CallerID": fax.from.digits(),
            "custom_CSID": fax.station_id,
            // We decide about retries.
            "retry_options": { "non_billable": 0, "billable": 0, "human_answer": 0 },
        },
        "client_data": { "client_reference_id": fax.key.to_string() },
    }))
}

/// The id of the fax that was created for the number.
fn created(body: &Value, fax: &OutgoingFax) -> Option<ProviderJob> {
    let [only] = body.as_array()?.as_slice() else { return None };
    let id = fax_id(only.get("fax_id")?.as_str()?)?;
    let number: String = text(only, "destination_fax_number")
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    (number.is_empty() || fax.to.digits().ends_with(&number)).then(|| ProviderJob { id: id.to_string() })
}

/// The outcome that the message of a failed transmission stands for.
fn outcome(words: &str) -> Outcome {
    let words = words.to_ascii_lowercase();
    let has = |any: &[&str]| any.iter().any(|part| words.contains(part));
    if has(&["busy"]) {
        Outcome::Busy
    } else if has(&["human", "voice"]) {
        Outcome::VoiceAnswered
    } else if has(&["no answer", "not answer"]) {
        Outcome::NoAnswer
    } else if has(&["not a fax", "no fax", "fax tone"]) {
        Outcome::NoFaxSignal
    } else if has(&["invalid", "not in service", "unassigned", "blocked", "wrong number"]) {
        Outcome::BadNumber
    } else if has(&["training", "negotiat"]) {
        Outcome::TrainingFailed
    } else if has(&["hung up", "hang up", "hangup", "disconnect", "interrupt"]) {
        Outcome::RemoteHangUp
    } else {
        Outcome::ProviderFault
    }
}

fn state(data: &Value, fax: &OutgoingFax) -> Result<State, ProviderError> {
    let status = text(data, "transmission_status").unwrap_or_default();
    let message = text(data, "error_message").unwrap_or_default();
    let words = cleaned(&message);
    let finished = |outcome, confirmed_pages, words| {
        State::Finished(Finished {
            outcome,
            confirmed_pages,
            words,
            rate: None,
            duration: None,
            remote_id: None,
            log: None,
        })
    };
    Ok(match letters(&status).as_str() {
        "new" | "pendingretry" => State::Queued,
        // The second is a misspelling of eFax.
        "inprogress" | "inprogess" => State::Dialling,
        "complete" | "completed" => finished(Outcome::Delivered, fax.pages, String::new()),
        "error" => finished(outcome(&message), 0, words),
        // By somebody at eFax, or on request: a person decides whether to send it again.
        "canceled" | "cancelled" => finished(Outcome::Cancelled, 0, String::new()),
        _ => return Err(ProviderError::Unreadable("the state of the fax is none that is known".to_owned())),
    })
}

/// A fax that came in. Public for the fuzz target.
#[doc(hidden)]
pub fn reception(fax: &Value) -> Option<Reception> {
    Some(Reception {
        id: fax_id(fax.get("fax_id")?.as_str()?)?.to_string(),
        received_at: text(fax, "completed_timestamp").and_then(|time| read_time(&time)),
        called: text(fax, "destination_fax_number"),
        caller: text(fax, "originating_fax_number"),
        caller_name: None,
        station_id: text(fax, "originating_fax_tsid"),
        pages: number(fax, "pages"),
        resolution: None,
        rate: None,
        duration: number(fax, "duration").map(|seconds| Duration::from_secs(seconds.into())),
        partial: None,
        line: None,
        is_marked: fax.get("image_downloaded").and_then(Value::as_bool).unwrap_or_default(),
    })
}

/// Parses `2026-10-03T14:00:00.000+0000`, whose offset lacks the colon of RFC 3339.
fn read_time(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z").ok().map(|time| time.to_utc())
}

#[async_trait]
impl Provider for EFax {
    async fn submit(&self, fax: &OutgoingFax) -> Result<ProviderJob, SubmitError> {
        let body = submission(fax, &web::as_pdf(fax).await?)?;
        let key = fax.key.to_string();
        let with = |request: RequestBuilder| request.header("transaction-id", &key).json(&body);
        let answer = match self.call(Method::POST, "/faxes", with).await {
            Ok(answer) => answer,
            Err(CallError::SignIn(ProviderError::Refused(words))) => {
                return Err(SubmitError::Refused(Outcome::ProviderFault, words));
            }
            Err(CallError::SignIn(error)) => return Err(SubmitError::Unreachable(error.to_string())),
            Err(CallError::Web(WebError::NotSent)) => {
                return Err(SubmitError::Unreachable(WebError::NotSent.words()));
            }
            Err(CallError::Web(error)) => return Err(SubmitError::Uncertain(error.words())),
        };
        match answer.status {
            201 => created(&answer.body, fax).ok_or_else(|| {
                SubmitError::Uncertain("eFax took the fax, but its answer cannot be read.".to_owned())
            }),
            401 | 403 => Err(SubmitError::Refused(Outcome::ProviderFault, NOT_ACCEPTED.to_owned())),
            429 => Err(SubmitError::Unreachable("eFax asks to wait.".to_owned())),
            400..500 => {
                let words = user_message(&answer.body);
                let is_number = words.to_ascii_lowercase().contains("number");
                let outcome = if is_number { Outcome::BadNumber } else { Outcome::ProviderFault };
                Err(SubmitError::Refused(outcome, words))
            }
            status => Err(SubmitError::Uncertain(unexpected(status))),
        }
    }

    async fn find(&self, _fax: &OutgoingFax) -> Result<Found, ProviderError> {
        Ok(Found::CannotTell)
    }

    async fn follow(&self, job: &ProviderJob, fax: &OutgoingFax) -> Result<Progress, ProviderError> {
        let id = known(&job.id)?;
        let path = format!("/faxes/{id}/transmission-details");
        let details = good(self.call(Method::GET, &path, |request| request).await?)?;
        if text(&details, "fax_id").as_deref().and_then(fax_id) != Some(id) {
            return Err(ProviderError::Unreadable("the details are those of another fax".to_owned()));
        }
        Ok(Progress { state: state(&details["transmission_data"], fax)?, line: None })
    }

    async fn cancel(&self, job: &ProviderJob) -> Result<(), ProviderError> {
        let path = format!("/faxes/{}/cancel", known(&job.id)?);
        let answer = self.call(Method::POST, &path, |request| request).await?;
        // 409: it has already ended.
        if answer.status == 409 { Ok(()) } else { good(answer).map(|_| ()) }
    }

    async fn received(&self, after: Option<DateTime<Utc>>) -> Result<Vec<Reception>, ProviderError> {
        let mut listed = Vec::new();
        for call in 0..MAX_PAGES {
            let faxes = self.list(call * PAGE_SIZE).await?;
            listed.extend(faxes.iter().filter_map(reception));
            if faxes.len() < PAGE_SIZE {
                break;
            }
        }
        // Fetching the image marks a fax as downloaded before it is stored here, so the mark of recent faxes is not
        // trusted.
        let newest = listed.iter().filter_map(|reception| reception.received_at).max();
        let after = after.or(newest.map(|newest| newest - OVERLAP));
        let is_recent = |at: Option<DateTime<Utc>>| at.zip(after).is_some_and(|(at, after)| at >= after);
        listed.retain(|reception| !reception.is_marked || is_recent(reception.received_at));
        listed.sort_by_key(|reception| reception.received_at);
        Ok(listed)
    }

    async fn fetch(&self, reception: &Reception) -> Result<ReceivedFile, ProviderError> {
        let id = known(&reception.id)?;
        let path = format!("/faxes/{id}/image?desired_format=PDF");
        let answer = good(self.call(Method::GET, &path, |request| request).await?)?;
        if text(&answer, "fax_id").as_deref().and_then(fax_id) != Some(id) {
            return Err(ProviderError::Unreadable("the pages are those of another fax".to_owned()));
        }
        web::file(&text(&answer, "image").unwrap_or_default())
    }

    async fn acknowledge(&self, reception: &Reception) -> Result<(), ProviderError> {
        let path = format!("/faxes/{}/metadata", known(&reception.id)?);
        let mark = |request: RequestBuilder| request.json(&json!({ "image_downloaded": true }));
        good(self.call(Method::PATCH, &path, mark).await?).map(|_| ())
    }

    async fn test(&self) -> Vec<String> {
        match self.list(0).await {
            Ok(_) => Vec::new(),
            Err(ProviderError::Refused(words)) => vec![words],
            Err(error) => vec![format!("eFax cannot be asked: {error}")],
        }
    }

    fn can_resume(&self) -> bool {
        false
    }
}
