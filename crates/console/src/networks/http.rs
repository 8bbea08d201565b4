//! `/api/networks`, `/api/admin/networks/{id}`

use super::{
    queries,
    rules::{self, NetworkName},
};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result, Role,
    access::{NETWORK_MANAGERS, SYSADMINS},
    api::Api,
    http::{Body, Created, Id, Page, Paged, Params},
    text::SearchWords,
};
use serde::{Deserialize, Serialize};
use store::entities::network;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// SysAdmins see every network, others their own.
const LISTERS: &[Role] = &[Role::User, Role::Admin, Role::NetAdmin, Role::SysAdmin, Role::Service];
/// Those who manage a network, and its systems.
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

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct NetworkQuery {
    /// How the name begins.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page: Option<u64>,
    /// At most 100.
    pub size: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    pub id: Uuid,
    pub name: String,
    pub create_date: Option<DateTime<Utc>>,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<network::Model> for Network {
    fn from(row: network::Model) -> Self {
        Self { id: row.id, name: row.name, create_date: row.created_at, version: row.version }
    }
}

/// The networks that the caller belongs to, by name; every network for SysAdmin
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

#[derive(Debug, Deserialize, ToSchema)]
pub struct NetworkForm {
    pub name: NetworkName,
    /// The version that was read: what somebody else saved since then is not written over. Not asked for when creating.
    pub version: Option<i32>,
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

/// Deletes a network without organizations: its administrators are signed out and its service account ends
#[utoipa::path(delete, path = "/api/networks/{id}", operation_id = "deleteNetwork", tag = "networks",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations belong to it")))]
async fn delete_network(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkFeature {
    pub name: String,
    /// Never of a feature whose parent is not.
    pub is_enabled: bool,
    #[schema(no_recursion)]
    pub child_network_features: Vec<Self>,
}

#[derive(Serialize, ToSchema)]
pub struct NetworkFeatures {
    pub features: Vec<NetworkFeature>,
}

/// The features of a network, each with those that belong to it
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

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkOverview {
    #[serde(flatten)]
    pub network: Network,
    /// Exact up to 10,000.
    pub organization_count: u64,
    /// Exact up to 10,000.
    pub admin_count: u64,
    pub has_service_account: bool,
}

/// A network with what belongs to it in numbers
#[utoipa::path(get, path = "/api/admin/networks/{id}", operation_id = "networkOverview", tag = "networks",
    params(("id" = Uuid, Path)), responses((status = 200, body = NetworkOverview)))]
async fn network_overview(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<NetworkOverview>> {
    let overview = queries::overview(app.store.db(), id).await?.ok_or(Error::NotFound)?;
    Ok(Json(overview))
}
