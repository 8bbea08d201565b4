//! `/api/organizations`

use super::{
    mail, queries,
    rules::{self, SubDomain},
    search::NameSearch,
    types::{
        ActivationRequest, AssignableQuery, EnableRequest, Organization, OrganizationAnswer,
        OrganizationForm, OrganizationQuery, OrganizationRow, SortDirection, SubDomainExists,
        SubDomainExistsQuery, SubDomainValid, SubDomainValidQuery,
    },
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    fields::DEFAULT_FIELD_ERROR,
    http::{Body, Id, Items, Page, Paged, Params},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(list_organizations, create_organization))
        .route(SYSADMINS, routes!(organization, update_organization, delete_organization))
        .route(SYSADMINS, routes!(clear_cancellation))
        .route(SYSADMINS, routes!(activate_organization))
        .route(SYSADMINS, routes!(enable_organization))
        .route(SYSADMINS, routes!(sync_organization))
        .route(SYSADMINS, routes!(capture_organization_api))
        .route(SYSADMINS, routes!(sub_domain_exists))
        .route(SYSADMINS, routes!(sub_domain_is_valid))
}

/// Page sizes of the list.
const PAGE_SIZES: [u64; 5] = [10, 20, 25, 50, 100];

/// Lists organizations by name
#[utoipa::path(get, path = "/api/organizations", operation_id = "listOrganizations", tag = "organizations",
    params(OrganizationQuery), responses((status = 200, body = Paged<OrganizationRow>)))]
async fn list_organizations(
    State(app): State<App>,
    Params(query): Params<OrganizationQuery>,
) -> Result<Json<Paged<OrganizationRow>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    if !PAGE_SIZES.contains(&page.size) {
        return Err(Error::BadRequest("The page size must be 10, 20, 25, 50 or 100.".into()));
    }
    let filter = queries::Filter {
        search: NameSearch::new(query.search.as_deref().unwrap_or_default()),
        cancelling: query.cancelling.unwrap_or(false),
    };
    let descending = query.sort_dir.unwrap_or_default() == SortDirection::Desc;
    Ok(Json(queries::list(&app, filter, descending, page).await?))
}

/// Reads an organization; for a user's id, the organizations to which the user is not yet assigned
#[utoipa::path(get, path = "/api/organizations/{id}", operation_id = "organization", tag = "organizations",
    params(("id" = Uuid, Path), AssignableQuery), responses((status = 200, body = OrganizationAnswer)))]
async fn organization(
    State(app): State<App>,
    Id(id): Id<Uuid>,
    Params(query): Params<AssignableQuery>,
) -> Result<Json<OrganizationAnswer>> {
    if let Some(found) = queries::find(app.store.db(), id).await? {
        return Ok(Json(OrganizationAnswer::Organization(Box::new(found))));
    }
    let search = query.search.as_deref().unwrap_or_default();
    let items = queries::assignable(app.store.db(), id, search).await?.ok_or(Error::NotFound)?;
    Ok(Json(OrganizationAnswer::Assignable(Items { items })))
}

/// Creates an organization with its data key
#[utoipa::path(post, path = "/api/organizations", operation_id = "createOrganization", tag = "organizations",
    request_body = OrganizationForm, responses((status = 201, body = Organization)))]
async fn create_organization(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<OrganizationForm>,
) -> Result<impl IntoResponse> {
    let created = queries::create(&app, &caller, form).await?;
    let location = AppendHeaders([(header::LOCATION, format!("/api/organizations/{}", created.id))]);
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// Saves an organization
#[utoipa::path(put, path = "/api/organizations/{id}", operation_id = "updateOrganization", tag = "organizations",
    params(("id" = Uuid, Path)), request_body = OrganizationForm,
    responses((status = 200, body = Organization), (status = 409, description = "Changed by somebody else")))]
async fn update_organization(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<OrganizationForm>,
) -> Result<Json<Organization>> {
    Ok(Json(queries::update(&app, &caller, id, form).await?))
}

