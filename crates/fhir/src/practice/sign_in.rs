//! The sign-in of the practice: apps with keys, and people with a button.

use super::Practice;
use super::answers::Refusal;
use super::html::{escaped, page};
use crate::json::{list, text};
use crate::sign_in::{Secret, challenge};
use aws_lc_rs::signature::{ECDSA_P384_SHA384_FIXED, UnparsedPublicKey};
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use std::collections::HashMap;
use url::Url;

/// Validity of an access token, and of a code, in seconds.
const TOKEN_SECONDS: i64 = 900;
const CODE_SECONDS: i64 = 60;
/// Longest validity of an assertion, and how much clocks may differ, in seconds.
const ASSERTION_MAX: i64 = 300;
const SKEW: i64 = 30;
/// Codes and tokens that are kept.
const KEPT_MAX: usize = 1000;
/// Who signs in.
const USER: &str = "Practitioner/okafor";

/// Registered apps, and what they were given.
#[derive(Default)]
pub(super) struct Registry {
    keys: HashMap<String, Vec<Value>>,
    /// Where people come back to.
    apps: HashMap<String, String>,
    limits: HashMap<String, String>,
    codes: HashMap<String, Code>,
    tokens: HashMap<String, Granted>,
    refresh_tokens: HashMap<String, Granted>,
    /// Ids of assertions, which are valid once.
    used: HashMap<String, DateTime<Utc>>,
}

#[derive(Clone)]
struct Granted {
    client_id: String,
    scope: String,
    until: DateTime<Utc>,
    is_person: bool,
}

struct Code {
    granted: Granted,
    redirect_uri: String,
    challenge: String,
}

impl Registry {
    pub(super) fn register(&mut self, client_id: &str, jwk: &Value) {
        let keys: Vec<Value> = list(jwk, "keys").cloned().collect();
        let keys = if keys.is_empty() { vec![jwk.clone()] } else { keys };
        self.keys.insert(client_id.to_owned(), keys);
    }

    pub(super) fn register_app(&mut self, client_id: &str, redirect_uri: &str) {
        self.apps.insert(client_id.to_owned(), redirect_uri.to_owned());
    }

    pub(super) fn limit_scope(&mut self, client_id: &str, scope: &str) {
        self.limits.insert(client_id.to_owned(), scope.to_owned());
    }

    pub(super) fn end_tokens(&mut self) {
        self.tokens.clear();
    }

    fn scope_for(&self, client_id: &str, asked: &str) -> String {
        self.limits.get(client_id).map_or(asked, String::as_str).to_owned()
    }

    fn forget_old(&mut self, now: DateTime<Utc>) {
        self.codes.retain(|_, code| code.granted.until > now);
        self.tokens.retain(|_, granted| granted.until > now);
        self.used.retain(|_, until| *until > now);
        for kept in [&mut self.tokens, &mut self.refresh_tokens] {
            if kept.len() > KEPT_MAX {
                kept.clear();
            }
        }
    }
}

impl Practice {
    /// Whether the token in a request permits an interaction with resources of a type.
    pub(super) fn authorize(
        &self,
        headers: &HeaderMap,
        kind: &str,
        interaction: &str,
    ) -> Result<(), Refusal> {
        if self.is_open {
            return Ok(());
        }
        let header = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = header.strip_prefix("Bearer ").ok_or_else(Refusal::not_signed_in)?;
        let registry = self.registry();
        let granted = registry.tokens.get(token).filter(|granted| granted.until > (self.now)());
        let granted = granted.ok_or_else(Refusal::not_signed_in)?;
        match granted.scope.split_whitespace().any(|scope| permits(scope, kind, interaction)) {
            true => Ok(()),
            false => Err(Refusal::forbidden()),
        }
    }

    /// Gives a token, and another one to get the next if `offline_access` was granted.
    fn give(&self, granted: Granted, seconds: i64) -> Result<Response, Refusal> {
        let (token, refresh) = (self.random()?, self.random()?);
        let mut answer = json!({
            "access_token": token.expose(), "token_type": "Bearer", "expires_in": seconds,
            "scope": granted.scope,
        });
        if granted.is_person {
            answer["fhirUser"] = USER.into();
        }
        let mut registry = self.registry();
        if granted.is_person && granted.scope.split_whitespace().any(|scope| scope == "offline_access") {
            answer["refresh_token"] = refresh.expose().into();
            registry.refresh_tokens.insert(refresh.expose().to_owned(), granted.clone());
        }
        let granted = Granted { until: (self.now)() + Duration::seconds(seconds), ..granted };
        registry.tokens.insert(token.expose().to_owned(), granted);
        Ok(([(CACHE_CONTROL, "no-store")], axum::Json(answer)).into_response())
    }
}

