//! `/api/account/sso/…`

use super::{
    grants,
    queries::{self, Returned},
    rules::ANSWER_MAX,
    settings,
};
use crate::{
    challenges, cookies,
    peer::Peer,
    sign_in::http::{LoginAnswer, answer_or_ask, browser, same_site},
};
use axum::{
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use platform::{App, Error, Result, access::PUBLIC, api::Api, http::Body, secret::random_token};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new()
        .route(PUBLIC, routes!(begin_sso))
        .route(PUBLIC, routes!(complete_sso))
        .merge(settings::api())
        .merge(grants::api())
}

#[derive(Deserialize, ToSchema)]
pub struct SsoRequest {
    /// The name of a connection.
    #[serde(default)]
    pub connection: String,
}

#[derive(Serialize, ToSchema)]
pub struct SsoQuestion {
    /// Address to which the browser goes to sign in.
    #[schema(value_type = String)]
    pub address: Url,
}

/// Begins a sign-in at an organization's provider
#[utoipa::path(post, path = "/api/account/sso", operation_id = "beginSso", tag = "account",
    request_body = SsoRequest, responses((status = 200, body = SsoQuestion)))]
async fn begin_sso(
    State(app): State<App>,
    headers: HeaderMap,
    Body(body): Body<SsoRequest>,
) -> Result<Response> {
    same_site(&headers)?;
    // Several tabs of a browser may sign in at once.
    let known = cookies::read(&app, &headers, cookies::SINGLE_SIGN_ON).map(ToOwned::to_owned);
    let browser = known.unwrap_or_else(random_token);
    let address = queries::begin(&app, &body.connection, &browser).await?;
    let life = challenges::LIFETIME.num_seconds().unsigned_abs();
    let cookie = cookies::set(&app, cookies::SINGLE_SIGN_ON, &browser, life);
    Ok((cookie, axum::Json(SsoQuestion { address })).into_response())
}

/// Parameters of the redirect from the provider.
#[derive(Deserialize, ToSchema)]
pub struct SsoAnswer {
    /// Last segment of the redirect address: the organization of the provider.
    #[serde(default)]
    pub organization: String,
    #[serde(default)]
    #[schema(max_length = 8192)]
    pub state: String,
    /// None if the provider refused. Some providers send more than a thousand characters.
    #[schema(max_length = 8192)]
    pub code: Option<String>,
    /// Issuer of the answer (RFC 9207).
    pub iss: Option<String>,
}

/// Completes a sign-in at an organization's provider
#[utoipa::path(post, path = "/api/account/sso/callback", operation_id = "completeSso", tag = "account",
    request_body = SsoAnswer, responses((status = 200, body = LoginAnswer)))]
async fn complete_sso(
    State(app): State<App>,
    peer: Peer,
    headers: HeaderMap,
    Body(body): Body<SsoAnswer>,
) -> Result<Response> {
    same_site(&headers)?;
    let texts = [Some(&body.organization), Some(&body.state), body.code.as_ref(), body.iss.as_ref()];
    if texts.into_iter().flatten().any(|text| text.len() > ANSWER_MAX) {
        return Err(Error::SignInRefused(challenges::ENDED.into()));
    }
    let back = Returned {
        organization: body.organization,
        state: body.state,
        code: body.code.filter(|c| !c.is_empty()),
        issuer: body.iss,
    };
    let cookie = cookies::read(&app, &headers, cookies::SINGLE_SIGN_ON);
    let signed_in = queries::complete(&app, back, cookie, browser(&app, &peer, &headers)).await?;
    Ok(answer_or_ask(&app, signed_in))
}
