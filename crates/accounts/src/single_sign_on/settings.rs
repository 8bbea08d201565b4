//! `/api/account/settings/sso`

use super::{connections, provider::redirect_address};
use axum::{Json, extract::State, http::StatusCode};
use platform::{App, Error, Member, Result, access::ADMINS, api::Api, http::Body, secret::Secret};
use serde::{Deserialize, Serialize};
use store::entities::sso_connection;
use url::Url;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(ADMINS, routes!(sso_settings, save_sso_settings, remove_sso_settings))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SsoView {
    /// None until one is saved.
    pub connection: Option<ConnectionView>,
    /// Address to register with the provider. Each organization has its own.
    #[schema(value_type = String)]
    pub redirect_address: Url,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionView {
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    /// Whether a secret is stored; it is never shown.
    pub has_client_secret: bool,
    pub is_enabled: bool,
    /// Values of `acr` requested from the provider, separated by spaces; each one proves that a sign-in used several
    /// factors.
    pub acr_values: String,
    /// Maximum age of the sign-in at the provider, in minutes; null for any age.
    #[schema(required = true)]
    pub max_age_minutes: Option<i32>,
    /// Address at which people sign in.
    #[schema(value_type = String)]
    pub sign_in_address: Url,
    /// Number of people who have signed in by it.
    pub linked_people: u64,
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionForm {
    #[serde(default)]
    pub name: String,
    /// Issuer address of the provider, below which its discovery document is.
    #[serde(default)]
    pub issuer: String,
    #[serde(default)]
    pub client_id: String,
    /// If empty, the stored one stays.
    pub client_secret: Option<Secret>,
    pub is_enabled: bool,
    /// Values of `acr` requested from the provider, separated by spaces, each of which proves that a sign-in used
    /// several factors.
    #[serde(default)]
    pub acr_values: String,
    /// 1 to 1440: maximum age of the sign-in at the provider, in minutes. Any age by default.
    pub max_age_minutes: Option<u32>,
    /// The version that was read; absent for a new connection.
    pub version: Option<i32>,
}

async fn view(
    app: &App,
    member: &Member,
    connection: Option<sso_connection::Model>,
) -> Result<Json<SsoView>> {
    let connection = match connection {
        None => None,
        Some(row) => {
            let path = format!("/account/login/{}", row.name);
            Some(ConnectionView {
                sign_in_address: app.config.http.public_url.join(&path).map_err(Error::internal)?,
                linked_people: connections::linked(app.store.db(), row.id).await?,
                has_client_secret: row.sealed_secret.is_some(),
                name: row.name,
                issuer: row.issuer,
                client_id: row.client_id,
                is_enabled: row.is_enabled,
                acr_values: row.acr_values,
                max_age_minutes: row.max_age_minutes,
                version: row.version,
            })
        }
    };
    let redirect_address = redirect_address(app, member.organization_id)?;
    Ok(Json(SsoView { connection, redirect_address }))
}

/// The sign-in provider of the caller's organization
#[utoipa::path(get, path = "/api/account/settings/sso", operation_id = "ssoSettings", tag = "account",
    responses((status = 200, body = SsoView)))]
async fn sso_settings(State(app): State<App>, member: Member) -> Result<Json<SsoView>> {
    let db = app.store.db();
    connections::require_feature(db, member.organization_id).await?;
    view(&app, &member, connections::of(db, member.organization_id).await?).await
}

/// Saves the sign-in provider of the caller's organization
#[utoipa::path(put, path = "/api/account/settings/sso", operation_id = "saveSsoSettings", tag = "account",
    request_body = ConnectionForm, responses((status = 200, body = SsoView)))]
async fn save_sso_settings(
    State(app): State<App>,
    member: Member,
    Body(form): Body<ConnectionForm>,
) -> Result<Json<SsoView>> {
    let saved = connections::save(&app, &member, &form).await?;
    view(&app, &member, Some(saved)).await
}

/// Removes the sign-in provider of the caller's organization; its sessions end
#[utoipa::path(delete, path = "/api/account/settings/sso", operation_id = "removeSsoSettings", tag = "account",
    responses((status = 204)))]
async fn remove_sso_settings(State(app): State<App>, member: Member) -> Result<StatusCode> {
    connections::remove(&app, &member).await?;
    Ok(StatusCode::NO_CONTENT)
}
