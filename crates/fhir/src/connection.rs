//! Requests to one FHIR server, with limits and without redirects, and what a refusal means.

use crate::json::owned;
use crate::outcome::codes;
use crate::problem::{Problem, SignInReason};
use chrono::{DateTime, NaiveDate};
use fetch::{FetchError, HttpFetcher};
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, ETAG, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderName, Method, StatusCode};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use url::{Host, Url};

/// Bytes of one answer.
const ANSWER_MAX: usize = 8 << 20;
/// Bytes of an answer with one document, as large as what can be filed.
const DOCUMENT_MAX: usize = 64 << 20;
/// Longest wait that an EHR can ask for.
const WAIT_MAX: Duration = Duration::from_secs(3600);

pub(crate) const FHIR_JSON: &str = "application/fhir+json";
const PREFER: HeaderName = HeaderName::from_static("prefer");
const FORM: &str = "application/x-www-form-urlencoded";

/// How requests are authorized.
#[derive(Clone, PartialEq, Eq)]
pub enum Access {
    /// Not at all, for servers in a closed network and for demonstrations.
    Open,
    /// With this access token.
    Bearer(String),
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "Open",
            Self::Bearer(_) => "Bearer(…)",
        })
    }
}

/// A FHIR server.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    http: HttpFetcher,
    base: Url,
    access: Access,
    /// Whether this server takes no search by POST.
    searches_by_get: Arc<AtomicBool>,
}

/// A successful answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    /// Null if there is none.
    pub(crate) body: Value,
}

impl Answer {
    /// Today where the EHR is. Without a date in the answer it is the end of time, so that whatever has an end is over.
    pub(crate) fn today(&self) -> NaiveDate {
        http_date(&self.headers, DATE).map_or(NaiveDate::MAX, |now| now.date_naive())
    }

    /// The version in the ETag, which may be weak.
    pub(crate) fn version(&self) -> Option<String> {
        let tag = self.headers.get(ETAG)?.to_str().ok()?.trim_start_matches("W/").trim_matches('"');
        (!tag.is_empty()).then(|| tag.to_owned())
    }

    /// The id of the created resource, from its address: `…/DocumentReference/ID/_history/1`.
    pub(crate) fn created_id(&self, kind: &str) -> Option<String> {
        let reference = serde_json::json!({"reference": self.headers.get(LOCATION)?.to_str().ok()?});
        crate::read::reference_id(&reference, kind)
    }
}

impl Connection {
    /// Checks the base address: http or https, without user, query and fragment. A token goes over https alone, or to
    /// this machine.
    pub(crate) fn new(http: HttpFetcher, base: &str, access: Access) -> Result<Self, Problem> {
        let base = base_url(base)?;
        if access != Access::Open && !is_safe(&base) {
            return Err(Problem::Address);
        }
        Ok(Self { http, base, access, searches_by_get: Arc::default() })
    }

    /// The base address, with a slash at its end.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// The address of these segments.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    pub(crate) async fn get(&self, url: &Url) -> Result<Answer, Problem> {
        self.send(Method::GET, url, &[], Vec::new(), ANSWER_MAX).await
    }

    /// A search for resources of a type. By POST, since addresses are logged and what is searched for is patient data;
    /// by GET from the first time on that the server does not take that.
    pub(crate) async fn search(&self, kind: &str, parameters: &[(&str, String)]) -> Result<Answer, Problem> {
        if !self.searches_by_get.load(Relaxed) {
            let form = form(parameters);
            let url = self.url(&[kind, "_search"]);
            match self.send(Method::POST, &url, &[(CONTENT_TYPE, FORM)], form.into_bytes(), ANSWER_MAX).await
            {
                Err(Problem::NotFound | Problem::NotOffered | Problem::Refused { status: 415, .. }) => {}
                answer => return answer,
            }
        }
        let mut url = self.url(&[kind]);
        url.query_pairs_mut().extend_pairs(parameters);
        let answer = self.get(&url).await?;
        // Remembered only now: a server that has no such resource refuses both.
        self.searches_by_get.store(true, Relaxed);
        Ok(answer)
    }

    /// Reads a document, which may have its content within.
    pub(crate) async fn get_document(&self, url: &Url) -> Result<Answer, Problem> {
        self.send(Method::GET, url, &[], Vec::new(), DOCUMENT_MAX).await
    }

    /// Sends a resource, and asks for it as the server has it then.
    pub(crate) async fn post(
        &self,
        url: &Url,
        headers: &[(HeaderName, &str)],
        resource: &Value,
    ) -> Result<Answer, Problem> {
        let own = [(CONTENT_TYPE, FHIR_JSON), (PREFER, "return=representation")];
        let headers = [&own, headers].concat();
        self.send(Method::POST, url, &headers, resource.to_string().into_bytes(), ANSWER_MAX).await
    }

    /// Creates or replaces a document or its content, which need not come back.
    pub(crate) async fn send_document(
        &self,
        method: Method,
        url: &Url,
        headers: &[(HeaderName, &str)],
        resource: &Value,
    ) -> Result<Answer, Problem> {
        let own = [(CONTENT_TYPE, FHIR_JSON), (PREFER, "return=minimal")];
        let headers = [&own, headers].concat();
        self.send(method, url, &headers, resource.to_string().into_bytes(), DOCUMENT_MAX).await
    }

    /// Sends a request and reads its answer; a refusal is a problem.
    async fn send(
        &self,
        method: Method,
        url: &Url,
        headers: &[(HeaderName, &str)],
        body: Vec<u8>,
        limit: usize,
    ) -> Result<Answer, Problem> {
        let mut request = http::Request::builder().method(method).uri(url.as_str()).header(ACCEPT, FHIR_JSON);
        if let Access::Bearer(token) = &self.access {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let request = request.body(body).map_err(|_| Problem::Address)?;
        let answer = send(&self.http, url, request, limit).await?;
        let (parts, body) = answer.into_parts();
        if !parts.status.is_success() {
            return Err(refusal(parts.status, &parts.headers, &body));
        }
        let is_empty = body.iter().all(u8::is_ascii_whitespace);
        let read = || serde_json::from_slice(&body).map_err(|_| Problem::Unreadable);
        let body = if is_empty { Value::Null } else { read()? };
        Ok(Answer { status: parts.status, headers: parts.headers, body })
    }
}

