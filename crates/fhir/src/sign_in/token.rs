//! Tokens: asked for with a signed assertion, a code, or a refresh token, and ended.

use super::{Discovered, Secret};
use crate::connection::{error_field, form, http_date, is_safe, refusal, send};
use crate::json::{owned, text};
use crate::keys::SigningKey;
use crate::problem::{Problem, SignInReason};
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use fetch::HttpFetcher;
use http::header::{ACCEPT, CONTENT_TYPE, DATE};
use serde_json::{Value, json};
use std::fmt;
use url::Url;
use uuid::Uuid;

/// Bytes of an answer.
const ANSWER_MAX: usize = 256 << 10;
/// Validity of an assertion, which SMART limits to five minutes. A clock may be a minute fast.
const ASSERTION_SECONDS: i64 = 240;
/// Validity of a token whose answer does not say.
const DEFAULT_SECONDS: i64 = 300;
/// Longest validity that is believed.
const VALIDITY_MAX: i64 = 24 * 3600;
/// Difference of clocks at which they are the reason for a refusal, in seconds.
const SKEW: i64 = 60;

const BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// An access token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    /// What is sent with requests.
    pub value: Secret,
    /// End of its validity.
    pub expires_at: DateTime<Utc>,
    /// What was granted.
    pub scope: String,
    /// Gives the next token without a person.
    pub refresh: Option<String>,
    /// The patient that the person chose in the EHR.
    pub patient: Option<String>,
    /// Who signed in, such as `Practitioner/1`.
    pub fhir_user: Option<String>,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Token");
        shown.field("expires_at", &self.expires_at).field("scope", &self.scope).finish_non_exhaustive()
    }
}

/// A sign-in of a person that begins.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization {
    /// Page of the EHR to which the person is sent.
    pub url: String,
    /// Comes back with the code, and has to be the same.
    pub state: String,
    /// Secret that belongs to the code.
    pub verifier: String,
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization").finish_non_exhaustive()
    }
}

/// A token for the server itself (SMART Backend Services, `private_key_jwt`).
pub async fn backend_token(
    http: &HttpFetcher,
    discovered: &Discovered,
    client_id: &str,
    key: &SigningKey,
    scope: &str,
    now: DateTime<Utc>,
) -> Result<Token, Problem> {
    let claims = json!({
        "iss": client_id,
        "sub": client_id,
        "aud": discovered.token.as_str(),
        "iat": now.timestamp(),
        "exp": now.timestamp() + ASSERTION_SECONDS,
        "jti": Uuid::new_v4().to_string(),
    });
    let refused = Problem::SignInRefused { reason: SignInReason::UnknownKey };
    let fields = [
        ("grant_type", "client_credentials".to_owned()),
        ("scope", scope.to_owned()),
        ("client_assertion_type", BEARER.to_owned()),
        ("client_assertion", key.sign(&claims).map_err(|_| refused)?),
    ];
    token(http, &discovered.token, &fields, scope, now).await
}

/// Begins the sign-in of a person: PKCE with S256, and a state, each of 256 random bits.
pub fn authorization(
    discovered: &Discovered,
    client_id: &str,
    redirect_uri: &str,
    scope: &str,
    audience: &str,
) -> Result<Authorization, Problem> {
    let mut url = discovered.authorize.clone().ok_or(Problem::NotOffered)?;
    let (state, verifier) = (random()?, random()?);
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", client_id)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("scope", scope)
        .append_pair("state", &state)
        .append_pair("aud", audience)
        .append_pair("code_challenge", &challenge(&verifier))
        .append_pair("code_challenge_method", "S256");
    Ok(Authorization { url: url.into(), state, verifier })
}

/// The token for a code with which the person came back.
pub async fn redeem(
    http: &HttpFetcher,
    discovered: &Discovered,
    client_id: &str,
    redirect_uri: &str,
    code: &str,
    verifier: &str,
    now: DateTime<Utc>,
) -> Result<Token, Problem> {
    let fields = [
        ("grant_type", "authorization_code".to_owned()),
        ("code", code.to_owned()),
        ("redirect_uri", redirect_uri.to_owned()),
        ("client_id", client_id.to_owned()),
        ("code_verifier", verifier.to_owned()),
    ];
    token(http, &discovered.token, &fields, "", now).await
}

/// The next token. An EHR that gives no new refresh token lets the old one stay.
pub async fn refresh(
    http: &HttpFetcher,
    discovered: &Discovered,
    client_id: &str,
    refresh_token: &str,
    now: DateTime<Utc>,
) -> Result<Token, Problem> {
    let fields = [
        ("grant_type", "refresh_token".to_owned()),
        ("refresh_token", refresh_token.to_owned()),
        ("client_id", client_id.to_owned()),
    ];
    let next = token(http, &discovered.token, &fields, "", now).await?;
    Ok(Token { refresh: next.refresh.or_else(|| Some(refresh_token.to_owned())), ..next })
}

/// Ends a token. Fine if the EHR offers no end.
pub async fn revoke(
    http: &HttpFetcher,
    discovered: &Discovered,
    client_id: &str,
    token: &str,
) -> Result<(), Problem> {
    let Some(url) = &discovered.revoke else { return Ok(()) };
    let fields = [("token", token.to_owned()), ("client_id", client_id.to_owned())];
    let answer = post(http, url, &fields).await?;
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(refusal(answer.status(), answer.headers(), answer.body())),
    }
}

