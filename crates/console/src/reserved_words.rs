//! `/api/reservedwords`: names that are not available as subdomains.

use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Data, Id, Page, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    text::{Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter,
    SelectExt,
};
use serde::{Deserialize, Serialize};
use store::entities::reserved_word::{self, Column, Entity, Model};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(reserved_words, create_reserved_word))
        .route(SYSADMINS, routes!(reserved_word_exists))
        .route(SYSADMINS, routes!(is_reserved_word))
        .route(SYSADMINS, routes!(reserved_word, update_reserved_word, delete_reserved_word))
}

pub(crate) struct WordRecord;

impl Record for WordRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "reservedword";
    const NOUN: &'static str = "this word";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name, Column::Profanity];
    const TAKEN: (&'static str, &'static str) = ("name", "This word is already reserved.");
}

platform::text! {
    /// A word that is valid in a subdomain.
    pub ReservedName = Rule::line(1, 63).pattern("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?")
        .says("Please enter a word of letters, digits and inner hyphens that is valid in a subdomain.");
}

#[derive(Serialize, ToSchema)]
pub struct ReservedWord {
    pub id: Uuid,
    pub name: String,
    /// Whether it is also refused as a part between hyphens.
    pub profanity: bool,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for ReservedWord {
    fn from(Model { id, name, profanity, version, .. }: Model) -> Self {
        Self { id, name, profanity, version }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct ReservedWordForm {
    pub name: ReservedName,
    #[serde(default)]
    pub profanity: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortDir {
    #[default]
    Asc,
    Desc,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ReservedWordQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    pub profanity: Option<bool>,
    #[serde(default)]
    #[param(inline, required = false)]
    pub sort_dir: SortDir,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The reserved words, by name
#[utoipa::path(get, path = "/api/reservedwords", operation_id = "reservedWords", tag = "reserved words",
    params(ReservedWordQuery), responses((status = 200, body = Paged<ReservedWord>)))]
async fn reserved_words(
    State(app): State<App>,
    Params(query): Params<ReservedWordQuery>,
) -> Result<Json<Paged<ReservedWord>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let mut rows =
        Entity::find().filter(holds_words(Column::NameKey, query.search.as_deref().unwrap_or_default()));
    if let Some(profanity) = query.profanity {
        rows = rows.filter(Column::Profanity.eq(profanity));
    }
    let order = match query.sort_dir {
        SortDir::Asc => Order::Asc,
        SortDir::Desc => Order::Desc,
    };
    let found = sql::page(app.store.db(), rows, &[(Column::NameKey, order)], page).await?;
    Ok(Json(found.map(Into::into)))
}

/// Reserves a word
#[utoipa::path(post, path = "/api/reservedwords", operation_id = "createReservedWord", tag = "reserved words",
    request_body = ReservedWordForm, responses((status = 201, body = ReservedWord)))]
async fn create_reserved_word(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<ReservedWordForm>,
) -> Result<Created<ReservedWord>> {
    let row = reserved_word::ActiveModel {
        id: Set(Uuid::now_v7()),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        profanity: Set(form.profanity),
        version: Set(1),
    };
    let created = records::create::<WordRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/reservedwords/{}", created.id), created.into()))
}

/// Reads a reserved word
#[utoipa::path(get, path = "/api/reservedwords/{id}", operation_id = "reservedWord", tag = "reserved words",
    params(("id" = Uuid, Path)), responses((status = 200, body = ReservedWord)))]
async fn reserved_word(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<ReservedWord>> {
    let found = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(found.into()))
}

/// Changes a reserved word
#[utoipa::path(put, path = "/api/reservedwords/{id}", operation_id = "updateReservedWord", tag = "reserved words",
    params(("id" = Uuid, Path)), request_body = ReservedWordForm,
    responses((status = 200, body = ReservedWord), (status = 409, description = "Changed by somebody else")))]
async fn update_reserved_word(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<ReservedWordForm>,
) -> Result<Json<ReservedWord>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<WordRecord>(&app, &actor, Entity::find_by_id(id), form.version).await?;
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    edit.row.profanity = Set(form.profanity);
    Ok(Json(edit.save().await?.into()))
}

/// Removes a reserved word
#[utoipa::path(delete, path = "/api/reservedwords/{id}", operation_id = "deleteReservedWord", tag = "reserved words",
    params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_reserved_word(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<StatusCode> {
    records::lock::<WordRecord>(&app, &Actor::platform(&caller), Entity::find_by_id(id))
        .await?
        .remove()
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WordQuery {
    /// Checks that no other reserved word has the name.
    pub id: Option<Uuid>,
    #[param(inline)]
    pub name: SearchWords,
}

/// Whether another reserved word has this name
#[utoipa::path(get, path = "/api/reservedwords/exists", operation_id = "reservedWordExists", tag = "reserved words",
    params(WordQuery), responses((status = 200, body = Data)))]
async fn reserved_word_exists(
    State(app): State<App>,
    Params(WordQuery { id, name }): Params<WordQuery>,
) -> Result<Json<Data>> {
    let mut others = Entity::find().filter(Column::NameKey.eq(sql::key(&name)));
    if let Some(id) = id {
        others = others.filter(Column::Id.ne(id));
    }
    Ok(Json(Data { data: Some(others.exists(app.store.db()).await?) }))
}

/// Whether this subdomain is reserved
#[utoipa::path(get, path = "/api/reservedwords/isreservedword", operation_id = "isReservedWord",
    tag = "reserved words", params(WordQuery), responses((status = 200, body = Data)))]
async fn is_reserved_word(
    State(app): State<App>,
    Params(WordQuery { name, .. }): Params<WordQuery>,
) -> Result<Json<Data>> {
    Ok(Json(Data { data: Some(is_reserved(app.store.db(), &name).await?) }))
}

/// Whether a subdomain is a reserved word, or one of its parts is a profanity.
pub async fn is_reserved(db: &impl ConnectionTrait, sub_domain: &str) -> Result<bool, DbErr> {
    let key = sql::key(sub_domain);
    let parts = key.split('-').filter(|part| !part.is_empty());
    let profane = Condition::all().add(Column::Profanity.eq(true)).add(Column::NameKey.is_in(parts));
    let reserved = Condition::any().add(Column::NameKey.eq(&*key)).add(profane);
    Entity::find().filter(reserved).exists(db).await
}
