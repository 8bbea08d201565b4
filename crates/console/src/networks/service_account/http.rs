//! `/api/networks/{id}/serviceaccounts`

use super::queries;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::NETWORK_MANAGERS,
    api::Api,
    http::{Body, Id, Params},
    service,
};
use serde::{Deserialize, Serialize};
use store::entities::service_account;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(NETWORK_MANAGERS, routes!(service_account, renew_service_account, delete_service_account))
        .route(NETWORK_MANAGERS, routes!(enable_service_account))
        .route(NETWORK_MANAGERS, routes!(disable_service_account))
        .route(NETWORK_MANAGERS, routes!(save_service_account_addresses))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccount {
    pub id: Uuid,
    pub client_id: String,
    pub service_account_enabled: bool,
    /// Addresses and networks from which it may be used. From nowhere, while there is none.
    pub client_ip_addresses: Vec<String>,
    /// Of the addresses; to be sent back with a change of them.
    pub version: i32,
    pub create_date: DateTime<Utc>,
    pub token_issued_date: DateTime<Utc>,
    pub last_used_date: Option<DateTime<Utc>>,
    pub last_used_from: Option<String>,
    /// The token was shown while the account was disabled, or from an address that is not allowed.
    pub last_refused_date: Option<DateTime<Utc>>,
    pub last_refused_from: Option<String>,
}

impl TryFrom<service_account::Model> for ServiceAccount {
    type Error = Error;

    fn try_from(account: service_account::Model) -> Result<Self> {
        let addresses = service::allowed_addresses(&account)?;
        Ok(Self {
            id: account.id,
            client_id: account.client_id,
            service_account_enabled: account.is_enabled,
            client_ip_addresses: addresses.into_iter().map(String::from).collect(),
            version: account.version,
            create_date: account.created_at,
            token_issued_date: account.token_issued_at,
            last_used_date: account.last_used_at,
            last_used_from: account.last_used_from,
            last_refused_date: account.last_refused_at,
            last_refused_from: account.last_refused_from,
        })
    }
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

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuedToken {
    pub account: ServiceAccount,
    /// Shown this once; only its hash is kept.
    pub token: String,
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
    Ok(Json(IssuedToken { account: account.try_into()?, token }))
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

/// Lets the token of the service account in again
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts/enable", operation_id = "enableServiceAccount",
    tag = "networks", params(("id" = Uuid, Path)), responses((status = 200, body = ServiceAccount)))]
async fn enable_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::enable(&app, &caller, id, true).await?.try_into()?))
}

/// Refuses the token of the service account from the next call on
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
    /// That of the addresses that were changed; without one they are saved over whatever is there.
    pub version: Option<i32>,
}

/// Saves from where the service account may be used: addresses, and networks such as `10.0.0.0/8`
#[utoipa::path(put, path = "/api/networks/{id}/serviceaccounts/ipaddresses",
    operation_id = "saveServiceAccountAddresses", tag = "networks", params(("id" = Uuid, Path), AddressesQuery),
    request_body = Vec<String>,
    responses((status = 200, body = ServiceAccount), (status = 409, description = "Somebody else changed them")))]
async fn save_service_account_addresses(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(query): Params<AddressesQuery>,
    Body(addresses): Body<Vec<String>>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::save_addresses(&app, &caller, id, &addresses, query.version).await?.try_into()?))
}
