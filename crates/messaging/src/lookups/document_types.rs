//! `/api/settings/documenttypes`: an organization's own document types, besides those of the system, which are listed
//! and read-only.

use crate::vocabulary::own_or_system;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{LoincCode, Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, Select, SelectExt,
};
use serde::{Deserialize, Serialize};
use store::entities::document_type::{ActiveModel, Column, Entity, Model};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

/// `document_type.source` of an organization's own type.
const OWN: &str = "Organization";

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(own_document_types, create_own_document_type))
        .route(ADMINS, routes!(own_document_type, update_own_document_type, delete_own_document_type))
}

platform::text! {
    /// Name of an organization's document type.
    pub OwnDocumentTypeName = Rule::line(2, 100).says("Please enter a name of 2 to 100 characters.");
}

struct OwnDocumentTypes;

impl Record for OwnDocumentTypes {
    type Entity = Entity;
    const OBJECT: &'static str = "documenttype";
    const NOUN: &'static str = "this document type";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Name, Column::Code];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

/// A document type available in an organization.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnDocumentType {
    pub id: Uuid,
    pub name: String,
    /// LOINC code, or empty.
    pub code: String,
    /// Available in every organization, and read-only.
    pub is_system: bool,
    /// To be sent back when saving.
    pub version: i32,
}

impl From<Model> for OwnDocumentType {
    fn from(Model { id, name, code, organization_id, version, .. }: Model) -> Self {
        Self { id, name, code, is_system: organization_id.is_none(), version }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct OwnDocumentTypeForm {
    pub name: OwnDocumentTypeName,
    #[serde(default)]
    pub code: LoincCode,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl OwnDocumentTypeForm {
    /// Two types with the same name could not be distinguished in a list.
    async fn check(&self, db: &impl ConnectionTrait) -> Result<()> {
        let same = Entity::find()
            .filter(Column::OrganizationId.is_null())
            .filter(Column::NameKey.eq(sql::key(&self.name)));
        let (field, text) = OwnDocumentTypes::TAKEN;
        if same.exists(db).await? { Err(Error::field(field, text)) } else { Ok(()) }
    }

    fn write(self, row: &mut ActiveModel) {
        row.name_key = Set(sql::key(&self.name));
        row.name = Set(self.name.into());
        row.code = Set(self.code.into());
    }
}

/// Types of the organization itself: those of the system are not found for changes.
fn own(member: &Member, id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(member.organization_id)).filter(Column::Id.eq(id))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct DocumentTypeQuery {
    /// Words that occur in the name.
    #[param(inline)]
    search: Option<SearchWords>,
    page_number: Option<u64>,
    /// At most 100.
    page_size: Option<u64>,
}

/// The document types of the organization, followed by those of the system, each by name
#[utoipa::path(get, path = "/api/settings/documenttypes", operation_id = "ownDocumentTypes", tag = "lookups",
    params(DocumentTypeQuery), responses((status = 200, body = Paged<OwnDocumentType>)))]
async fn own_document_types(
    State(app): State<App>,
    member: Member,
    Params(query): Params<DocumentTypeQuery>,
) -> Result<Json<Paged<OwnDocumentType>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let rows = Entity::find()
        .filter(own_or_system(Column::OrganizationId, &member))
        .filter(holds_words(Column::NameKey, query.search.as_deref().unwrap_or_default()));
    // "Organization" sorts before "System".
    let own_first = [(Column::Source, Order::Asc), (Column::NameKey, Order::Asc), (Column::Id, Order::Asc)];
    Ok(Json(sql::page(app.store.db(), rows, &own_first, page).await?.map(Into::into)))
}

/// Adds a document type
#[utoipa::path(post, path = "/api/settings/documenttypes", operation_id = "createOwnDocumentType", tag = "lookups",
    request_body = OwnDocumentTypeForm, responses((status = 201, body = OwnDocumentType)))]
async fn create_own_document_type(
    State(app): State<App>,
    member: Member,
    Body(form): Body<OwnDocumentTypeForm>,
) -> Result<Created<OwnDocumentType>> {
    form.check(app.store.db()).await?;
    let mut row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(member.organization_id)),
        source: Set(OWN.into()),
        version: Set(1),
        ..Default::default()
    };
    form.write(&mut row);
    let created = records::create::<OwnDocumentTypes>(&app, &Actor::from(&member.caller), row).await?;
    Ok(Created(format!("/api/settings/documenttypes/{}", created.id), created.into()))
}

/// A document type of the organization
#[utoipa::path(get, path = "/api/settings/documenttypes/{id}", operation_id = "ownDocumentType", tag = "lookups",
    params(("id" = Uuid, Path)), responses((status = 200, body = OwnDocumentType)))]
async fn own_document_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<Json<OwnDocumentType>> {
    Ok(Json(own(&member, id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Changes a document type of the organization; filed documents keep the old name
#[utoipa::path(put, path = "/api/settings/documenttypes/{id}", operation_id = "updateOwnDocumentType", tag = "lookups",
    params(("id" = Uuid, Path)), request_body = OwnDocumentTypeForm,
    responses((status = 200, body = OwnDocumentType), (status = 409, description = "Changed by somebody else")))]
async fn update_own_document_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(form): Body<OwnDocumentTypeForm>,
) -> Result<Json<OwnDocumentType>> {
    let actor = Actor::from(&member.caller);
    let mut edit = records::edit::<OwnDocumentTypes>(&app, &actor, own(&member, id), form.version).await?;
    form.check(&edit.txn).await?;
    form.write(&mut edit.row);
    Ok(Json(edit.save().await?.into()))
}

/// Removes a document type of the organization; filed documents keep its name
#[utoipa::path(delete, path = "/api/settings/documenttypes/{id}", operation_id = "deleteOwnDocumentType", tag = "lookups",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_own_document_type(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    let actor = Actor::from(&member.caller);
    records::lock::<OwnDocumentTypes>(&app, &actor, own(&member, id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
