//! `/api/account/settings/security`

use super::{queries, rules};
use axum::{Json, extract::State};
use platform::{App, Manager, Result, access::MANAGERS, api::Api, http::Body, security::SecuritySettings};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MANAGERS, routes!(security_settings, save_security_settings))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityView {
    /// Minutes without activity until users are signed out.
    pub idle_minutes: u32,
    /// Whether everybody needs a second step to sign in.
    pub require_second_factor: bool,
    /// Whether the installation requires it, regardless of the organization.
    pub second_factor_always: bool,
    /// Whether sign-in is limited to the allowed addresses.
    pub require_whitelisted_ip: bool,
    /// Addresses, and networks such as `10.0.0.0/8`.
    pub allowed_addresses: Vec<String>,
    /// The caller's address.
    pub own_address: String,
    /// Send it back with a change.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityForm {
    /// 5 to 30
    pub idle_minutes: u32,
    pub require_second_factor: bool,
    #[serde(rename = "requireWhitelistedIp")]
    pub require_whitelisted_ip: bool,
    #[serde(default)]
    pub allowed_addresses: Vec<String>,
    /// Confirms that the caller's own address is left out.
    #[serde(default)]
    pub confirm_lock_out: bool,
    /// Version of the settings that were read. A change without the current one is refused.
    pub version: Option<i32>,
}

fn view(app: &App, manager: &Manager, settings: SecuritySettings) -> SecurityView {
    let minutes = settings.idle_minutes.unwrap_or(app.config.session.idle_minutes);
    SecurityView {
        idle_minutes: minutes.clamp(rules::IDLE_MIN, rules::IDLE_MAX),
        require_second_factor: settings.require_second_factor,
        second_factor_always: app.config.requires_second_factor(),
        require_whitelisted_ip: settings.require_whitelisted_ip,
        allowed_addresses: settings.allowed_addresses.into_iter().map(String::from).collect(),
        own_address: manager.caller.source_ip.clone(),
        version: settings.version,
    }
}

/// The sign-in requirements of the organization
#[utoipa::path(get, path = "/api/account/settings/security", operation_id = "securitySettings", tag = "account",
    params(Manager), responses((status = 200, body = SecurityView)))]
async fn security_settings(State(app): State<App>, manager: Manager) -> Result<Json<SecurityView>> {
    let settings = queries::find(&app, &manager).await?;
    Ok(Json(view(&app, &manager, settings)))
}

/// Saves the sign-in requirements of the organization
#[utoipa::path(put, path = "/api/account/settings/security", operation_id = "saveSecuritySettings", tag = "account",
    params(Manager), request_body = SecurityForm,
    responses((status = 200, body = SecurityView), (status = 409, description = "Changed by somebody else")))]
async fn save_security_settings(
    State(app): State<App>,
    manager: Manager,
    Body(form): Body<SecurityForm>,
) -> Result<Json<SecurityView>> {
    let saved = queries::save(&app, &manager, &form).await?;
    Ok(Json(view(&app, &manager, saved)))
}
