//! `/api/admin/users…`, `/api/admin/sysadmin…`, `/api/admin/organizations/{organizationId}/users…`

use super::{
    access,
    list::{self, Filter},
    queries, rules,
    types::{
        AdminUser, AdminUserForm, AdminUserRow, AdminUserSort, AdminUserUpdate, RoleType, SysAdminForm,
        UserSession,
    },
};
use accounts::{
    people::{
        assignments, deletion,
        types::{UserOrganization, UserOrganizationAssignment, UserOrganizationForm},
    },
    second_factor::{self, ResetParams},
};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Created, Id, Items, Page, Params},
    text::SearchWords,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(admin_users, create_admin_user))
        .route(SYSADMINS, routes!(admin_user, update_admin_user, delete_admin_user))
        .route(SYSADMINS, routes!(create_sysadmin))
        .route(SYSADMINS, routes!(enable_sysadmin))
        .route(SYSADMINS, routes!(enable_admin_user))
        .route(SYSADMINS, routes!(user_organizations))
        .route(SYSADMINS, routes!(user_sessions, end_user_sessions))
        .route(SYSADMINS, routes!(disable_two_factor))
        .route(SYSADMINS, routes!(sync_user))
        .route(SYSADMINS, routes!(add_to_organization))
        .route(SYSADMINS, routes!(save_user_organization, remove_from_organization))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct AdminUserQuery {
    /// Each word is the beginning of the user name, first name or last name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    /// JSON: `{"by":"userName","dir":"asc"}`
    pub sort: Option<String>,
    pub page_number: Option<u64>,
    /// Default 10, maximum 100.
    pub page_size: Option<u64>,
    /// Includes deleted accounts.
    pub deleted: Option<bool>,
    /// Operators only.
    pub sys_admin: Option<bool>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdminUserPage {
    pub users: Vec<AdminUserRow>,
    /// Exact up to 10,000.
    pub total_users_count: u64,
    /// There are more than `total_users_count`.
    pub total_is_capped: bool,
}

/// Lists all accounts
#[utoipa::path(get, path = "/api/admin/users", operation_id = "adminUsers", tag = "users (operators)",
    params(AdminUserQuery), responses((status = 200, body = AdminUserPage)))]
async fn admin_users(
    State(app): State<App>,
    Params(query): Params<AdminUserQuery>,
) -> Result<Json<AdminUserPage>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let filter = Filter {
        words: accounts::people::rules::words(query.search.as_deref().unwrap_or_default()),
        deleted: query.deleted.unwrap_or_default(),
        operators: query.sys_admin.unwrap_or_default(),
    };
    let sort = AdminUserSort::parse(query.sort.as_deref())?;
    let found = list::page(&app, &filter, sort, page).await?;
    Ok(Json(AdminUserPage {
        users: found.items,
        total_users_count: found.total_count,
        total_is_capped: found.total_is_capped,
    }))
}

/// Reads an account
#[utoipa::path(get, path = "/api/admin/users/{id}", operation_id = "adminUser", tag = "users (operators)",
    params(("id" = Uuid, Path)), responses((status = 200, body = AdminUser)))]
async fn admin_user(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<AdminUser>> {
    Ok(Json(queries::details(&app, id).await?))
}

/// The organizations of a user
#[utoipa::path(get, path = "/api/admin/users/{id}/organization", operation_id = "adminUserOrganizations",
    tag = "users (operators)", params(("id" = Uuid, Path)), responses((status = 200, body = Items<UserOrganization>)))]
async fn user_organizations(
    State(app): State<App>,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<UserOrganization>>> {
    Ok(Json(Items { items: queries::details(&app, id).await?.row.organizations }))
}

/// Creates a user of an organization
#[utoipa::path(post, path = "/api/admin/users", operation_id = "createAdminUser", tag = "users (operators)",
    request_body = AdminUserForm,
    responses((status = 201, body = AdminUser), (status = 409, description = "The plan has no room, or no e-mail can be sent")))]
async fn create_admin_user(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<AdminUserForm>,
) -> Result<Created<AdminUser>> {
    let id = queries::create(&app, &caller, form).await?;
    Ok(Created(format!("/api/admin/users/{id}"), queries::details(&app, id).await?))
}

/// Creates an operator, who chooses a password by e-mail
#[utoipa::path(post, path = "/api/admin/sysadmin", operation_id = "createSysAdmin", tag = "users (operators)",
    request_body = SysAdminForm,
    responses((status = 201, body = AdminUser), (status = 409, description = "No e-mail can be sent")))]
async fn create_sysadmin(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<SysAdminForm>,
) -> Result<Created<AdminUser>> {
    let id = queries::create_operator(&app, &caller, form).await?;
    Ok(Created(format!("/api/admin/users/{id}"), queries::details(&app, id).await?))
}

/// Changes an account. A new user name of an invited user sends a new invitation; a new role ends all sessions
#[utoipa::path(put, path = "/api/admin/users/{id}", operation_id = "updateAdminUser", tag = "users (operators)",
    params(("id" = Uuid, Path)), request_body = AdminUserUpdate,
    responses((status = 200, body = AdminUser), (status = 409, description = "Changed by somebody else, or the last system administrator")))]