/// Sends a request; tells a name that does not exist from a server that does not run.
pub(crate) async fn send(
    http: &HttpFetcher,
    url: &Url,
    request: http::Request<Vec<u8>>,
    limit: usize,
) -> Result<http::Response<Vec<u8>>, Problem> {
    match http.send(request, limit).await {
        Err(FetchError::NotConnected) => match url.host() {
            Some(Host::Domain(name)) if tokio::net::lookup_host((name, 443)).await.is_err() => {
                Err(Problem::NameNotFound)
            }
            _ => Err(Problem::NotConnected),
        },
        answer => Ok(answer?),
    }
}

/// The base address of a FHIR server, with a slash at its end.
pub(crate) fn base_url(written: &str) -> Result<Url, Problem> {
    let mut url = Url::parse(written.trim()).map_err(|_| Problem::Address)?;
    let has_more = url.query().is_some() || url.fragment().is_some();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_more || has_user {
        return Err(Problem::Address);
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// Whether secrets may be sent there: over https, or to this machine.
pub(crate) fn is_safe(url: &Url) -> bool {
    let is_loopback = match url.host() {
        Some(Host::Ipv4(v4)) => v4.is_loopback(),
        Some(Host::Ipv6(v6)) => v6.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    url.scheme() == "https" || is_loopback
}

/// Fields as a form.
pub(crate) fn form(fields: &[(&str, String)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The time of a header.
pub(crate) fn http_date(headers: &HeaderMap, name: HeaderName) -> Option<DateTime<chrono::FixedOffset>> {
    DateTime::parse_from_rfc2822(headers.get(name)?.to_str().ok()?).ok()
}

/// What a refusal means.
pub(crate) fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Problem {
    match status.as_u16() {
        300..=399 => Problem::Redirected,
        401 => Problem::SignInRefused { reason: reason(headers) },
        403 => Problem::NotAllowed,
        404 => Problem::NotFound,
        405 | 501 => Problem::NotOffered,
        410 => Problem::Gone,
        429 | 503 => Problem::Busy { retry_after: retry_after(headers) },
        status => {
            let outcome = serde_json::from_slice(body).unwrap_or_default();
            Problem::Refused { status, issues: codes(&outcome) }
        }
    }
}

fn reason(headers: &HeaderMap) -> SignInReason {
    let challenge = headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match challenge.contains("insufficient_scope") {
        true => SignInReason::WrongScope,
        false => SignInReason::Other,
    }
}

/// Seconds, or a date, which is compared with the answer's own.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let written = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match written.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => (http_date(headers, RETRY_AFTER)? - http_date(headers, DATE)?).to_std().unwrap_or_default(),
    };
    Some(wait.min(WAIT_MAX))
}

/// The text of a field of an error that is not FHIR, such as `error` of OAuth.
pub(crate) fn error_field(body: &[u8], field: &str) -> String {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    owned(&answer, field).unwrap_or_default()
}
