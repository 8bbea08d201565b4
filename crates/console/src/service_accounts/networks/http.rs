//! `/api/networks/{id}/serviceaccounts`

use super::queries;
use crate::service_accounts::types::{IssuedToken, ServiceAccount};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Result,
    access::NETWORK_MANAGERS,
    api::Api,
    http::{Body, Id, Params},
};
use serde::Deserialize;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(NETWORK_MANAGERS, routes!(service_account, renew_service_account, delete_service_account))
        .route(NETWORK_MANAGERS, routes!(enable_service_account))
        .route(NETWORK_MANAGERS, routes!(disable_service_account))
        .route(NETWORK_MANAGERS, routes!(save_service_account_addresses))
}

/// The service account of a network
#[utoipa::path(get, path = "/api/networks/{id}/serviceaccounts", operation_id = "serviceAccount", tag = "networks",
    params(("id" = Uuid, Path)),
    responses((status = 200, body = ServiceAccount), (status = 404, description = "It has none")))]
async fn service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::find(&app, &caller, id).await?.try_into()?))
}

/// Creates the service account of a network, or gives it a new token that ends the old one
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts", operation_id = "renewServiceAccount",
    tag = "networks", params(("id" = Uuid, Path)), responses((status = 200, body = IssuedToken)))]
async fn renew_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<IssuedToken>> {
    let (account, token) = queries::renew(&app, &caller, id).await?;
    Ok(Json(IssuedToken { account: account.try_into()?, token: token.into() }))
}

/// Ends the service account of a network
#[utoipa::path(delete, path = "/api/networks/{id}/serviceaccounts", operation_id = "deleteServiceAccount",
    tag = "networks", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    queries::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enables the token of the service account again
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts/enable", operation_id = "enableServiceAccount",
    tag = "networks", params(("id" = Uuid, Path)), responses((status = 200, body = ServiceAccount)))]
async fn enable_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::enable(&app, &caller, id, true).await?.try_into()?))
}

/// Disables the token of the service account from the next call on
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts/disable", operation_id = "disableServiceAccount",
    tag = "networks", params(("id" = Uuid, Path)), responses((status = 200, body = ServiceAccount)))]
async fn disable_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::enable(&app, &caller, id, false).await?.try_into()?))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AddressesQuery {
    /// Version of the account that was read; without one, the addresses are always saved.
    pub version: Option<i32>,
}

/// Saves the addresses from which the service account may be used: single ones, and networks such as `10.0.0.0/8`
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts/ipaddresses",
    operation_id = "saveServiceAccountAddresses", tag = "networks", params(("id" = Uuid, Path), AddressesQuery),
    request_body = Vec<String>,
    responses((status = 200, body = ServiceAccount), (status = 409, description = "Changed by somebody else")))]
async fn save_service_account_addresses(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(query): Params<AddressesQuery>,
    Body(addresses): Body<Vec<String>>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::save_addresses(&app, &caller, id, &addresses, query.version).await?.try_into()?))
}