async fn update_admin_user(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<AdminUserUpdate>,
) -> Result<Json<AdminUser>> {
    queries::update(&app, &caller, id, form).await?;
    Ok(Json(queries::details(&app, id).await?))
}

/// Deletes an account with its memberships and credentials, and frees its user name
#[utoipa::path(delete, path = "/api/admin/users/{id}", operation_id = "deleteAdminUser", tag = "users (operators)",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "The caller's own account, or the last system administrator")))]
async fn delete_admin_user(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    deletion::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub struct SysAdminEnable {
    pub enable: bool,
}

/// Enables or disables an operator. Disabling ends all sessions and links
#[utoipa::path(put, path = "/api/admin/sysadmin/{id}", operation_id = "enableSysAdmin", tag = "users (operators)",
    params(("id" = Uuid, Path)), request_body = SysAdminEnable,
    responses((status = 204), (status = 409, description = "The caller's own account, or the last system administrator")))]
async fn enable_sysadmin(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<SysAdminEnable>,
) -> Result<StatusCode> {
    access::set_enabled(&app, &caller, id, body.enable, RoleType::System).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub struct AdminUserEnable {
    pub id: Uuid,
    pub enable: bool,
}

/// Enables or disables a user in all organizations. Disabling ends all sessions and links
#[utoipa::path(post, path = "/api/admin/users/enable", operation_id = "enableAdminUser", tag = "users (operators)",
    request_body = AdminUserEnable, responses((status = 204)))]
async fn enable_admin_user(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<AdminUserEnable>,
) -> Result<StatusCode> {
    access::set_enabled(&app, &caller, body.id, body.enable, RoleType::Organization).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the open sessions of a user
#[utoipa::path(get, path = "/api/admin/users/{id}/sessions", operation_id = "userSessions", tag = "users (operators)",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<UserSession>)))]
async fn user_sessions(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Items<UserSession>>> {
    Ok(Json(Items { items: access::sessions(&app, id).await? }))
}

/// Ends all sessions of a user
#[utoipa::path(delete, path = "/api/admin/users/{id}/sessions", operation_id = "endUserSessions",
    tag = "users (operators)", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn end_user_sessions(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    access::end_sessions(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes the second factors of a user and ends all sessions
#[utoipa::path(post, path = "/api/admin/users/{id}/2fa/disable", operation_id = "disableTwoFactor",
    tag = "users (operators)", params(("id" = Uuid, Path), ResetParams),
    responses((status = 204), (status = 409, description = "Oneself")))]
async fn disable_two_factor(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Params(params): Params<ResetParams>,
) -> Result<StatusCode> {
    queries::find(app.store.db(), id).await?;
    second_factor::reset(&app, &caller, id, params.identity_proof).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a user to the customer-messaging service
#[utoipa::path(post, path = "/api/admin/users/{id}/sync", operation_id = "syncUser", tag = "users (operators)",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "No service is configured")))]
async fn sync_user(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::sync(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds a user to an organization
#[utoipa::path(post, path = "/api/admin/organizations/{organizationId}/users", operation_id = "addUserToOrganization",
    tag = "users (operators)", params(("organizationId" = Uuid, Path)), request_body = UserOrganizationAssignment,
    responses((status = 200, body = UserOrganization), (status = 409, description = "Already assigned, or no room in the plan")))]
async fn add_to_organization(
    State(app): State<App>,
    caller: Caller,
    Id(organization_id): Id<Uuid>,
    Body(body): Body<UserOrganizationAssignment>,
) -> Result<Json<UserOrganization>> {
    if body.organization_id != organization_id {
        return Err(Error::field("organizationId", rules::OTHER_ORGANIZATION));
    }
    Ok(Json(assignments::add(&app, &caller, body).await?))
}

/// Saves the role and details of a user in an organization. Another role ends their sessions there
#[utoipa::path(put, path = "/api/admin/organizations/{organizationId}/users/{userId}",
    operation_id = "saveUserOrganization", tag = "users (operators)",
    params(("organizationId" = Uuid, Path), ("userId" = Uuid, Path)), request_body = UserOrganizationForm,
    responses((status = 200, body = UserOrganization), (status = 409, description = "The last administrator")))]
async fn save_user_organization(
    State(app): State<App>,
    caller: Caller,
    Id(ids): Id<(Uuid, Uuid)>,
    Body(form): Body<UserOrganizationForm>,
) -> Result<Json<UserOrganization>> {
    Ok(Json(assignments::change(&app, &caller, ids, form).await?))
}

/// Removes a user from an organization
#[utoipa::path(delete, path = "/api/admin/organizations/{organizationId}/users/{userId}",
    operation_id = "removeUserFromOrganization", tag = "users (operators)",
    params(("organizationId" = Uuid, Path), ("userId" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "The last administrator")))]
async fn remove_from_organization(
    State(app): State<App>,
    caller: Caller,
    Id((organization_id, user_id)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    assignments::remove(&app, &caller, user_id, organization_id).await.map_err(assignments::of_the_path)?;
    Ok(StatusCode::NO_CONTENT)
}
