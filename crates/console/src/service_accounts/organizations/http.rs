//! `/api/organizations/{id}/serviceaccount`

use super::queries;
use crate::service_accounts::types::{
    CountLimit, IssuedToken, NewServiceAccount, ServiceAccount, ServiceAccountForm,
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Result,
    access::{MANAGERS, SYSADMINS},
    api::Api,
    http::{Body, Id, Items},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MANAGERS, routes!(organization_service_accounts))
        .route(MANAGERS, routes!(service_account_limit))
        .route(SYSADMINS, routes!(save_service_account_limit))
        .route(MANAGERS, routes!(create_organization_service_account))
        .route(MANAGERS, routes!(save_organization_service_account, delete_organization_service_account))
        .route(MANAGERS, routes!(renew_organization_service_account))
        .route(SYSADMINS, routes!(save_service_account_address_limit))
}

/// The service accounts of an organization, by name
#[utoipa::path(get, path = "/api/organizations/{id}/serviceaccount", operation_id = "organizationServiceAccounts",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<ServiceAccount>)))]
async fn organization_service_accounts(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<ServiceAccount>>> {
    Ok(Json(Items { items: queries::list(&app, &caller, id).await? }))
}

/// The maximum number of an organization's service accounts
#[utoipa::path(get, path = "/api/organizations/{id}/serviceaccount/limit", operation_id = "serviceAccountLimit",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = CountLimit)))]
async fn service_account_limit(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<CountLimit>> {
    Ok(Json(CountLimit { count: queries::limit(&app, &caller, id).await? }))
}

/// Sets the maximum number of an organization's service accounts, at most 100 and not fewer than it has
#[utoipa::path(put, path = "/api/organizations/{id}/serviceaccount/limit", operation_id = "saveServiceAccountLimit",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = CountLimit,
    responses((status = 200, body = CountLimit)))]
async fn save_service_account_limit(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(CountLimit { count }): Body<CountLimit>,
) -> Result<Json<CountLimit>> {
    queries::save_limit(&app, &caller, id, count).await?;
    Ok(Json(CountLimit { count }))
}

/// Creates a service account of an organization
#[utoipa::path(post, path = "/api/organizations/{id}/serviceaccounts",
    operation_id = "createOrganizationServiceAccount", tag = "organizations", params(("id" = Uuid, Path)),
    request_body = NewServiceAccount,
    responses((status = 201, body = IssuedToken), (status = 409, description = "The limit is reached")))]
async fn create_organization_service_account(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<NewServiceAccount>,
) -> Result<(StatusCode, Json<IssuedToken>)> {
    let (account, token) = queries::create(&app, &caller, id, form.name.into()).await?;
    Ok((StatusCode::CREATED, Json(IssuedToken { account: account.try_into()?, token: token.into() })))
}

/// Saves the name and the addresses of a service account, and whether it is enabled
#[utoipa::path(put, path = "/api/organizations/{id}/serviceaccounts/{accountId}",
    operation_id = "saveOrganizationServiceAccount", tag = "organizations",
    params(("id" = Uuid, Path), ("accountId" = Uuid, Path)), request_body = ServiceAccountForm,
    responses((status = 200, body = ServiceAccount), (status = 409, description = "Somebody else changed it")))]
async fn save_organization_service_account(
    State(app): State<App>,
    caller: Caller,
    Id((id, account_id)): Id<(Uuid, Uuid)>,
    Body(form): Body<ServiceAccountForm>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::save(&app, &caller, id, account_id, form).await?.try_into()?))
}

/// Ends a service account and its token
#[utoipa::path(delete, path = "/api/organizations/{id}/serviceaccounts/{accountId}",
    operation_id = "deleteOrganizationServiceAccount", tag = "organizations",
    params(("id" = Uuid, Path), ("accountId" = Uuid, Path)), responses((status = 204)))]
async fn delete_organization_service_account(
    State(app): State<App>,
    caller: Caller,
    Id((id, account_id)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    queries::delete(&app, &caller, id, account_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a service account a new token, which ends the old one
#[utoipa::path(post, path = "/api/organizations/{id}/serviceaccounts/{accountId}/token",
    operation_id = "renewOrganizationServiceAccount", tag = "organizations",
    params(("id" = Uuid, Path), ("accountId" = Uuid, Path)), responses((status = 200, body = IssuedToken)))]
async fn renew_organization_service_account(
    State(app): State<App>,
    caller: Caller,
    Id((id, account_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<IssuedToken>> {
    let (account, token) = queries::renew(&app, &caller, id, account_id).await?;
    Ok(Json(IssuedToken { account: account.try_into()?, token: token.into() }))
}

/// Sets the maximum number of a service account's addresses, at most 200 and not fewer than it has
#[utoipa::path(put, path = "/api/organizations/{id}/serviceaccounts/{accountId}/ipaddresses/limit",
    operation_id = "saveServiceAccountAddressLimit", tag = "organizations",
    params(("id" = Uuid, Path), ("accountId" = Uuid, Path)), request_body = CountLimit,
    responses((status = 200, body = ServiceAccount)))]
async fn save_service_account_address_limit(
    State(app): State<App>,
    caller: Caller,
    Id((id, account_id)): Id<(Uuid, Uuid)>,
    Body(CountLimit { count }): Body<CountLimit>,
) -> Result<Json<ServiceAccount>> {
    Ok(Json(queries::save_address_limit(&app, &caller, id, account_id, count).await?.try_into()?))
}
