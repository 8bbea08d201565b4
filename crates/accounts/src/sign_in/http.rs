//! `/api/account/…`

use super::{
    queries::{self, Browser, SignIn, Tokens},
    second_step as steps,
};
use crate::{
    challenges, cookies,
    factors::Method,
    lockout::places,
    passwords::rules::{ANSWER_AFTER, LONGEST},
    peer::{Peer, ip},
    second_factor::http::PasskeyQuestion,
};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use platform::{
    App, Caller, Error, Result,
    access::{PUBLIC, SIGNED_IN},
    api::Api,
    fields::FieldErrors,
    http::{Body, Data},
    hub,
    secret::Secret,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(login))
        .route(PUBLIC, routes!(answer_code))
        .route(PUBLIC, routes!(send_code))
        .route(PUBLIC, routes!(ask_passkey))
        .route(PUBLIC, routes!(answer_passkey))
        .route(PUBLIC, routes!(renew))
        .route(PUBLIC, routes!(logout))
        .route(SIGNED_IN, routes!(change_organization))
        .route(SIGNED_IN, routes!(hub_ticket))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginRequest {
    #[serde(default)]
    pub user_name: String,
    #[serde(default)]
    pub password: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// A bearer token; keep it in memory only.
    pub access_token: Secret,
    /// Its lifetime in seconds.
    pub expires_in: u32,
}

/// A second step is needed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Send it with the answer; valid for ten minutes.
    pub challenge: Secret,
    /// Methods to answer, best first.
    pub methods: Vec<Method>,
    /// Masked address of e-mailed codes.
    pub email: Option<String>,
}

/// Tokens, or a second step.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum LoginAnswer {
    Tokens(AccessToken),
    Challenge(Challenge),
}

/// Signs in with user name and password
#[utoipa::path(post, path = "/api/account/login", operation_id = "login", tag = "account",
    request_body = LoginRequest, responses((status = 200, body = LoginAnswer)))]
async fn login(
    State(app): State<App>,
    peer: Peer,
    headers: HeaderMap,
    Body(body): Body<LoginRequest>,
) -> Result<Response> {
    let mut errors = FieldErrors::default();
    errors.require(!body.user_name.trim().is_empty(), "userName", "User name is required.");
    errors.require(!body.password.is_empty(), "password", "Password is required.");
    errors.check()?;
    // Longer input than any password would only cost hashing time.
    if body.password.len() > LONGEST || body.user_name.len() > LONGEST {
        return Err(Error::field("password", "The password is too long."));
    }
    let answer_at = tokio::time::Instant::now() + ANSWER_AFTER;
    let answered =
        queries::sign_in(&app, &body.user_name, body.password.into(), browser(&app, &peer, &headers)).await;
    if matches!(answered, Err(Error::SignInRefused(_))) {
        tokio::time::sleep_until(answer_at).await;
    }
    Ok(answer_or_ask(&app, answered?))
}

/// The answer that begins a session, or asks for a second step.
pub fn answer_or_ask(app: &App, signed_in: SignIn) -> Response {
    match signed_in {
        SignIn::Done(tokens) => answer(app, tokens),
        SignIn::SecondStep { token, methods, email } => {
            let body = Challenge { challenge: token.into(), methods, email };
            (NO_STORE, axum::Json(LoginAnswer::Challenge(body))).into_response()
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct CodeAnswer {
    #[serde(default)]
    pub challenge: Secret,
    pub method: Method,
    #[serde(default)]
    pub code: Secret,
}

/// Answers the second step with a code
#[utoipa::path(post, path = "/api/account/login/code", operation_id = "answerCode", tag = "account",
    request_body = CodeAnswer, responses((status = 200, body = AccessToken)))]
async fn answer_code(
    State(app): State<App>,
    peer: Peer,
    headers: HeaderMap,
    Body(body): Body<CodeAnswer>,
) -> Result<Response> {
    let browser = browser(&app, &peer, &headers);
    let tokens = steps::answer_code(&app, &body.challenge, body.method, &body.code, browser).await?;
    Ok(answer(&app, tokens))
}

#[derive(Deserialize, ToSchema)]
pub struct SendCodeRequest {
    #[serde(default)]
    pub challenge: Secret,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeSent {
    /// Seconds until another code can be requested.
    pub resend_after: u32,
}

/// Sends a code for the second step by e-mail
#[utoipa::path(post, path = "/api/account/login/email", operation_id = "sendCode", tag = "account",
    request_body = SendCodeRequest, responses((status = 200, body = CodeSent)))]
async fn send_code(
    State(app): State<App>,
    Body(body): Body<SendCodeRequest>,
) -> Result<axum::Json<CodeSent>> {
    steps::send_code(&app, &body.challenge).await?;
    Ok(axum::Json(CodeSent { resend_after: challenges::RESEND_AFTER.num_seconds() as u32 }))
}

#[derive(Deserialize, ToSchema)]
pub struct AskPasskeyRequest {
    /// Token of a second step; without it, any passkey of this site signs in.
    pub challenge: Option<Secret>,
}

/// Options for signing in with a passkey
#[utoipa::path(post, path = "/api/account/login/passkey/options", operation_id = "askPasskey", tag = "account",
    request_body = AskPasskeyRequest, responses((status = 200, body = PasskeyQuestion)))]
