//! Signing in: apps with keys, and people.

use crate::{fetcher, http, serve, serve_practice};
use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use chrono::{DateTime, Duration, Utc};
use fetch::AddressGuard;
use fhir::client::{Access, Client};
use fhir::keys::{SigningKey, jwks};
use fhir::practice::Practice;
use fhir::problem::{Problem, SignInReason};
use fhir::sign_in::{self, Discovered, Token, discover};
use serde_json::{Value, json};
use std::time::SystemTime;

const APP: &str = "carepost";
const SCOPE: &str = "system/Patient.rs system/DocumentReference.cruds";

#[allow(clippy::disallowed_methods)]
pub(crate) fn now() -> DateTime<Utc> {
    SystemTime::now().into()
}

async fn closed_practice() -> (Practice, String, Discovered) {
    let (practice, base) = serve_practice(|practice| practice, |routes| routes).await;
    let discovered = discover(&http(), &base).await.unwrap();
    (practice, base, discovered)
}

pub(crate) fn refused<T>(reason: SignInReason) -> Result<T, Problem> {
    Err(Problem::SignInRefused { reason })
}

async fn token(at: &Discovered, key: &SigningKey, now: DateTime<Utc>) -> Result<Token, Problem> {
    sign_in::backend_token(&http(), at, APP, key, SCOPE, now).await
}

#[tokio::test]
async fn an_app_signs_in_with_its_key() {
    let (practice, base, at) = closed_practice().await;
    let (first, second) = (SigningKey::generate().unwrap(), SigningKey::generate().unwrap());
    assert_eq!(token(&at, &first, now()).await, refused(SignInReason::UnknownClient));
    practice.register(APP, first.public_jwk());
    let given = token(&at, &first, now()).await.unwrap();
    assert!(given.expires_at > now() + Duration::minutes(10) && given.scope == SCOPE);
    assert!(!format!("{given:?}").contains(given.value.expose()));

    let open = Client::new(http(), &base, Access::Open).unwrap();
    assert_eq!(open.patient("tenney").await, refused(SignInReason::Other));
    let client = Client::new(http(), &base, Access::Bearer(given.value.expose().into())).unwrap();
    assert_eq!(client.patient("tenney").await.unwrap().unwrap().family, "Tenney");
    assert_eq!(client.visits("tenney").await, Err(Problem::NotAllowed), "not granted");
    practice.end_tokens();
    assert_eq!(client.patient("tenney").await, refused(SignInReason::Other));

    // While keys change both are known, and then the new one alone.
    practice.register(APP, jwks(&[&first, &second]));
    assert!(token(&at, &first, now()).await.is_ok() && token(&at, &second, now()).await.is_ok());
    practice.register(APP, second.public_jwk());
    assert_eq!(token(&at, &first, now()).await, refused(SignInReason::UnknownKey));
    let kept = SigningKey::from_pkcs8(&second.pkcs8()).unwrap();
    assert_eq!(kept.key_id(), second.key_id());
    assert!(token(&at, &kept, now()).await.is_ok());
    assert!(SigningKey::from_pkcs8(b"no key").is_err());
}

#[tokio::test]
async fn a_refusal_names_its_reason() {
    let (practice, _, at) = closed_practice().await;
    let key = SigningKey::generate().unwrap();
    practice.register(APP, key.public_jwk());
    for minutes in [-30, 30] {
        let skewed = token(&at, &key, now() + Duration::minutes(minutes)).await;
        assert_eq!(skewed, refused(SignInReason::ClockSkew));
    }
    practice.limit_scope(APP, "launch/patient");
    assert_eq!(token(&at, &key, now()).await, refused(SignInReason::WrongScope));
    practice.limit_scope(APP, "");
    assert_eq!(token(&at, &key, now()).await, refused(SignInReason::WrongScope));

    // An assertion for another server, which passes it on.
    let elsewhere = Discovered { token: pass_on(&at.token).await, ..at };
    assert_eq!(token(&elsewhere, &key, now()).await, refused(SignInReason::WrongAudience));
}

