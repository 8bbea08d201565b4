//! `/api/admin/organizationspecialties`: what organizations can be specialized in.

use crate::lookups::kind::ORGANIZATION_SPECIALTY;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{Rule, SearchWords},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Order, QueryFilter, Select};
use serde::{Deserialize, Serialize};
use store::entities::{
    organization,
    reference_item::{ActiveModel, Column, Entity, Model},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Where a new item stands among the choices: behind those of the standard vocabulary, before "Other".
const POSITION: i32 = 500;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(specialties, create_specialty))
        .route(SYSADMINS, routes!(specialty, update_specialty, delete_specialty))
}

struct SpecialtyRecord;

impl Record for SpecialtyRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "referenceitem";
    const NOUN: &'static str = "this entry";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Kind, Column::Name];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is in the list already.");
}

platform::text! {
    /// What a specialty is called.
    pub SpecialtyName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
}

#[derive(Serialize, ToSchema)]
pub struct OrganizationSpecialty {
    pub id: Uuid,
    pub name: String,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<Model> for OrganizationSpecialty {
    fn from(Model { id, name, version, .. }: Model) -> Self {
        Self { id, name, version }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct OrganizationSpecialtyForm {
    pub name: SpecialtyName,
    /// The version that was read. Not asked for when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SpecialtyQuery {
    /// Each word stands somewhere in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    /// How many rows stand before the page.
    pub page_start: Option<u64>,
    /// At most 5,000.
    pub page_size: Option<u64>,
}

fn all() -> Select<Entity> {
    Entity::find().filter(Column::Kind.eq(ORGANIZATION_SPECIALTY))
}

fn one(id: Uuid) -> Select<Entity> {
    all().filter(Column::Id.eq(id))
}

/// The specialties, by name
#[utoipa::path(get, path = "/api/admin/organizationspecialties", operation_id = "specialties", tag = "specialties",
    params(SpecialtyQuery), responses((status = 200, body = Paged<OrganizationSpecialty>)))]
async fn specialties(
    State(app): State<App>,
    Params(query): Params<SpecialtyQuery>,
) -> Result<Json<Paged<OrganizationSpecialty>>> {
    let page = Page::starting_at(query.page_start, query.page_size, 25, 5_000)?;
    let rows = all().filter(holds_words(Column::NameKey, query.search.as_deref().unwrap_or_default()));
    let found = sql::page(app.store.db(), rows, &[(Column::NameKey, Order::Asc)], page).await?;
    Ok(Json(found.map(Into::into)))
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
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(ORGANIZATION_SPECIALTY.into()),
        code: Set(String::new()),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        position: Set(POSITION),
        version: Set(1),
    };
    let created = records::create::<SpecialtyRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/organizationspecialties/{}", created.id), created.into()))
}

/// Reads a specialty
#[utoipa::path(get, path = "/api/admin/organizationspecialties/{id}", operation_id = "specialty",
    tag = "specialties", params(("id" = Uuid, Path)), responses((status = 200, body = OrganizationSpecialty)))]
async fn specialty(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<OrganizationSpecialty>> {
    Ok(Json(one(id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Renames a specialty
#[utoipa::path(put, path = "/api/admin/organizationspecialties/{id}", operation_id = "updateSpecialty",
    tag = "specialties", params(("id" = Uuid, Path)), request_body = OrganizationSpecialtyForm,
    responses((status = 200, body = OrganizationSpecialty), (status = 409, description = "Changed by somebody else")))]
async fn update_specialty(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<OrganizationSpecialtyForm>,
) -> Result<Json<OrganizationSpecialty>> {
    let mut edit =
        records::edit::<SpecialtyRecord>(&app, &Actor::platform(&caller), one(id), form.version).await?;
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    Ok(Json(edit.save().await?.into()))
}

/// Removes a specialty that no organization has
#[utoipa::path(delete, path = "/api/admin/organizationspecialties/{id}", operation_id = "deleteSpecialty",
    tag = "specialties", params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations have it")))]
async fn delete_specialty(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let edit = records::lock::<SpecialtyRecord>(&app, &Actor::platform(&caller), one(id)).await?;
    let users = organization::Entity::find().filter(organization::Column::OrganizationSpecialtyId.eq(id));
    records::refuse_in_use(sql::capped_count(&edit.txn, users).await?, "organization")?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