/// Deletes an organization: its users are signed out and its domain is closed
#[utoipa::path(delete, path = "/api/organizations/{id}", operation_id = "deleteOrganization", tag = "organizations",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_organization(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::delete(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Clears a pending cancellation
#[utoipa::path(post, path = "/api/organizations/{id}/clearcancel", operation_id = "clearCancellation",
    tag = "organizations", params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "No cancellation is pending")))]
async fn clear_cancellation(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::clear_cancellation(&app, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Activates or deactivates an organization
#[utoipa::path(put, path = "/api/organizations/{id}/activate", operation_id = "activateOrganization",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = ActivationRequest,
    responses((status = 204)))]
async fn activate_organization(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<ActivationRequest>,
) -> Result<StatusCode> {
    if body.id.is_some_and(|given| given != id) {
        return Err(Error::field("id", DEFAULT_FIELD_ERROR));
    }
    let told = body.activated && body.send_email;
    if told && !email::is_available(&app) {
        return Err(Error::field("sendEmail", rules::NO_ACTIVATION_MAIL));
    }
    let mails = if told { mail::activated(&app, id).await? } else { Vec::new() };
    if told && mails.is_empty() {
        return Err(Error::field("sendEmail", rules::NO_ADMINISTRATOR));
    }
    queries::activate(&app, &caller, id, body.activated, body.seed_records, mails).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Allows the users of an organization to sign in, or signs them out and refuses new sign-ins
#[utoipa::path(put, path = "/api/organizations/{id}/enable", operation_id = "enableOrganization",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = EnableRequest,
    responses((status = 204)))]
async fn enable_organization(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<EnableRequest>,
) -> Result<StatusCode> {
    queries::enable(&app, &caller, id, body.enable).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends an organization to the customer-messaging service
#[utoipa::path(post, path = "/api/organizations/{id}/sync", operation_id = "syncOrganization",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 202)))]
async fn sync_organization(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    queries::sync(&app, &caller, id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Starts or stops the capture of an organization's API calls
#[utoipa::path(put, path = "/api/organizations/{id}/apicapture", operation_id = "captureOrganizationApi",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = EnableRequest,
    responses((status = 204), (status = 409, description = "This installation does not offer API capture")))]
async fn capture_organization_api(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<EnableRequest>,
) -> Result<StatusCode> {
    queries::capture_api(&app, &caller, id, body.enable).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether another organization has the subdomain
#[utoipa::path(get, path = "/api/organizations/subdomain/exists", operation_id = "subDomainExists",
    tag = "organizations", params(SubDomainExistsQuery), responses((status = 200, body = SubDomainExists)))]
async fn sub_domain_exists(
    State(app): State<App>,
    Params(query): Params<SubDomainExistsQuery>,
) -> Result<Json<SubDomainExists>> {
    let sub_domain = rules::sub_domain(&query.sub_domain);
    let exists = SubDomain::new(&sub_domain).is_ok()
        && queries::is_taken(app.store.db(), &sub_domain, query.id).await?;
    Ok(Json(SubDomainExists { exists }))
}

/// Whether an organization may have the subdomain
#[utoipa::path(get, path = "/api/organizations/subdomain/isvalid", operation_id = "subDomainIsValid",
    tag = "organizations", params(SubDomainValidQuery), responses((status = 200, body = SubDomainValid)))]
async fn sub_domain_is_valid(
    State(app): State<App>,
    Params(query): Params<SubDomainValidQuery>,
) -> Result<Json<SubDomainValid>> {
    let sub_domain = rules::sub_domain(&query.sub_domain);
    let is_valid = SubDomain::new(&sub_domain).is_ok()
        && queries::is_free(app.store.db(), &sub_domain, query.organization_id).await?;
    let message = (!is_valid).then_some(rules::SUB_DOMAIN_REFUSED);
    Ok(Json(SubDomainValid { is_valid, message }))
}
