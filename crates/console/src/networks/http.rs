//! `/api/networks`, `/api/admin/networks/{id}`

use super::{
    queries, rules,
    types::{Network, NetworkFeatures, NetworkForm, NetworkOverview, NetworkQuery},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result, Role,
    access::{NETWORK_MANAGERS, SYSADMINS},
    api::Api,
    http::{Body, Created, Id, Page, Paged, Params},
};
use utoipa_axum::routes;
use uuid::Uuid;

/// SysAdmins see all networks, others their own.
const LISTERS: &[Role] = &[Role::User, Role::Admin, Role::NetAdmin, Role::SysAdmin, Role::Service];
/// Roles that manage a network, and its service account.
const READERS: &[Role] = &[Role::NetAdmin, Role::SysAdmin, Role::Service];

pub fn api() -> Api {
    Api::new()
        .route(LISTERS, routes!(networks))
        .route(SYSADMINS, routes!(create_network))
        .route(READERS, routes!(network))
        .route(NETWORK_MANAGERS, routes!(update_network))
        .route(SYSADMINS, routes!(delete_network))
        .route(READERS, routes!(network_features))
        .route(SYSADMINS, routes!(network_overview))
}

/// The caller's networks, by name; all networks for SysAdmin
#[utoipa::path(get, path = "/api/networks", operation_id = "networks", tag = "networks",
    params(NetworkQuery), responses((status = 200, body = Paged<Network>)))]
async fn networks(
    State(app): State<App>,
    caller: Caller,
    Params(query): Params<NetworkQuery>,
) -> Result<Json<Paged<Network>>> {
    let page = Page::new(query.page, query.size, 20, 100)?;
    let found = queries::list(&app, &caller, query.search.as_deref().unwrap_or_default(), page).await?;
    Ok(Json(found.map(Into::into)))
}

/// Creates a network
#[utoipa::path(post, path = "/api/networks", operation_id = "createNetwork", tag = "networks",
    request_body = NetworkForm, responses((status = 201, body = Network)))]
async fn create_network(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<NetworkForm>,
) -> Result<Created<Network>> {
    let created = queries::create(&app, &caller, form).await?;
    Ok(Created(format!("/api/networks/{}", created.id), created.into()))
}

/// Reads a network
#[utoipa::path(get, path = "/api/networks/{id}", operation_id = "network", tag = "networks",
    params(("id" = Uuid, Path)), responses((status = 200, body = Network)))]
async fn network(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<Json<Network>> {
    let found = queries::find(app.store.db(), &caller, id).await?;
    Ok(Json(found.into()))
}

/// Renames a network
#[utoipa::path(put, path = "/api/networks/{id}", operation_id = "updateNetwork", tag = "networks",
    params(("id" = Uuid, Path)), request_body = NetworkForm,
    responses((status = 200, body = Network), (status = 409, description = "Changed by somebody else")))]
async fn update_network(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<NetworkForm>,
) -> Result<Json<Network>> {
    Ok(Json(queries::update(&app, &caller, id, form).await?.into()))
}

/// Deletes a network without organizations, signs out its administrators and ends its service account
#[utoipa::path(delete, path = "/api/networks/{id}", operation_id = "deleteNetwork", tag = "networks",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations belong to it")))]
async fn delete_network(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The features of a network, each with its child features
#[utoipa::path(get, path = "/api/networks/{id}/features", operation_id = "networkFeatures", tag = "networks",
    params(("id" = Uuid, Path)), responses((status = 200, body = NetworkFeatures)))]
async fn network_features(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<NetworkFeatures>> {
    queries::find(app.store.db(), &caller, id).await?;
    let features = rules::tree(queries::features(app.store.db(), id).await?);
    Ok(Json(NetworkFeatures { features }))
}

/// A network with its numbers of organizations and administrators
#[utoipa::path(get, path = "/api/admin/networks/{id}", operation_id = "networkOverview", tag = "networks",
    params(("id" = Uuid, Path)), responses((status = 200, body = NetworkOverview)))]
async fn network_overview(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<NetworkOverview>> {
    let overview = queries::overview(app.store.db(), id).await?.ok_or(Error::NotFound)?;
    Ok(Json(overview))
}
