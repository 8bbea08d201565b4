//! `/api/integrations/externallogin` and the calls around it: a person's sign-in at the EHR.

use super::tokens;
use crate::{connections::queries, ehr::Failure, network};
use accounts::cookies::{self, CookieHeader};
use axum::{Json, extract::State, http::StatusCode};
use fhir::sign_in;
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, event},
    http::{Body, Params},
    integrations,
    secret::Secret,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::entities::{
    integration::{Authentication, IntegrationType, Model},
    integration_login::LoginState,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(MEMBERS, routes!(external_login))
        .route(MEMBERS, routes!(check_login_state))
        .route(MEMBERS, routes!(revoke_token))
        .route(MEMBERS, routes!(revoke_oauth_token))
}

const NO_LOGIN: &str = "People do not sign in at this integration.";

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct LoginParams {
    #[param(inline)]
    integration_type: IntegrationType,
    /// The connection; the first with sign-in by default.
    integration_id: Option<Uuid>,
}

/// Where to sign in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ExternalLogin {
    /// Address to open in a window of its own.
    url: String,
    /// For the check after the window has closed.
    state: Secret,
    integration_id: Uuid,
    /// Name of the connection.
    name: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LoginCheck {
    state: Secret,
    integration_type: IntegrationType,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LoginOutcome {
    is_signed_in: bool,
    /// Whether it failed; otherwise the person has not finished.
    has_failed: bool,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Revocation {
    #[serde(rename = "type")]
    kind: IntegrationType,
    /// The connection; all of the kind by default.
    integration_id: Option<Uuid>,
}

/// Begins a sign-in at the EHR
#[utoipa::path(get, path = "/api/integrations/externallogin", operation_id = "externalLogin", tag = "integrations",
    params(LoginParams), responses((status = 200, body = ExternalLogin)))]
async fn external_login(
    State(app): State<App>,
    member: Member,
    Params(params): Params<LoginParams>,
) -> Result<(CookieHeader, Json<ExternalLogin>)> {
    integrations::require(app.store.db(), params.integration_type.grant(), member.organization_id).await?;
    let rows = connections(&app, &member, params.integration_type, params.integration_id).await?;
    let row = rows.into_iter().next().ok_or(Error::Conflict(NO_LOGIN.into()))?;
    let begun =
        tokens::authorization(&app, &row).await.map_err(|failure: Failure| failure.error(Some(&row)))?;
    tokens::begin(&app, &member, &row, &begun).await?;
    let seconds = tokens::LIFETIME.num_seconds().unsigned_abs();
    // The browser that comes back has to be this one.
    let cookie = cookies::set_for_return(&app, cookies::EHR_LOGIN, &begun.state, seconds);
    let login =
        ExternalLogin { url: begun.url, state: begun.state.into(), integration_id: row.id, name: row.name };
    Ok((cookie, Json(login)))
}

/// The connections of a kind at which people sign in.
async fn connections(
    app: &App,
    member: &Member,
    kind: IntegrationType,
    id: Option<Uuid>,
) -> Result<Vec<Model>> {
    let mut rows = queries::all(app.store.db(), member.organization_id).await?;
    rows.retain(|row| {
        let is_asked = row.kind == kind && id.is_none_or(|id| id == row.id);
        is_asked && row.is_enabled && row.settings.authentication == Authentication::Person
    });
    Ok(rows)
}

/// Whether a sign-in at the EHR has succeeded
#[utoipa::path(post, path = "/api/integrations/checkstate", operation_id = "checkLoginState", tag = "integrations",
    request_body = LoginCheck, responses((status = 200, body = LoginOutcome)))]
async fn check_login_state(
    State(app): State<App>,
    member: Member,
    Body(check): Body<LoginCheck>,
) -> Result<Json<LoginOutcome>> {
    if check.integration_type != IntegrationType::Fhir {
        return Err(Error::Conflict(NO_LOGIN.into()));
    }
    let outcome = tokens::outcome(app.store.db(), member.caller.user_id, &check.state).await?;
    let outcome = outcome.ok_or(Error::NotFound)?;
    Ok(Json(LoginOutcome {
        is_signed_in: outcome == LoginState::SignedIn,
        has_failed: outcome == LoginState::Failed,
    }))
}

/// Forgets the caller's sign-in here
#[utoipa::path(post, path = "/api/integrations/revoketoken", operation_id = "revokeIntegrationToken",
    tag = "integrations", request_body = Revocation, responses((status = 204)))]
async fn revoke_token(
    State(app): State<App>,
    member: Member,
    Body(revocation): Body<Revocation>,
) -> Result<StatusCode> {
    forget(&app, &member, &revocation).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the caller's sign-in here, and revokes it at the EHR
///
/// The EHR may not support this; then only the sign-in here ends.
#[utoipa::path(post, path = "/api/integrations/revoketoken/oauth", operation_id = "revokeIntegrationOauthToken",
    tag = "integrations", request_body = Revocation, responses((status = 204)))]
async fn revoke_oauth_token(
    State(app): State<App>,
    member: Member,
    Body(revocation): Body<Revocation>,
) -> Result<StatusCode> {
    for (row, tokens) in forget(&app, &member, &revocation).await? {
        let failed = |_| Failure::Problem(fhir::problem::Problem::Unreachable).error(Some(&row));
        let http = network::client(&app, row.organization_id).map_err(failed)?;
        let base = &row.settings.base_url;
        let discovered = sign_in::discover(&http, base).await;
        let discovered = discovered.map_err(|problem| Failure::Problem(problem).error(Some(&row)))?;
        if discovered.revoke.is_none() {
            continue;
        }
        for token in tokens {
            let revoked = sign_in::revoke(&http, &discovered, &row.settings.client_id, &token).await;
            revoked.map_err(|problem| Failure::Problem(problem).error(Some(&row)))?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets sign-ins here; returns the tokens by connection.
async fn forget(app: &App, member: &Member, of: &Revocation) -> Result<Vec<(Model, Vec<String>)>> {
    let mut forgotten = Vec::new();
    for row in connections(app, member, of.kind, of.integration_id).await? {
        let act = Act::new(event::CHANGED, "integration", row.id).detail(json!({ "signedOut": true }));
        audit::record_read(app, &member.caller, act).await?;
        let tokens = tokens::forget(app, &row, member.caller.user_id).await?;
        forgotten.push((row, tokens));
    }
    Ok(forgotten)
}
