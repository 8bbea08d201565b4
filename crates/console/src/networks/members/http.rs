//! `/api/admin/networks/{id}/organizations`, `/api/admin/networks/{id}/admins`. Administrators of a network can read
//! both; only operators can change them.

use super::queries;
use crate::networks::{queries as networks, rules::USER_NEEDED};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Result, Role,
    access::{NETWORK_MANAGERS, SYSADMINS},
    api::Api,
    http::{Body, Id, Page, Paged, Params},
    session::full_name,
    sql,
    text::{Rule, SearchWords},
};
use serde::{Deserialize, Serialize};
use store::entities::{app_user, organization};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Roles that manage a network, and its service account.
const READERS: &[Role] = &[Role::NetAdmin, Role::SysAdmin, Role::Service];

pub fn api() -> Api {
    Api::new()
        .route(READERS, routes!(network_organizations))
        .route(SYSADMINS, routes!(add_network_organization))
        .route(SYSADMINS, routes!(remove_network_organization))
        .route(NETWORK_MANAGERS, routes!(network_admins))
        .route(SYSADMINS, routes!(add_network_admin))
        .route(SYSADMINS, routes!(remove_network_admin))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MemberQuery {
    /// Beginning of the organization's name, or of the username.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub page: Option<u64>,
    /// At most 100.
    pub size: Option<u64>,
}

impl MemberQuery {
    fn page(&self) -> Result<Page> {
        Page::new(self.page, self.size, 20, 100)
    }

    fn search(&self) -> String {
        sql::key(self.search.as_deref().unwrap_or_default())
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkOrganization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    pub city: String,
    pub state: String,
    pub is_activated: bool,
    /// Whether its users can sign in.
    pub login_enabled: bool,
}

impl From<organization::Model> for NetworkOrganization {
    fn from(o: organization::Model) -> Self {
        Self {
            id: o.id,
            name: o.name,
            sub_domain: o.sub_domain,
            city: o.city,
            state: o.state,
            is_activated: o.is_activated,
            login_enabled: o.is_enabled,
        }
    }
}

/// The organizations of a network, by name
#[utoipa::path(get, path = "/api/admin/networks/{id}/organizations", operation_id = "networkOrganizations",
    tag = "networks", params(("id" = Uuid, Path), MemberQuery),
    responses((status = 200, body = Paged<NetworkOrganization>)))]
async fn network_organizations(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(query): Params<MemberQuery>,
) -> Result<Json<Paged<NetworkOrganization>>> {
    let page = query.page()?;
    networks::find(app.store.db(), &caller, id).await?;
    let found = queries::organizations(app.store.db(), id, &query.search(), page).await?;
    Ok(Json(found.map(Into::into)))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinRequest {
    pub organization_id: Uuid,
}

/// Adds an organization that has no network
#[utoipa::path(post, path = "/api/admin/networks/{id}/organizations", operation_id = "addNetworkOrganization",
    tag = "networks", params(("id" = Uuid, Path)), request_body = JoinRequest, responses((status = 204)))]
async fn add_network_organization(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<JoinRequest>,
) -> Result<StatusCode> {
    queries::add_organization(&app, &caller, id, body.organization_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes an organization from a network
#[utoipa::path(delete, path = "/api/admin/networks/{id}/organizations/{orgId}",
    operation_id = "removeNetworkOrganization", tag = "networks",
    params(("id" = Uuid, Path), ("orgId" = Uuid, Path)), responses((status = 204)))]
async fn remove_network_organization(
    State(app): State<App>,
    caller: Caller,
    Id((id, organization_id)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    queries::remove_organization(&app, &caller, id, organization_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkAdmin {
    pub id: Uuid,
    pub user_name: String,
    pub full_name: String,
    pub email: String,
    pub is_disabled: bool,
}

impl From<app_user::Model> for NetworkAdmin {
    fn from(user: app_user::Model) -> Self {
        Self {
            id: user.id,
            full_name: full_name(&user),
            user_name: user.user_name,
            email: user.email,
            is_disabled: user.is_disabled,
        }
    }
}

/// The administrators of a network, by username
#[utoipa::path(get, path = "/api/admin/networks/{id}/admins", operation_id = "networkAdmins", tag = "networks",
    params(("id" = Uuid, Path), MemberQuery), responses((status = 200, body = Paged<NetworkAdmin>)))]
async fn network_admins(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(query): Params<MemberQuery>,
) -> Result<Json<Paged<NetworkAdmin>>> {
    let page = query.page()?;
    networks::find(app.store.db(), &caller, id).await?;
    let found = queries::admins(app.store.db(), id, &query.search(), page).await?;
    Ok(Json(found.map(Into::into)))
}

platform::text! {
    /// Username or e-mail address.
    pub UserOrEmail = Rule::line(1, 255).says(USER_NEEDED);
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminRequest {
    /// Username or e-mail address.
    pub user_name: UserOrEmail,
}

/// Makes a user an administrator of a network
#[utoipa::path(post, path = "/api/admin/networks/{id}/admins", operation_id = "addNetworkAdmin", tag = "networks",
    params(("id" = Uuid, Path)), request_body = AdminRequest, responses((status = 200, body = NetworkAdmin)))]
async fn add_network_admin(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<AdminRequest>,
) -> Result<Json<NetworkAdmin>> {
    Ok(Json(queries::add_admin(&app, &caller, id, &body.user_name).await?.into()))
}

/// Removes an administrator of a network and signs them out
#[utoipa::path(delete, path = "/api/admin/networks/{id}/admins/{adminId}", operation_id = "removeNetworkAdmin",
    tag = "networks", params(("id" = Uuid, Path), ("adminId" = Uuid, Path)), responses((status = 204)))]
async fn remove_network_admin(
    State(app): State<App>,
    caller: Caller,
    Id((id, user_id)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    queries::remove_admin(&app, &caller, id, user_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
