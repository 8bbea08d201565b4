//! `GET /integrations/callback`: the browser comes back from the EHR's sign-in, in the window that was opened for it.

use super::tokens::{self, Returned};
use crate::network;
use accounts::cookies;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use fhir::sign_in;
use platform::{
    App, Result,
    audit::{self, Act, Actor, event},
    http::Params,
    secret::token_hash,
};
use serde::Deserialize;
use serde_json::json;

pub fn routes() -> Router<App> {
    Router::new().route("/integrations/callback", get(callback))
}

const SIGNED_IN: &str = "You are signed in. It is now safe to close this window.";
const FAILED: &str = "The sign-in did not succeed. Please close this window and try again.";
/// Allows the page's own script, which closes the window, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'sha256-jqxtvDkBbRAl9Hpqv68WdNOieepg8tJSYu1xIy7zT34='; frame-ancestors 'none'";

#[derive(Deserialize)]
struct Answer {
    state: Option<String>,
    code: Option<String>,
}

async fn callback(
    State(app): State<App>,
    headers: HeaderMap,
    Params(answer): Params<Answer>,
) -> Result<Response> {
    let own = cookies::read(&app, &headers, cookies::EHR_LOGIN);
    // Another person's sign-in is not taken for the one of the browser that began it.
    let state = answer.state.filter(|state| own.is_some_and(|own| token_hash(own) == token_hash(state)));
    let returned = match state {
        Some(state) => tokens::take(&app, &state).await?,
        None => None,
    };
    let is_signed_in = match returned {
        Some(returned) => redeem(&app, returned, answer.code).await?,
        None => false,
    };
    let text = if is_signed_in { SIGNED_IN } else { FAILED };
    let script = if is_signed_in { "<script>window.close()</script>" } else { "" };
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in</title><p>{text}</p>{script}"
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        // Stays with the page that opened the window, which waits for its end.
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("unsafe-none")),
    ];
    Ok((headers, Html(page)).into_response())
}

/// Exchanges the code for tokens; returns whether that succeeded.
async fn redeem(app: &App, returned: Returned, code: Option<String>) -> Result<bool> {
    let Returned { login, connection, verifier } = returned;
    let token = match code {
        None => None,
        Some(code) => redeemed(app, &connection, &code, &verifier).await?,
    };
    let is_signed_in = token.is_some();
    let act = Act::new(event::CHANGED, "integration", connection.id)
        .detail(json!({ "signedIn": is_signed_in, "userId": login.user_id }));
    let act = if is_signed_in { act } else { act.failed() };
    tokens::complete(app, login, token).await?;
    let txn = app.store.begin().await?;
    audit::record(app, &txn, &Actor::system(connection.organization_id), act).await?;
    txn.commit().await?;
    Ok(is_signed_in)
}

async fn redeemed(
    app: &App,
    connection: &store::entities::integration::Model,
    code: &str,
    verifier: &str,
) -> Result<Option<sign_in::Token>> {
    let redirect = tokens::redirect_url(app)?;
    let Ok(http) = network::client(app, connection.organization_id) else { return Ok(None) };
    let Ok(discovered) = sign_in::discover(&http, &connection.settings.base_url).await else {
        return Ok(None);
    };
    let client = &connection.settings.client_id;
    let token =
        sign_in::redeem(&http, &discovered, client, redirect.as_str(), code, verifier, app.clock.now());
    Ok(token.await.ok())
}
