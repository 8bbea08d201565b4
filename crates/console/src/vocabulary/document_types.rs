//! `/api/admin/documenttypes`: the document types that all organizations share, with their LOINC codes.

use super::lists::{EntryName, ListQuery};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::LoincCode,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, Condition, EntityTrait, Order, QueryFilter, Select};
use serde::{Deserialize, Serialize};
use store::entities::document_type::{ActiveModel, Column, Entity, Model};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// `document_type.source` of the shared types.
const SYSTEM: &str = "System";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(system_document_types, create_document_type))
        .route(SYSADMINS, routes!(system_document_type, update_document_type, delete_document_type))
}

pub(crate) struct DocumentTypeRecord;

impl Record for DocumentTypeRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "documenttype";
    const NOUN: &'static str = "this document type";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name, Column::Code];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

#[derive(Serialize, ToSchema)]
pub struct SystemDocumentType {
    pub id: Uuid,
    pub name: String,
    /// LOINC code, or empty.
    pub code: String,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for SystemDocumentType {
    fn from(Model { id, name, code, version, .. }: Model) -> Self {
        Self { id, name, code, version }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct DocumentTypeForm {
    pub name: EntryName,
    #[serde(default)]
    pub code: LoincCode,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

fn all() -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.is_null())
}

fn one(id: Uuid) -> Select<Entity> {
    all().filter(Column::Id.eq(id))
}

/// The document types that all organizations share, by name
#[utoipa::path(get, path = "/api/admin/documenttypes", operation_id = "systemDocumentTypes", tag = "lists",
    params(ListQuery), responses((status = 200, body = Paged<SystemDocumentType>)))]
async fn system_document_types(
    State(app): State<App>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Paged<SystemDocumentType>>> {
    let code = Condition::all().add(Column::Code.ne("")).add(Column::Code.eq(query.words()));
    let found = Condition::any().add(holds_words(Column::NameKey, query.words())).add(code);
    let order = [(Column::NameKey, Order::Asc)];
    let page = sql::page(app.store.db(), all().filter(found), &order, query.page()?).await?;
    Ok(Json(page.map(Into::into)))
}

/// Adds a document type
#[utoipa::path(post, path = "/api/admin/documenttypes", operation_id = "createDocumentType", tag = "lists",
    request_body = DocumentTypeForm, responses((status = 201, body = SystemDocumentType)))]
async fn create_document_type(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<DocumentTypeForm>,
) -> Result<Created<SystemDocumentType>> {
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(None),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        code: Set(form.code.into()),
        source: Set(SYSTEM.into()),
        version: Set(1),
    };
    let created = records::create::<DocumentTypeRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/documenttypes/{}", created.id), created.into()))
}

/// Reads a document type
#[utoipa::path(get, path = "/api/admin/documenttypes/{id}", operation_id = "systemDocumentType", tag = "lists",
    params(("id" = Uuid, Path)), responses((status = 200, body = SystemDocumentType)))]
async fn system_document_type(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<SystemDocumentType>> {
    Ok(Json(one(id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Changes a document type; documents keep the name under which they were filed
#[utoipa::path(put, path = "/api/admin/documenttypes/{id}", operation_id = "updateDocumentType", tag = "lists",
    params(("id" = Uuid, Path)), request_body = DocumentTypeForm,
    responses((status = 200, body = SystemDocumentType), (status = 409, description = "Changed by somebody else")))]
async fn update_document_type(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<DocumentTypeForm>,
) -> Result<Json<SystemDocumentType>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<DocumentTypeRecord>(&app, &actor, one(id), form.version).await?;
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    edit.row.code = Set(form.code.into());
    Ok(Json(edit.save().await?.into()))
}

/// Removes a document type; documents keep the name under which they were filed
#[utoipa::path(delete, path = "/api/admin/documenttypes/{id}", operation_id = "deleteDocumentType", tag = "lists",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_document_type(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    records::lock::<DocumentTypeRecord>(&app, &Actor::platform(&caller), one(id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