/// `system/Patient.read`, or `user/*.cruds` (SMART 2.0).
fn permits(scope: &str, kind: &str, interaction: &str) -> bool {
    let Some((of, what)) = scope.split_once('/').and_then(|(_, rest)| rest.split_once('.')) else {
        return false;
    };
    let letter = match interaction {
        "create" => 'c',
        "read" => 'r',
        "update" => 'u',
        _ => 's',
    };
    let what = what.split('?').next().unwrap_or_default();
    let is_allowed = match what {
        "*" => true,
        "read" => matches!(letter, 'r' | 's'),
        "write" => matches!(letter, 'c' | 'u'),
        letters => letters.contains(letter),
    };
    (of == kind || of == "*") && is_allowed
}

fn fields(form: &[u8]) -> HashMap<String, String> {
    url::form_urlencoded::parse(form).into_owned().collect()
}

fn field<'a>(fields: &'a HashMap<String, String>, name: &str) -> &'a str {
    fields.get(name).map_or("", String::as_str)
}

fn refused(status: StatusCode, error: &str, description: &str) -> Response {
    (status, axum::Json(json!({"error": error, "error_description": description}))).into_response()
}

/// Gives tokens.
pub(super) async fn token(State(practice): State<Practice>, form: Bytes) -> Result<Response, Refusal> {
    let fields = fields(&form);
    practice.registry().forget_old((practice.now)());
    match field(&fields, "grant_type") {
        "client_credentials" => backend(&practice, &fields),
        "authorization_code" => redeem(&practice, &fields),
        "refresh_token" => refresh(&practice, &fields),
        _ => Ok(refused(StatusCode::BAD_REQUEST, "unsupported_grant_type", "Not offered")),
    }
}

fn backend(practice: &Practice, fields: &HashMap<String, String>) -> Result<Response, Refusal> {
    let client_id = match assertion(practice, field(fields, "client_assertion")) {
        Ok(client_id) => client_id,
        Err(why) => return Ok(refused(StatusCode::BAD_REQUEST, "invalid_client", why)),
    };
    let scope = practice.registry().scope_for(&client_id, field(fields, "scope"));
    if scope.is_empty() {
        return Ok(refused(StatusCode::BAD_REQUEST, "invalid_scope", "Nothing can be granted"));
    }
    let granted = Granted { client_id, scope, until: (practice.now)(), is_person: false };
    practice.give(granted, TOKEN_SECONDS)
}

/// The client of an assertion, or why it is none.
fn assertion(practice: &Practice, token: &str) -> Result<String, &'static str> {
    let mut parts = token.splitn(3, '.');
    let (Some(header), Some(claims), Some(signature)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("Not an assertion");
    };
    let signed = format!("{header}.{claims}");
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let json_of = |part: &str| serde_json::from_slice::<Value>(&decoded(part)?).ok();
    let (Some(header), Some(claims), Some(signature)) =
        (json_of(header), json_of(claims), decoded(signature))
    else {
        return Err("Not an assertion");
    };
    let client_id = text(&claims, "iss").unwrap_or_default();
    let mut registry = practice.registry();
    let keys = registry.keys.get(client_id).ok_or("Unknown client")?;
    let key_id = text(&header, "kid");
    let key = keys.iter().find(|key| text(key, "kid") == key_id).ok_or("Unknown key")?;
    let point = point(key).ok_or("Unknown key")?;
    let is_signed =
        UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point).verify(signed.as_bytes(), &signature);
    if text(&header, "alg") != Some("ES384") || is_signed.is_err() {
        return Err("The signature does not belong to the key");
    }
    if text(&claims, "aud") != Some(&format!("{}/token", practice.base_url)) {
        return Err("Another audience");
    }
    let now = (practice.now)().timestamp();
    let expires = claims.get("exp").and_then(Value::as_i64).unwrap_or_default();
    if text(&claims, "sub") != Some(client_id) || expires < now - SKEW || expires > now + ASSERTION_MAX + SKEW
    {
        return Err("Expired, or valid for too long");
    }
    let id = text(&claims, "jti").ok_or("Without an id")?;
    let until = (practice.now)() + Duration::seconds(ASSERTION_MAX + 2 * SKEW);
    match registry.used.insert(id.to_owned(), until) {
        None => Ok(client_id.to_owned()),
        Some(_) => Err("Used before"),
    }
}

/// The uncompressed point of a public key.
fn point(jwk: &Value) -> Option<Vec<u8>> {
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(text(jwk, name)?).ok();
    Some([vec![4], coordinate("x")?, coordinate("y")?].concat())
}

fn redeem(practice: &Practice, fields: &HashMap<String, String>) -> Result<Response, Refusal> {
    let code = practice.registry().codes.remove(field(fields, "code"));
    let is_same = |code: &Code| {
        code.granted.until > (practice.now)()
            && code.granted.client_id == field(fields, "client_id")
            && code.redirect_uri == field(fields, "redirect_uri")
            && code.challenge == challenge(field(fields, "code_verifier"))
    };
    match code.filter(is_same) {
        Some(code) => practice.give(code.granted, TOKEN_SECONDS),
        None => Ok(refused(StatusCode::BAD_REQUEST, "invalid_grant", "The code is not valid")),
    }
}