/// The challenge of PKCE (RFC 7636, S256).
pub(crate) fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()))
}

/// 256 random bits.
pub(crate) fn random() -> Result<String, Problem> {
    let mut bytes = [0; 32];
    rand::fill(&mut bytes).map_err(|_| Problem::Busy { retry_after: None })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

async fn post(
    http: &HttpFetcher,
    url: &Url,
    fields: &[(&str, String)],
) -> Result<http::Response<Vec<u8>>, Problem> {
    if !is_safe(url) {
        return Err(Problem::Address);
    }
    let request = http::Request::post(url.as_str())
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(form(fields).into_bytes());
    send(http, url, request.map_err(|_| Problem::Address)?, ANSWER_MAX).await
}

async fn token(
    http: &HttpFetcher,
    url: &Url,
    fields: &[(&str, String)],
    asked: &str,
    now: DateTime<Utc>,
) -> Result<Token, Problem> {
    let answer = post(http, url, fields).await?;
    match answer.status().as_u16() {
        200..=299 => {}
        400 | 401 => return Err(Problem::SignInRefused { reason: reason(&answer, now) }),
        _ => return Err(refusal(answer.status(), answer.headers(), answer.body())),
    }
    let answer: Value = serde_json::from_slice(answer.body()).map_err(|_| Problem::Unreadable)?;
    granted(&answer, asked, now)
}

fn granted(answer: &Value, asked: &str, now: DateTime<Utc>) -> Result<Token, Problem> {
    let is_bearer = text(answer, "token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
    let value = text(answer, "access_token").filter(|_| is_bearer).ok_or(Problem::Unreadable)?;
    let scope = owned(answer, "scope").unwrap_or_else(|| asked.to_owned());
    if lacks_all(asked, &scope) {
        return Err(Problem::SignInRefused { reason: SignInReason::WrongScope });
    }
    let seconds = match answer.get("expires_in") {
        Some(Value::String(seconds)) => seconds.parse().ok(),
        seconds => seconds.and_then(Value::as_f64).map(|seconds| seconds as i64),
    };
    let seconds = seconds.unwrap_or(DEFAULT_SECONDS).clamp(0, VALIDITY_MAX);
    Ok(Token {
        value: Secret::new(value),
        expires_at: now + Duration::seconds(seconds),
        scope,
        refresh: owned(answer, "refresh_token"),
        patient: owned(answer, "patient"),
        fhir_user: owned(answer, "fhirUser").or_else(|| claim(answer, "fhirUser")),
    })
}

/// A claim of the ID token. It comes from the token endpoint itself over TLS, so its signature need not be checked (OpenID
/// Connect Core, 3.1.3.7).
fn claim(answer: &Value, name: &str) -> Option<String> {
    let claims = text(answer, "id_token")?.split('.').nth(1)?;
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    owned(&claims, name)
}

/// Whether resources were asked for, and none of them was granted: `system/Patient.rs` may be granted as
/// `system/Patient.read`, or as `system/*.rs`.
fn lacks_all(asked: &str, granted: &str) -> bool {
    let resources = |scope: &str| -> Vec<(String, String)> {
        let of = |one: &str| {
            let (context, rest) = one.split_once('/')?;
            Some((context.to_owned(), rest.split('.').next().unwrap_or_default().to_owned()))
        };
        scope.split_whitespace().filter_map(of).collect()
    };
    let (asked, granted) = (resources(asked), resources(granted));
    let covers = |(context, kind): &(String, String)| {
        granted.iter().any(|(in_context, of_kind)| {
            in_context == context && (of_kind == kind || of_kind == "*" || kind == "*")
        })
    };
    !asked.is_empty() && !asked.iter().any(covers)
}

/// Why a token was refused. The description is read for its words and not kept.
fn reason(answer: &http::Response<Vec<u8>>, now: DateTime<Utc>) -> SignInReason {
    let skew = http_date(answer.headers(), DATE).map(|there| (there.to_utc() - now).num_seconds().abs());
    let description = error_field(answer.body(), "error_description").to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| description.contains(word));
    let has_word = |word: &str| description.split(|c: char| !c.is_alphanumeric()).any(|found| found == word);
    match error_field(answer.body(), "error").as_str() {
        "invalid_scope" => SignInReason::WrongScope,
        "unauthorized_client" => SignInReason::UnknownClient,
        "invalid_client" if skew.is_some_and(|skew| skew > SKEW) => SignInReason::ClockSkew,
        "invalid_client" if has_word("audience") || has_word("aud") => SignInReason::WrongAudience,
        "invalid_client" if says(&["key", "kid", "signature", "jwk"]) => SignInReason::UnknownKey,
        "invalid_client" if says(&["expired", "clock", "iat", "nbf"]) => SignInReason::ClockSkew,
        "invalid_client" if says(&["unknown", "not found", "not registered", "does not exist"]) => {
            SignInReason::UnknownClient
        }
        // Many servers keep to themselves what is wrong.
        "invalid_client" => SignInReason::UnknownClientOrKey,
        _ => SignInReason::Other,
    }
}
