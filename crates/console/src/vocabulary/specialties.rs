//! `/api/admin/organizationspecialties`: the specialties of organizations.

use super::{
    items::{self, Entry},
    lists::EntryName,
};
use accounts::reference_items::kind::ORGANIZATION_SPECIALTY;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Result,
    access::SYSADMINS,
    api::Api,
    http::{Body, Created, Id, Page, Paged, Params},
    text::SearchWords,
};
use serde::{Deserialize, Serialize};
use store::entities::reference_item::Model;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(specialties, create_specialty))
        .route(SYSADMINS, routes!(specialty, update_specialty, delete_specialty))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationSpecialty {
    pub id: Uuid,
    pub name: String,
    /// No longer offered; organizations that have it keep it.
    pub is_retired: bool,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for OrganizationSpecialty {
    fn from(Model { id, name, is_retired, version, .. }: Model) -> Self {
        Self { id, name, is_retired, version }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationSpecialtyForm {
    pub name: EntryName,
    #[serde(default)]
    pub is_retired: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SpecialtyQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    /// Number of rows before the page.
    pub page_start: Option<u64>,
    /// At most 5,000.
    pub page_size: Option<u64>,
}

/// The specialties, by name
#[utoipa::path(get, path = "/api/admin/organizationspecialties", operation_id = "specialties", tag = "specialties",
    params(SpecialtyQuery), responses((status = 200, body = Paged<OrganizationSpecialty>)))]
async fn specialties(
    State(app): State<App>,
    Params(query): Params<SpecialtyQuery>,
) -> Result<Json<Paged<OrganizationSpecialty>>> {
    let page = Page::starting_at(query.page_start, query.page_size, 25, 5_000)?;
    let words = query.search.as_deref().unwrap_or_default();
    Ok(Json(items::page(&app, ORGANIZATION_SPECIALTY, words, page).await?.map(Into::into)))
}

/// Adds a specialty
#[utoipa::path(post, path = "/api/admin/organizationspecialties", operation_id = "createSpecialty",
    tag = "specialties", request_body = OrganizationSpecialtyForm,
    responses((status = 201, body = OrganizationSpecialty)))]
async fn create_specialty(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<OrganizationSpecialtyForm>,
) -> Result<Created<OrganizationSpecialty>> {
    let entry =
        Entry { name: form.name.into(), code: None, is_retired: form.is_retired, license_types: None };
    let created = items::create(&app, &caller, ORGANIZATION_SPECIALTY, entry).await?;
    Ok(Created(format!("/api/admin/organizationspecialties/{}", created.id), created.into()))
}

/// Reads a specialty
#[utoipa::path(get, path = "/api/admin/organizationspecialties/{id}", operation_id = "specialty",
    tag = "specialties", params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationSpecialty)))]
async fn specialty(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<OrganizationSpecialty>> {
    Ok(Json(items::read(&app, ORGANIZATION_SPECIALTY, id).await?.into()))
}

/// Renames or retires a specialty
#[utoipa::path(put, path = "/api/admin/organizationspecialties/{id}", operation_id = "updateSpecialty",
    tag = "specialties", params(("id" = Uuid, Path)), request_body = OrganizationSpecialtyForm,
    responses((status = 200, body = OrganizationSpecialty), (status = 409, description = "Changed by somebody else")))]
async fn update_specialty(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<OrganizationSpecialtyForm>,
) -> Result<Json<OrganizationSpecialty>> {
    // The taxonomy code stays the same.
    let entry =
        Entry { name: form.name.into(), code: None, is_retired: form.is_retired, license_types: None };
    let saved = items::update(&app, &caller, (ORGANIZATION_SPECIALTY, id), form.version, entry).await?;
    Ok(Json(saved.into()))
}

/// Removes a specialty that no organization has
#[utoipa::path(delete, path = "/api/admin/organizationspecialties/{id}", operation_id = "deleteSpecialty",
    tag = "specialties", params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations have it")))]
async fn delete_specialty(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    items::delete(&app, &caller, ORGANIZATION_SPECIALTY, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
