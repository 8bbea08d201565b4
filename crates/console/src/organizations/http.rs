//! `/api/organizations`

use super::{
    mail, queries,
    rules::{self, ContactName, OrganizationName, Street, SubDomain},
    search::NameSearch,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    fields::DEFAULT_FIELD_ERROR,
    http::{Body, Id, Items, Page, Paged, Params},
    text::{EmailAddress, Line, Npi, PhoneNumber, RequiredLine, RequiredPostalCode, SearchWords},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
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

#[derive(Clone, Copy, Default, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortDirection {
    #[default]
    Asc,
    Desc,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OrganizationQuery {
    /// Only cancelled organizations and those with a pending cancellation.
    pub cancelling: Option<bool>,
    /// Beginning of the name.
    pub search: Option<SearchWords>,
    #[param(inline)]
    pub sort_dir: Option<SortDirection>,
    pub page_number: Option<u64>,
    /// 10, 20, 25, 50 or 100
    pub page_size: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationRow {
    pub id: Uuid,
    /// The id as text.
    pub org_id: String,
    pub name: String,
    pub network_name: Option<String>,
    pub sub_domain: String,
    pub reseller_name: Option<String>,
    pub tier_code: String,
    pub is_activated: bool,
    /// Whether its users can sign in.
    pub is_enabled: bool,
    pub login_type: String,
    pub api_capture: bool,
    pub is_pending_cancellation: bool,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum ActivationStatus {
    Activated,
    NotActivated,
}

/// Changes of an organization. Missing fields are empty; missing lists stay as they are.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationForm {
    pub name: OrganizationName,
    pub sub_domain: SubDomain,
    pub brand_id: Uuid,
    pub organization_type_id: Uuid,
    pub organization_specialty_id: Uuid,
    #[serde(default)]
    pub organization_npi: Npi,
    #[serde(default)]
    pub organization_emr: Line,
    /// Preferred name of its group; empty for none.
    #[serde(default)]
    pub preferred_group_name: Line,
    pub reseller_id: Option<Uuid>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub activation_status: ActivationStatus,
    pub street: Street,
    #[serde(default)]
    pub unit: Line,
    pub city: RequiredLine,
    pub state: RequiredLine,
    pub zip: RequiredPostalCode,
    #[serde(default)]
    pub primary_phone: PhoneNumber,
    #[serde(default)]
    pub primary_fax: PhoneNumber,
    pub hisp_provider_id: Uuid,
    pub primary_contact_first_name: ContactName,
    pub primary_contact_last_name: ContactName,
    pub primary_contact_email: EmailAddress,
    #[serde(default)]
    pub primary_contact_title: Line,
    #[serde(default)]
    pub primary_contact_npi: Npi,
    #[serde(default)]
    pub phone: PhoneNumber,
    pub network_db_id: Option<Uuid>,
    pub enabled_features: Option<Vec<String>>,
    pub allowed_purpose_of_use_codes: Option<Vec<String>>,
    /// The version that was read; not needed when creating.
    pub version: Option<i32>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
    pub brand_id: Uuid,
    pub organization_type_id: Option<Uuid>,
    pub organization_specialty_id: Option<Uuid>,
    pub organization_npi: String,
    pub organization_emr: String,
    pub preferred_group_name: String,
    pub reseller_id: Option<Uuid>,
    /// Null for the Free plan.
    pub plan_id: Option<Uuid>,
    pub number_of_users: u64,
    pub activation_status: ActivationStatus,
    pub street: String,
    pub unit: String,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub primary_phone: String,
    pub primary_fax: String,
    pub hisp_provider_id: Option<Uuid>,
    pub primary_contact_first_name: String,
    pub primary_contact_last_name: String,
    pub primary_contact_email: String,
    pub primary_contact_title: String,
    pub primary_contact_npi: String,
    pub phone: String,
    pub network_db_id: Option<Uuid>,
    pub enabled_features: Vec<String>,
    pub allowed_purpose_of_use_codes: Vec<String>,
    /// Whether its users can sign in.
    pub is_enabled: bool,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignableOrganization {
    pub id: Uuid,
    pub name: String,
    pub sub_domain: String,
}

/// An organization, or one to which a user can be assigned.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum OrganizationAnswer {
    Organization(Box<Organization>),
    Assignable(Items<AssignableOrganization>),
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AssignableQuery {
    /// Beginning of the name of an assignable organization; used with a user's id.
    pub search: Option<SearchWords>,
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

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivationRequest {
    /// If given, the same as in the path.
    pub id: Option<Uuid>,
    pub activated: bool,
    #[serde(default)]
    pub send_email: bool,
    /// Creates the default address for records.
    #[serde(default = "yes")]
    pub seed_records: bool,
}

fn yes() -> bool {
    true
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

#[derive(Deserialize, ToSchema)]
pub struct EnableRequest {
    pub enable: bool,
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

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SubDomainExistsQuery {
    /// The organization whose present subdomain is allowed.
    pub id: Option<Uuid>,
    #[serde(rename = "subdomain")]
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
pub struct SubDomainExists {
    pub exists: bool,
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

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SubDomainValidQuery {
    /// The organization whose present subdomain is allowed.
    pub organization_id: Option<Uuid>,
    #[serde(rename = "subdomain")]
    pub sub_domain: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubDomainValid {
    pub is_valid: bool,
    /// Error to show if it is not.
    pub message: Option<&'static str>,
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
