//! `/api/users`, `/api/admin/users/organizations`

use super::{
    activity, assignments, intake_rules, queries, rules, signing, sources,
    types::{
        ActivityByTypeQuery, ActivityQuery, DocumentSourceLink, EnableQuery, FindUserQuery, FoundUserName,
        IntakeRuleLink, User, UserDocumentSource, UserEvent, UserForm, UserOrganization,
        UserOrganizationAssignment, UserOrganizationRemoval, UserPage, UserQuery, UserRequest, UserRule,
        UserSignature,
    },
};
use crate::{
    reference_items::{NamedItem, kind, named_items},
    user_name,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use platform::{
    App, Caller, Error, Member, Result,
    access::{ADMINS, MANAGERS, MEMBERS, SYSADMINS},
    api::Api,
    audit::event,
    fields::DEFAULT_FIELD_ERROR,
    http::{Body, DayOrMoment, Id, Items, Page, Paged, Params},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(ADMINS, routes!(list_users, create_user))
        .route(MEMBERS, routes!(user))
        .route(ADMINS, routes!(update_user, remove_user))
        .route(MANAGERS, routes!(find_user_name))
        .route(MANAGERS, routes!(job_functions))
        .route(ADMINS, routes!(enable_user))
        .route(MEMBERS, routes!(user_rules))
        .route(ADMINS, routes!(save_intake_rules))
        .route(MEMBERS, routes!(user_requests))
        .route(MEMBERS, routes!(user_events))
        .route(MEMBERS, routes!(user_events_by_type))
        .route(MEMBERS, routes!(user_signatures))
        .route(MEMBERS, routes!(remove_application))
        .route(MEMBERS, routes!(user_document_sources))
        .route(ADMINS, routes!(save_document_sources))
        .route(SYSADMINS, routes!(assign_organization, unassign_organization))
}

/// Lists the members of the organization
#[utoipa::path(get, path = "/api/users", operation_id = "listUsers", tag = "users",
    params(UserQuery, ("size" = Option<u32>, Query, description = "As `pageSize`.")), responses((status = 200, body = UserPage)))]
async fn list_users(
    State(app): State<App>,
    member: Member,
    Params(query): Params<UserQuery>,
) -> Result<Json<UserPage>> {
    let page = Page::new(query.page, query.page_size, 10, 100)?;
    let filter = queries::Filter {
        words: rules::words(query.search.as_deref().unwrap_or_default()),
        role: query.role_name,
        status: query.status,
    };
    let sort = rules::Sort::parse(query.sort.as_deref())?;
    Ok(Json(queries::list(&app, &member, &filter, sort, page).await?))
}

/// Reads a member of the organization: any for administrators, only themselves for others
#[utoipa::path(get, path = "/api/users/{id}", operation_id = "user", tag = "users",
    params(("id" = Uuid, Path)), responses((status = 200, body = User)))]
async fn user(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<User>> {
    let found = queries::person(&app, &member, id).await?;
    Ok(Json(queries::details(app.store.db(), &app, member.organization_id, found).await?))
}

/// Adds a member to the organization and sends the invitation
#[utoipa::path(post, path = "/api/users", operation_id = "createUser", tag = "users", request_body = UserForm,
    responses((status = 201, body = User), (status = 409, description = "The plan has no room, or no e-mail can be sent")))]
async fn create_user(
    State(app): State<App>,
    member: Member,
    Body(form): Body<UserForm>,
) -> Result<impl IntoResponse> {
    let created = queries::create(&app, &member, form).await?;
    let location = AppendHeaders([(header::LOCATION, format!("/api/users/{}", created.row.id))]);
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// Saves a member of the organization
#[utoipa::path(put, path = "/api/users/{id}", operation_id = "updateUser", tag = "users",
    params(("id" = Uuid, Path)), request_body = UserForm,
    responses((status = 200, body = User), (status = 409, description = "Changed by somebody else, or the last administrator of the organization")))]
async fn update_user(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<UserForm>,
) -> Result<Json<User>> {
    Ok(Json(queries::update(&app, &member, id, form).await?))
}

