//! `/api/account/settings/security`

use super::{
    queries, rules,
    types::{SecurityForm, SecurityView},
};
use axum::{Json, extract::State};
use platform::{App, Manager, Result, access::MANAGERS, api::Api, http::Body, security::SecuritySettings};
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(MANAGERS, routes!(security_settings, save_security_settings))
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