/// A token endpoint that passes on what it is sent, and the answers.
pub(crate) async fn pass_on(to: &url::Url) -> url::Url {
    let to = to.to_string();
    let pass_on = async move |form: bytes::Bytes| {
        let form_type = "application/x-www-form-urlencoded";
        let request = http::Request::post(to).header("content-type", form_type).body(form.to_vec()).unwrap();
        let (parts, body) = http().send(request, 1 << 20).await.unwrap().into_parts();
        (parts.status, body)
    };
    (serve(Router::new().route("/token", post(pass_on))).await + "/token").parse().unwrap()
}

#[tokio::test]
async fn an_expired_token_is_of_no_use() {
    let (practice, base) = serve_practice(
        |practice| practice.with_clock(|| DateTime::from_timestamp(4_000_000_000, 0).unwrap()),
        |routes| routes,
    )
    .await;
    let key = SigningKey::generate().unwrap();
    practice.register(APP, key.public_jwk());
    let at = discover(&http(), &base).await.unwrap();
    // Seen from there, the assertion expired long ago.
    assert_eq!(token(&at, &key, now()).await, refused(SignInReason::ClockSkew));
    let given = token(&at, &key, DateTime::from_timestamp(4_000_000_000, 0).unwrap()).await.unwrap();
    assert_eq!(given.expires_at.timestamp(), 4_000_000_900);
}

/// Answers of a token endpoint.
async fn answering(status: StatusCode, answer: Value) -> Result<Token, Problem> {
    let at = serve(Router::new().route("/token", post(async move || (status, axum::Json(answer))))).await;
    let discovered = Discovered {
        token: (at + "/token").parse().unwrap(),
        authorize: None,
        revoke: None,
        issuer: String::new(),
        capabilities: Vec::new(),
        pkce_s256: false,
    };
    token(&discovered, &SigningKey::generate().unwrap(), now()).await
}

#[tokio::test]
async fn answers_of_token_endpoints_are_judged() {
    let fine = json!({"access_token": "t", "token_type": "BEARER", "scope": "system/*.read"});
    let given = answering(StatusCode::OK, fine).await.unwrap();
    let minutes = (given.expires_at - now()).num_seconds();
    assert!((290..=300).contains(&minutes), "{minutes}");
    let other = json!({"access_token": "t", "token_type": "mac"});
    assert_eq!(answering(StatusCode::OK, other).await, Err(Problem::Unreadable));
    let moved = answering(StatusCode::FOUND, json!({})).await;
    assert_eq!(moved, Err(Problem::Redirected));
    let less =
        json!({"access_token": "t", "token_type": "bearer", "scope": "system/Observation.read openid"});
    assert_eq!(answering(StatusCode::OK, less).await, refused(SignInReason::WrongScope));
    for (description, reason) in [
        ("client authentication failed", SignInReason::UnknownClientOrKey),
        ("", SignInReason::UnknownClientOrKey),
        ("Client not found", SignInReason::UnknownClient),
        ("No matching key", SignInReason::UnknownKey),
    ] {
        let why = json!({"error": "invalid_client", "error_description": description});
        assert_eq!(answering(StatusCode::UNAUTHORIZED, why).await, refused(reason), "{description}");
    }
}

#[tokio::test]
async fn sign_ins_at_open_or_private_addresses_are_refused() {
    let configured = |token: &str| {
        let answer = json!({"token_endpoint": token, "code_challenge_methods_supported": ["S256"]});
        serve(Router::new().route("/.well-known/smart-configuration", get(async move || axum::Json(answer))))
    };
    let base = configured("http://ehr.example/token").await;
    assert_eq!(discover(&http(), &base).await, Err(Problem::Address), "not encrypted");
    let base = configured("https://10.0.0.1/token").await;
    let at = discover(&http(), &base).await.unwrap();
    let guarded = fetcher(AddressGuard::closed().allowing([127, 0, 0, 1].into(), 32));
    let key = SigningKey::generate().unwrap();
    let asked = sign_in::backend_token(&guarded, &at, APP, &key, SCOPE, now()).await;
    assert_eq!(asked, Err(Problem::Forbidden));
}