/// Removes a member from the organization
///
/// Without other roles in this installation, the account is deleted too, so that the user name can be used again.
/// Records of the user's acts stay.
#[utoipa::path(delete, path = "/api/users/{id}", operation_id = "removeUser", tag = "users",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "The caller's own account, or the last administrator of the organization")))]
async fn remove_user(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::remove(&app, &member, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether a user name is taken
#[utoipa::path(post, path = "/api/users/find", operation_id = "findUserName", tag = "users",
    params(FindUserQuery), responses((status = 200, body = FoundUserName)))]
async fn find_user_name(
    State(app): State<App>,
    Params(query): Params<FindUserQuery>,
) -> Result<Json<FoundUserName>> {
    let name = query.username.trim();
    let is_valid = user_name::is_valid(name);
    let exists = is_valid && user_name::is_taken(app.store.db(), name).await?;
    Ok(Json(FoundUserName { is_valid, exists }))
}

/// The job functions to choose from
#[utoipa::path(get, path = "/api/users/jobs", operation_id = "userJobs", tag = "users",
    responses((status = 200, body = Items<NamedItem>)))]
async fn job_functions(State(app): State<App>) -> Result<Json<Items<NamedItem>>> {
    named_items(&app, kind::JOB_FUNCTION).await
}

/// Enables or disables a member in the organization; disabling ends all their sessions there
#[utoipa::path(post, path = "/api/users/{id}/enable", operation_id = "enableUser", tag = "users",
    params(("id" = Uuid, Path), EnableQuery),
    responses((status = 204), (status = 409, description = "The caller's own account, the last administrator, or no room in the plan")))]
async fn enable_user(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<EnableQuery>,
) -> Result<StatusCode> {
    queries::enable(&app, &member, id, query.enable).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The intake rules that assign to a user, in the order of the rules
#[utoipa::path(get, path = "/api/users/{id}/rules", operation_id = "userRules", tag = "users",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<UserRule>)))]
async fn user_rules(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<UserRule>>> {
    queries::person(&app, &member, id).await?;
    Ok(Json(Items { items: intake_rules::list(app.store.db(), &member, id).await? }))
}

/// Sets the intake rules of the organization that assign to a user
#[utoipa::path(put, path = "/api/users/{id}/intakerules", operation_id = "saveUserIntakeRules", tag = "users",
    params(("id" = Uuid, Path)), request_body = Vec<IntakeRuleLink>,
    responses((status = 200, body = Items<UserRule>)))]
async fn save_intake_rules(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(links): Body<Vec<IntakeRuleLink>>,
) -> Result<Json<Items<UserRule>>> {
    queries::person(&app, &member, id).await?;
    Ok(Json(Items { items: intake_rules::save(&app, &member, id, &links).await? }))
}

/// A user's requests to colleagues: signatures, newest first
#[utoipa::path(get, path = "/api/users/{id}/requests", operation_id = "userRequests", tag = "users",
    params(("id" = Uuid, Path), ActivityQuery), responses((status = 200, body = Paged<UserRequest>)))]
async fn user_requests(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<ActivityQuery>,
) -> Result<Json<Paged<UserRequest>>> {
    let page = query.page()?;
    queries::person(&app, &member, id).await?;
    Ok(Json(signing::requested(&app, &member, id, page).await?))
}

/// A user's acts in the organization, newest first
#[utoipa::path(get, path = "/api/users/{id}/events", operation_id = "userEvents", tag = "users",
    params(("id" = Uuid, Path), ActivityQuery), responses((status = 200, body = Paged<UserEvent>)))]
async fn user_events(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<ActivityQuery>,
) -> Result<Json<Paged<UserEvent>>> {
    let page = query.page()?;
    queries::person(&app, &member, id).await?;
    Ok(Json(activity::events(&app, &member, id, activity::Filter::default(), page).await?))
}

/// A user's acts in the organization of given types, newest first
#[utoipa::path(get, path = "/api/users/{id}/events/type", operation_id = "userEventsByType", tag = "users",
    params(("id" = Uuid, Path), ActivityByTypeQuery), responses((status = 200, body = Paged<UserEvent>)))]
