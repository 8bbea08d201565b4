//! `/api/admin/releasetypes`: the release types that all organizations share.

use super::lists::{EntryCode, EntryName, ListQuery};
use accounts::reference_items::kind::CLASSIFICATION;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::Line,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, Select, SelectExt,
};
use serde::{Deserialize, Serialize};
use store::entities::{
    message, reference_item,
    release_type::{ActiveModel, Column, Entity, Model, SendType},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const UNKNOWN_CLASSIFICATION: &str = "Please choose one of the classifications.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(system_release_types, create_release_type))
        .route(SYSADMINS, routes!(system_release_type, update_release_type, delete_release_type))
}

pub(crate) struct ReleaseTypeRecord;

impl Record for ReleaseTypeRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "releasetype";
    const NOUN: &'static str = "this release type";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const ORGANIZATION: Option<Column> = Some(Column::OrganizationId);
    const AUDITED: &'static [Column] = &[
        Column::Name,
        Column::SendType,
        Column::ClassificationCode,
        Column::Subject,
        Column::TrackFaxResponses,
        Column::IsRetired,
    ];
    const TAKEN: (&'static str, &'static str) = ("name", "This name is already in the list.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemReleaseType {
    pub id: Uuid,
    pub name: String,
    pub send_type: SendType,
    pub classification_code: Option<String>,
    /// Subject for messages whose sender entered none; if empty, the name.
    pub subject: String,
    /// Tracks responses to faxes.
    pub track_fax_responses: bool,
    /// No longer offered; messages that have it keep it.
    pub is_retired: bool,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for SystemReleaseType {
    fn from(row: Model) -> Self {
        Self {
            send_type: row.send_type,
            id: row.id,
            name: row.name,
            classification_code: row.classification_code,
            subject: row.subject.unwrap_or_default(),
            track_fax_responses: row.track_fax_responses,
            is_retired: row.is_retired,
            version: row.version,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseTypeForm {
    pub name: EntryName,
    #[serde(default)]
    pub send_type: SendType,
    /// A code of the list of classifications.
    pub classification_code: Option<EntryCode>,
    #[serde(default)]
    pub subject: Line,
    #[serde(default)]
    pub track_fax_responses: bool,
    #[serde(default)]
    pub is_retired: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl ReleaseTypeForm {
    /// Checks the chosen classification: an offered one, or the release type's present one.
    async fn classification(
        &self,
        db: &impl ConnectionTrait,
        before: Option<&str>,
    ) -> Result<Option<String>> {
        use reference_item::{Column, Entity};
        let Some(code) = self.classification_code.as_deref().filter(|code| !code.is_empty()) else {
            return Ok(None);
        };
        let offered = Entity::find()
            .filter(Column::Kind.eq(CLASSIFICATION))
            .filter(Column::Code.eq(code))
            .filter(Column::IsRetired.eq(false));
        if before != Some(code) && !offered.exists(db).await? {
            return Err(Error::field("classificationCode", UNKNOWN_CLASSIFICATION));
        }
        Ok(Some(code.to_owned()))
    }

    fn subject(&self) -> Option<String> {
        (!self.subject.is_empty()).then(|| self.subject.to_string())
    }
}

fn all() -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.is_null())
}

fn one(id: Uuid) -> Select<Entity> {
    all().filter(Column::Id.eq(id))
}

/// The release types that all organizations share, by name
#[utoipa::path(get, path = "/api/admin/releasetypes", operation_id = "systemReleaseTypes", tag = "lists",
    params(ListQuery), responses((status = 200, body = Paged<SystemReleaseType>)))]
async fn system_release_types(
    State(app): State<App>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Paged<SystemReleaseType>>> {
    let rows = all().filter(holds_words(Column::NameKey, query.words()));
    let found = sql::page(app.store.db(), rows, &[(Column::NameKey, Order::Asc)], query.page()?).await?;
    Ok(Json(found.map(Into::into)))
}

/// Adds a release type
#[utoipa::path(post, path = "/api/admin/releasetypes", operation_id = "createReleaseType", tag = "lists",
    request_body = ReleaseTypeForm, responses((status = 201, body = SystemReleaseType)))]
async fn create_release_type(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<ReleaseTypeForm>,
) -> Result<Created<SystemReleaseType>> {
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(None),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.to_string()),
        send_type: Set(form.send_type),
        origin_address_id: Set(None),
        destination_address: Set(None),
        classification_code: Set(form.classification(app.store.db(), None).await?),
        subject: Set(form.subject()),
        track_fax_responses: Set(form.track_fax_responses),
        is_retired: Set(form.is_retired),
        version: Set(1),
    };
    let created = records::create::<ReleaseTypeRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/releasetypes/{}", created.id), created.into()))
}

/// Reads a release type
#[utoipa::path(get, path = "/api/admin/releasetypes/{id}", operation_id = "systemReleaseType", tag = "lists",
    params(("id" = Uuid, Path)), responses((status = 200, body = SystemReleaseType)))]
async fn system_release_type(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<SystemReleaseType>> {
    Ok(Json(one(id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Changes or retires a release type
#[utoipa::path(put, path = "/api/admin/releasetypes/{id}", operation_id = "updateReleaseType", tag = "lists",
    params(("id" = Uuid, Path)), request_body = ReleaseTypeForm,
    responses((status = 200, body = SystemReleaseType), (status = 409, description = "Changed by somebody else")))]
async fn update_release_type(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<ReleaseTypeForm>,
) -> Result<Json<SystemReleaseType>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<ReleaseTypeRecord>(&app, &actor, one(id), form.version).await?;
    let before = edit.before.classification_code.as_deref();
    edit.row.classification_code = Set(form.classification(&edit.txn, before).await?);
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.to_string());
    edit.row.send_type = Set(form.send_type);
    edit.row.subject = Set(form.subject());
    edit.row.track_fax_responses = Set(form.track_fax_responses);
    edit.row.is_retired = Set(form.is_retired);
    Ok(Json(edit.save().await?.into()))
}

/// Removes a release type that no message has
#[utoipa::path(delete, path = "/api/admin/releasetypes/{id}", operation_id = "deleteReleaseType", tag = "lists",
    params(("id" = Uuid, Path)), responses((status = 204), (status = 409, description = "Messages have it")))]
async fn delete_release_type(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    // Without an index this count is slow, so it runs before anything is locked; messages keep the name as well.
    let messages = message::Entity::find().filter(message::Column::ReleaseTypeId.eq(id));
    records::refuse_in_use(sql::capped_count(app.store.db(), messages).await?, "message")?;
    records::lock::<ReleaseTypeRecord>(&app, &Actor::platform(&caller), one(id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