async fn ask_passkey(
    State(app): State<App>,
    Body(body): Body<AskPasskeyRequest>,
) -> Result<axum::Json<PasskeyQuestion>> {
    let (challenge, options) = steps::ask_passkey(&app, body.challenge.map(Into::into)).await?;
    Ok(axum::Json(PasskeyQuestion { challenge: challenge.into(), options }))
}

#[derive(Deserialize, ToSchema)]
pub struct PasskeyAnswer {
    #[serde(default)]
    pub challenge: Secret,
    /// The browser's answer, in the standard's JSON form.
    #[schema(value_type = Object)]
    pub credential: serde_json::Value,
}

/// Signs in with a passkey
#[utoipa::path(post, path = "/api/account/login/passkey", operation_id = "answerPasskey", tag = "account",
    request_body = PasskeyAnswer, responses((status = 200, body = AccessToken)))]
async fn answer_passkey(
    State(app): State<App>,
    peer: Peer,
    headers: HeaderMap,
    Body(body): Body<PasskeyAnswer>,
) -> Result<Response> {
    let browser = browser(&app, &peer, &headers);
    let tokens = steps::answer_passkey(&app, &body.challenge, &body.credential, browser).await?;
    Ok(answer(&app, tokens))
}

/// The browser of a request.
pub fn browser(app: &App, peer: &Peer, headers: &HeaderMap) -> Browser {
    Browser {
        source_ip: ip(peer),
        user_agent: text(headers, header::USER_AGENT),
        token: cookies::read(app, headers, cookies::BROWSER).map(ToOwned::to_owned),
        renewal: cookie(app, headers).map(ToOwned::to_owned),
    }
}

/// Renews the access token with the renewal cookie
#[utoipa::path(post, path = "/api/account/renew", operation_id = "renew", tag = "account",
    responses((status = 200, body = AccessToken)))]
async fn renew(State(app): State<App>, peer: Peer, headers: HeaderMap) -> Result<Response> {
    same_site(&headers)?;
    let token = cookie(&app, &headers).ok_or(Error::Unauthenticated)?;
    match queries::renew(&app, token, &ip(&peer)).await {
        Ok(tokens) => Ok(answer(&app, tokens)),
        Err(Error::Unauthenticated) => {
            Ok((cookies::clear(&app, cookies::RENEWAL), Error::Unauthenticated.into_response())
                .into_response())
        }
        Err(other) => Err(other),
    }
}

/// Signs out: all tokens of the session are refused from now on
#[utoipa::path(post, path = "/api/account/logout", operation_id = "logout", tag = "account",
    responses((status = 204)))]
async fn logout(State(app): State<App>, peer: Peer, headers: HeaderMap) -> Result<Response> {
    same_site(&headers)?;
    if let Some(token) = cookie(&app, &headers) {
        queries::sign_out(&app, token, &ip(&peer)).await?;
    }
    Ok((StatusCode::NO_CONTENT, cookies::clear(&app, cookies::RENEWAL)).into_response())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRequest {
    pub org_id: Uuid,
}

/// Switches the session to another organization of the user
#[utoipa::path(post, path = "/api/account/change", operation_id = "changeOrganization", tag = "account",
    request_body = ChangeRequest, responses((status = 200, body = Data)))]
async fn change_organization(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<ChangeRequest>,
) -> Result<axum::Json<Data>> {
    let switched = queries::switch(&app, &caller, body.org_id).await?;
    Ok(axum::Json(Data { data: switched.then_some(true) }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HubTicket {
    pub ticket: Secret,
    pub expires_in: u32,
}

/// Creates a one-use ticket for the first frame of a hub
#[utoipa::path(post, path = "/api/account/hubticket", operation_id = "hubTicket", tag = "account",
    responses((status = 200, body = HubTicket)))]
async fn hub_ticket(State(app): State<App>, caller: Caller) -> Result<axum::Json<HubTicket>> {
    let ticket = hub::issue_ticket(&app, caller.session_id).await?;
    Ok(axum::Json(HubTicket { ticket: ticket.into(), expires_in: hub::TICKET_SECONDS }))
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> String {
    headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned()
}

fn cookie<'a>(app: &App, headers: &'a HeaderMap) -> Option<&'a str> {
    cookies::read(app, headers, cookies::RENEWAL)
}

/// The cookie is already SameSite=Strict; in addition, the browser's own statement about the origin is checked.
pub fn same_site(headers: &HeaderMap) -> Result<()> {
    match headers.get("sec-fetch-site").and_then(|v| v.to_str().ok()) {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(Error::Forbidden),
    }
}

const NO_STORE: AppendHeaders<[(header::HeaderName, HeaderValue); 1]> =
    AppendHeaders([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))]);

/// The answer that begins or renews a session.
pub fn answer(app: &App, tokens: Tokens) -> Response {
    let body = AccessToken { access_token: tokens.access_token.into(), expires_in: tokens.expires_in };
    let life = u64::from(app.config.session.absolute_hours) * 3600;
    let renewal = cookies::set(app, cookies::RENEWAL, &tokens.renewal, life);
    let known_for = places::LIFETIME.num_seconds().unsigned_abs();
    let browser = tokens.browser.map(|token| cookies::set(app, cookies::BROWSER, &token, known_for));
    let answer = (NO_STORE, renewal, axum::Json(body)).into_response();
    match browser {
        Some(browser) => (browser, answer).into_response(),
        None => answer,
    }
}