async fn user_events_by_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<ActivityByTypeQuery>,
) -> Result<Json<Paged<UserEvent>>> {
    let page = Page::new(query.page_start, query.page_size, 30, 100)?;
    queries::person(&app, &member, id).await?;
    let types = query.event_types.unwrap_or_default();
    let types: Vec<String> =
        types.split(',').map(str::trim).filter(|t| !t.is_empty()).map(Into::into).collect();
    if types.iter().any(|t| !event::ALL.contains(&t.as_str())) {
        return Err(Error::field("eventTypes", DEFAULT_FIELD_ERROR));
    }
    let filter = activity::Filter {
        types,
        start: query.start.map(|start| start.begin()),
        end: query.end.and_then(DayOrMoment::behind),
    };
    Ok(Json(activity::events(&app, &member, id, filter, page).await?))
}

/// A user's signatures, newest first
#[utoipa::path(get, path = "/api/users/{id}/events/signatures", operation_id = "userSignatures", tag = "users",
    params(("id" = Uuid, Path), ActivityQuery), responses((status = 200, body = Paged<UserSignature>)))]
async fn user_signatures(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<ActivityQuery>,
) -> Result<Json<Paged<UserSignature>>> {
    let page = query.page()?;
    queries::person(&app, &member, id).await?;
    Ok(Json(signing::signed(&app, &member, id, page).await?))
}

/// Removes an application from a user's account, such as their sign-in provider
///
/// Its sessions end. The next sign-in there links the account again, to whoever has its address then.
#[utoipa::path(delete, path = "/api/users/{id}/applications/{appId}", operation_id = "removeUserApplication",
    tag = "users", params(("id" = Uuid, Path), ("appId" = Uuid, Path)),
    responses((status = 204), (status = 404, description = "There is no such application")))]
async fn remove_application(
    State(app): State<App>,
    member: Member,
    Id((id, application)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    queries::person(&app, &member, id).await?;
    crate::single_sign_on::revoke(&app, &member, id, application).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The addresses and numbers from which a user may send; administrators also see the organization's others
#[utoipa::path(get, path = "/api/users/{id}/documentsources", operation_id = "userDocumentSources", tag = "users",
    params(("id" = Uuid, Path)), responses((status = 200, body = Items<UserDocumentSource>)))]
async fn user_document_sources(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<Items<UserDocumentSource>>> {
    queries::person(&app, &member, id).await?;
    Ok(Json(Items { items: sources::list(app.store.db(), &member, id).await? }))
}

/// Sets the addresses and numbers from which a user may send
#[utoipa::path(put, path = "/api/users/{id}/documentsources", operation_id = "saveUserDocumentSources", tag = "users",
    params(("id" = Uuid, Path)), request_body = Vec<DocumentSourceLink>,
    responses((status = 200, body = Items<UserDocumentSource>)))]
async fn save_document_sources(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(links): Body<Vec<DocumentSourceLink>>,
) -> Result<Json<Items<UserDocumentSource>>> {
    queries::person(&app, &member, id).await?;
    Ok(Json(Items { items: sources::save(&app, &member, id, &links).await? }))
}

/// Adds a user to an organization
#[utoipa::path(post, path = "/api/admin/users/organizations", operation_id = "assignUserOrganization", tag = "users",
    request_body = UserOrganizationAssignment,
    responses((status = 200, body = UserOrganization), (status = 409, description = "Already assigned, or no room in the plan")))]
async fn assign_organization(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<UserOrganizationAssignment>,
) -> Result<Json<UserOrganization>> {
    Ok(Json(assignments::add(&app, &caller, body).await?))
}

/// Removes a user from an organization
#[utoipa::path(put, path = "/api/admin/users/organizations", operation_id = "unassignUserOrganization", tag = "users",
    request_body = UserOrganizationRemoval,
    responses((status = 204), (status = 409, description = "The last administrator")))]
async fn unassign_organization(
    State(app): State<App>,
    caller: Caller,
    Body(body): Body<UserOrganizationRemoval>,
) -> Result<StatusCode> {
    assignments::remove(&app, &caller, body.user_id, body.organization_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
