//! `/api/account/…`

use super::queries::{self, Browser, Tokens};
use axum::{
    Extension,
    extract::{ConnectInfo, State},
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
};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(login))
        .route(PUBLIC, routes!(renew))
        .route(PUBLIC, routes!(logout))
        .route(SIGNED_IN, routes!(change_organization))
        .route(SIGNED_IN, routes!(hub_ticket))
}

type Peer = Option<Extension<ConnectInfo<SocketAddr>>>;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginRequest {
    #[serde(default)]
    pub user_name: String,
    #[serde(default)]
    pub password: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessToken {
    /// A bearer token, to be kept in memory only.
    pub access_token: String,
    /// Its life in seconds.
    pub expires_in: u32,
}

/// Signs in with user name and password
#[utoipa::path(post, path = "/api/account/login", operation_id = "login", tag = "account",
    request_body = LoginRequest, responses((status = 200, body = AccessToken)))]
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
    // Longer input than any password costs hashing time only.
    if body.password.len() > 1024 || body.user_name.len() > 1024 {
        return Err(Error::field("password", "The password is too long."));
    }
    let browser = Browser { source_ip: ip(&peer), user_agent: text(&headers, header::USER_AGENT) };
    let tokens = queries::sign_in(&app, &body.user_name, body.password, browser).await?;
    Ok(answer(&app, tokens))
}

/// Renews the access token by the renewal cookie
#[utoipa::path(post, path = "/api/account/renew", operation_id = "renew", tag = "account",
    responses((status = 200, body = AccessToken)))]
async fn renew(State(app): State<App>, peer: Peer, headers: HeaderMap) -> Result<Response> {
    same_site(&headers)?;
    let token = cookie(&app, &headers).ok_or(Error::Unauthenticated)?;
    match queries::renew(&app, token, &ip(&peer)).await {
        Ok(tokens) => Ok(answer(&app, tokens)),
        Err(Error::Unauthenticated) => {
            Ok((clear_cookie(&app), Error::Unauthenticated.into_response()).into_response())
        }
        Err(other) => Err(other),
    }
}

/// Signs out: every token of the session is refused from now on
#[utoipa::path(post, path = "/api/account/logout", operation_id = "logout", tag = "account",
    responses((status = 204)))]
async fn logout(State(app): State<App>, peer: Peer, headers: HeaderMap) -> Result<Response> {
    same_site(&headers)?;
    if let Some(token) = cookie(&app, &headers) {
        queries::sign_out(&app, token, &ip(&peer)).await?;
    }
    Ok((StatusCode::NO_CONTENT, clear_cookie(&app)).into_response())
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
    pub ticket: String,
    pub expires_in: u32,
}

/// Makes a one-use ticket for the first frame of a hub
#[utoipa::path(post, path = "/api/account/hubticket", operation_id = "hubTicket", tag = "account",
    responses((status = 200, body = HubTicket)))]
async fn hub_ticket(State(app): State<App>, caller: Caller) -> Result<axum::Json<HubTicket>> {
    let ticket = hub::issue_ticket(&app, caller.session_id).await?;
    Ok(axum::Json(HubTicket { ticket, expires_in: hub::TICKET_SECONDS }))
}

fn ip(peer: &Peer) -> String {
    peer.as_ref().map(|Extension(ConnectInfo(a))| a.ip().to_string()).unwrap_or_default()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> String {
    headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned()
}

/// `__Host-` binds the cookie to this host and to TLS; browsers refuse it over plain HTTP.
fn cookie_name(app: &App) -> &'static str {
    if app.config.is_https() { "__Host-carepost-renewal" } else { "carepost-renewal" }
}

fn cookie<'a>(app: &App, headers: &'a HeaderMap) -> Option<&'a str> {
    let name = cookie_name(app);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|v| v.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// The cookie is SameSite=Strict already; browsers that say where a request comes from are also believed.
fn same_site(headers: &HeaderMap) -> Result<()> {
    match headers.get("sec-fetch-site").and_then(|v| v.to_str().ok()) {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(Error::Forbidden),
    }
}

fn answer(app: &App, tokens: Tokens) -> Response {
    let body = AccessToken { access_token: tokens.access_token, expires_in: tokens.expires_in };
    let no_store = AppendHeaders([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))]);
    match tokens.renewal {
        Some(value) => {
            let life = u64::from(app.config.session.absolute_hours) * 3600;
            (no_store, set_cookie(app, &value, life), axum::Json(body)).into_response()
        }
        None => (no_store, axum::Json(body)).into_response(),
    }
}

type CookieHeader = AppendHeaders<[(header::HeaderName, String); 1]>;

fn set_cookie(app: &App, value: &str, max_age: u64) -> CookieHeader {
    let secure = if app.config.is_https() { "; Secure" } else { "" };
    let name = cookie_name(app);
    AppendHeaders([(
        header::SET_COOKIE,
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={max_age}{secure}"),
    )])
}

fn clear_cookie(app: &App) -> CookieHeader {
    set_cookie(app, "", 0)
}