/// A refresh token is valid once, and gives the next one.
fn refresh(practice: &Practice, fields: &HashMap<String, String>) -> Result<Response, Refusal> {
    let granted = practice.registry().refresh_tokens.remove(field(fields, "refresh_token"));
    match granted.filter(|granted| granted.client_id == field(fields, "client_id")) {
        Some(granted) => practice.give(granted, TOKEN_SECONDS),
        None => Ok(refused(StatusCode::BAD_REQUEST, "invalid_grant", "The token is not valid")),
    }
}

/// Ends a token; fine if there is none (RFC 7009).
pub(super) async fn revoke(State(practice): State<Practice>, form: Bytes) -> StatusCode {
    let fields = fields(&form);
    let mut registry = practice.registry();
    registry.tokens.remove(field(&fields, "token"));
    registry.refresh_tokens.remove(field(&fields, "token"));
    StatusCode::OK
}

/// Why nobody is asked to sign in; the browser is not sent to addresses that are not registered.
fn checked(practice: &Practice, fields: &HashMap<String, String>) -> Result<Url, &'static str> {
    let redirect_uri = practice.registry().apps.get(field(fields, "client_id")).cloned();
    let redirect_uri = redirect_uri.ok_or("This app is not registered here.")?;
    if redirect_uri != field(fields, "redirect_uri") {
        return Err("The app asks to come back to an address that is not registered.");
    }
    let is_complete = field(fields, "response_type") == "code"
        && field(fields, "code_challenge_method") == "S256"
        && !field(fields, "code_challenge").is_empty()
        && !field(fields, "state").is_empty();
    if !is_complete {
        return Err("The app asks for a sign-in that is not offered here.");
    }
    if field(fields, "aud").trim_end_matches('/') != practice.base_url {
        return Err("The app asks for a sign-in at another practice.");
    }
    Url::parse(&redirect_uri).map_err(|_| "The app asks to come back to an address that is not registered.")
}

/// The fields that the page keeps for the answer.
const KEPT: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "aud",
    "code_challenge",
    "code_challenge_method",
];

/// The page with the button.
pub(super) async fn show_page(State(practice): State<Practice>, RawQuery(query): RawQuery) -> Response {
    let fields = fields(query.unwrap_or_default().as_bytes());
    let target = match checked(&practice, &fields) {
        Ok(target) => target,
        Err(why) => {
            return page(StatusCode::BAD_REQUEST, "Sample practice", &format!("<p>{why}</p>"), "'none'");
        }
    };
    let hidden: String = KEPT
        .iter()
        .map(|name| {
            let value = escaped(field(&fields, name));
            format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
        })
        .collect();
    let app = escaped(field(&fields, "client_id"));
    let body = format!(
        "<p>The app <strong>{app}</strong> asks for access to the records of the sample practice.</p>\
         <form method=\"post\" action=\"authorize\">{hidden}\
         <button name=\"decision\" value=\"allow\">Sign in as Dr. Okafor</button> \
         <button name=\"decision\" value=\"deny\">Cancel</button></form>"
    );
    // Browsers apply this to the redirect that follows, too.
    let form_action = format!("'self' {}", target.origin().ascii_serialization());
    page(StatusCode::OK, "Sample practice: sign in", &body, &form_action)
}

/// Sends the person back to the app with a code.
pub(super) async fn grant_code(State(practice): State<Practice>, form: Bytes) -> Result<Response, Refusal> {
    let fields = fields(&form);
    let mut target = match checked(&practice, &fields) {
        Ok(target) => target,
        Err(why) => {
            return Ok(page(StatusCode::BAD_REQUEST, "Sample practice", &format!("<p>{why}</p>"), "'none'"));
        }
    };
    let code: Secret = practice.random()?;
    if field(&fields, "decision") == "allow" {
        let client_id = field(&fields, "client_id").to_owned();
        let until = (practice.now)() + Duration::seconds(CODE_SECONDS);
        let mut registry = practice.registry();
        registry.forget_old((practice.now)());
        let scope = registry.scope_for(&client_id, field(&fields, "scope"));
        let kept = Code {
            granted: Granted { client_id, scope, until, is_person: true },
            redirect_uri: field(&fields, "redirect_uri").to_owned(),
            challenge: field(&fields, "code_challenge").to_owned(),
        };
        registry.codes.insert(code.expose().to_owned(), kept);
        target.query_pairs_mut().append_pair("code", code.expose());
    } else {
        target.query_pairs_mut().append_pair("error", "access_denied");
    }
    target.query_pairs_mut().append_pair("state", field(&fields, "state"));
    Ok((StatusCode::SEE_OTHER, [(LOCATION, String::from(target))]).into_response())
}
