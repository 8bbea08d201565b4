//! `/api/admin/resellers`: partners who sell the product. `/api/organizations/resellers`: the choice of a form.

use crate::vocabulary::lists::{EntryName, ListQuery};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Items, Paged, Params},
    records::{self, Record},
    sql::{self, holds_words},
    terms::reseller_scope,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use store::entities::{
    organization, plan,
    reseller::{ActiveModel, Column, Entity, Model, ResellerKind},
    terms,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const KIND_FIXED: &str = "Plans or organizations belong to this reseller, so its type cannot be changed.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(reseller_choices))
        .route(SYSADMINS, routes!(resellers, create_reseller))
        .route(SYSADMINS, routes!(reseller, update_reseller, delete_reseller))
}

pub(crate) struct ResellerRecord;

impl Record for ResellerRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "reseller";
    const NOUN: &'static str = "this reseller";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name, Column::Kind, Column::BypassTos];
    const TAKEN: (&'static str, &'static str) = ("name", "Another reseller has this name.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reseller {
    pub id: Uuid,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ResellerKind,
    /// Whether its customers accept its terms instead of the standard ones.
    pub bypass_terms: bool,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for Reseller {
    fn from(Model { id, name, kind, bypass_tos, version, .. }: Model) -> Self {
        Self { id, name, kind, bypass_terms: bypass_tos, version }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResellerForm {
    pub name: EntryName,
    #[serde(rename = "type")]
    pub kind: ResellerKind,
    #[serde(default)]
    pub bypass_terms: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

/// The resellers available to an organization
#[utoipa::path(get, path = "/api/organizations/resellers", operation_id = "resellerChoices", tag = "organizations",
    responses((status = 200, body = Items<Reseller>)))]
async fn reseller_choices(State(app): State<App>) -> Result<Json<Items<Reseller>>> {
    let rows = Entity::find().order_by_asc(Column::NameKey).all(app.store.db()).await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// The resellers, by name
#[utoipa::path(get, path = "/api/admin/resellers", operation_id = "resellers", tag = "plans",
    params(ListQuery), responses((status = 200, body = Paged<Reseller>)))]
async fn resellers(
    State(app): State<App>,
    Params(query): Params<ListQuery>,
) -> Result<Json<Paged<Reseller>>> {
    let rows = Entity::find().filter(holds_words(Column::NameKey, query.words()));
    let found = sql::page(app.store.db(), rows, &[(Column::NameKey, Order::Asc)], query.page()?).await?;
    Ok(Json(found.map(Into::into)))
}

/// Adds a reseller
#[utoipa::path(post, path = "/api/admin/resellers", operation_id = "createReseller", tag = "plans",
    request_body = ResellerForm, responses((status = 201, body = Reseller)))]
async fn create_reseller(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<ResellerForm>,
) -> Result<Created<Reseller>> {
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        kind: Set(form.kind),
        bypass_tos: Set(form.bypass_terms),
        version: Set(1),
    };
    let created = records::create::<ResellerRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/resellers/{}", created.id), created.into()))
}

/// Reads a reseller
#[utoipa::path(get, path = "/api/admin/resellers/{id}", operation_id = "reseller", tag = "plans",
    params(("id" = Uuid, Path)), responses((status = 200, body = Reseller)))]
async fn reseller(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Reseller>> {
    Ok(Json(Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Changes a reseller
#[utoipa::path(put, path = "/api/admin/resellers/{id}", operation_id = "updateReseller", tag = "plans",
    params(("id" = Uuid, Path)), request_body = ResellerForm,
    responses((status = 200, body = Reseller), (status = 409, description = "Changed by somebody else")))]
async fn update_reseller(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<ResellerForm>,
) -> Result<Json<Reseller>> {
    let actor = Actor::platform(&caller);
    let row = Entity::find_by_id(id);
    let mut edit = records::edit::<ResellerRecord>(&app, &actor, row, form.version).await?;
    if form.kind != edit.before.kind && users(&edit.txn, id).await?.iter().any(|(count, _)| *count > 0) {
        return Err(Error::field("type", KIND_FIXED));
    }
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    edit.row.kind = Set(form.kind);
    edit.row.bypass_tos = Set(form.bypass_terms);
    Ok(Json(edit.save().await?.into()))
}

/// Numbers of a reseller's records, each with the noun for one of them.
async fn users(db: &impl ConnectionTrait, id: Uuid) -> Result<[(u64, &'static str); 2]> {
    let organizations = organization::Entity::find().filter(organization::Column::ResellerId.eq(id));
    let plans = plan::Entity::find().filter(plan::Column::ResellerId.eq(id));
    Ok([
        (sql::capped_count(db, organizations).await?, "organization"),
        (sql::capped_count(db, plans).await?, "plan"),
    ])
}

/// Removes a reseller without plans, organizations and terms
#[utoipa::path(delete, path = "/api/admin/resellers/{id}", operation_id = "deleteReseller", tag = "plans",
    params(("id" = Uuid, Path)),
    responses((status = 204), (status = 409, description = "Organizations, plans or terms belong to it")))]
async fn delete_reseller(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let edit = records::lock::<ResellerRecord>(&app, &actor, Entity::find_by_id(id)).await?;
    for (count, noun) in users(&edit.txn, id).await? {
        records::refuse_in_use(count, noun)?;
    }
    let own = terms::Entity::find().filter(terms::Column::Scope.eq(reseller_scope(id)));
    records::refuse_in_use(sql::capped_count(&edit.txn, own).await?, "terms version")?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