#[tokio::test]
async fn servers_before_smart_are_discovered_by_their_statement() {
    let uris = json!([{"url": "token", "valueUri": "https://ehr.example/token"},
        {"url": "authorize", "valueUri": "https://ehr.example/authorize"}]);
    let oauth = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris";
    let security = json!({"extension": [{"url": oauth, "extension": uris}]});
    let statement =
        json!({"resourceType": "CapabilityStatement", "rest": [{"mode": "server", "security": security}]});
    let base = serve(Router::new().route("/metadata", get(async move || axum::Json(statement)))).await;
    let at = discover(&http(), &base).await.unwrap();
    assert_eq!(
        (at.token.as_str(), at.authorize.unwrap().as_str()),
        ("https://ehr.example/token", "https://ehr.example/authorize")
    );
}

/// What a browser does: opens the page, and presses a button.
async fn press(url: &str, decision: &str) -> url::Url {
    let (address, query) = url.split_once('?').unwrap();
    let page = http::Request::get(url).body(Vec::new()).unwrap();
    let shown = http().send(page, 1 << 20).await.unwrap();
    assert!(String::from_utf8_lossy(shown.body()).contains("Sign in as Dr. Okafor"));
    let form = format!("{query}&decision={decision}").into_bytes();
    let sent = http().send(http::Request::post(address).body(form).unwrap(), 1 << 20).await.unwrap();
    sent.headers()["location"].to_str().unwrap().parse().unwrap()
}

pub(crate) fn parameter(url: &url::Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}

#[tokio::test]
async fn a_person_signs_in_at_the_ehr() {
    const BACK: &str = "https://carepost.example/ehr/return";
    let (practice, base, at) = closed_practice().await;
    assert!(at.pkce_s256);
    practice.register_app(APP, BACK);
    let scope = "openid fhirUser offline_access user/*.cruds";
    let begun = sign_in::authorization(&at, APP, BACK, scope, &base).unwrap();
    let again = sign_in::authorization(&at, APP, BACK, scope, &base).unwrap();
    assert!(begun.state != again.state && begun.verifier != again.verifier && begun.verifier.len() == 43);
    assert!(!begun.url.contains(&begun.verifier) && !format!("{begun:?}").contains(&begun.state));

    let back = press(&begun.url, "allow").await;
    assert_eq!(parameter(&back, "state"), Some(begun.state));
    let code = parameter(&back, "code").unwrap();
    let redeem = async |verifier: &str, code: &str| {
        sign_in::redeem(&http(), &at, APP, BACK, code, verifier, now()).await
    };
    let given = redeem(&begun.verifier, &code).await.unwrap();
    assert_eq!(given.fhir_user.as_deref(), Some("Practitioner/okafor"));
    assert_eq!(redeem(&begun.verifier, &code).await, refused(SignInReason::Other), "a code is valid once");
    let code = parameter(&press(&again.url, "allow").await, "code").unwrap();
    assert_eq!(
        redeem(&begun.verifier, &code).await,
        refused(SignInReason::Other),
        "the verifier of another sign-in"
    );
    assert_eq!(parameter(&press(&again.url, "deny").await, "error").as_deref(), Some("access_denied"));

    let before = given.refresh.unwrap();
    let next = sign_in::refresh(&http(), &at, APP, &before, now()).await.unwrap();
    let client = Client::new(http(), &base, Access::Bearer(next.value.expose().into())).unwrap();
    assert!(client.file(&crate::letter()).await.unwrap().is_new);
    assert_eq!(sign_in::refresh(&http(), &at, APP, &before, now()).await, refused(SignInReason::Other));
    sign_in::revoke(&http(), &at, APP, next.value.expose()).await.unwrap();
    assert_eq!(client.patient("tenney").await, refused(SignInReason::Other));

    // Nobody is sent to an address that is not registered.
    let elsewhere = begun.url.replace("carepost.example", "evil.example");
    let page = http::Request::get(&elsewhere).body(Vec::new()).unwrap();
    let shown = http().send(page, 1 << 20).await.unwrap();
    assert!(shown.status() == 400 && !String::from_utf8_lossy(shown.body()).contains("evil"));
}
