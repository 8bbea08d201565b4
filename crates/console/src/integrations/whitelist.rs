//! `/api/admin/integrations/whitelist`: the organizations that may connect outside systems, by integration.

use super::name_of;
use crate::{reports::queries::names_of, vocabulary::lists::EntryName};
use accounts::organization::open;
use accounts::single_sign_on;
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    session::tell_ended,
    sql::{self, holds_words},
    text::SearchWords,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QuerySelect, SelectExt,
};
use serde::{Deserialize, Serialize};
use store::{
    Transaction,
    entities::{
        integration_grant::{ActiveModel, Column, Entity, Integration, Model},
        organization, sso_connection,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of entries.
const ENTRIES_MAX: u64 = 5_000;

const NO_ORGANIZATION: &str = "Please choose an organization from the list.";
const TOO_MANY: &str = "The whitelist can have 5,000 entries at most.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(whitelist, create_entry))
        .route(SYSADMINS, routes!(entry, update_entry, delete_entry))
}

struct GrantRecord;

impl Record for GrantRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "integrationgrant";
    const NOUN: &'static str = "this entry";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Integration, Column::Scope, Column::Name];
    const TAKEN: (&'static str, &'static str) =
        ("organizationId", "The whitelist already has an entry for this organization and integration.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhitelistEntry {
    pub id: Uuid,
    pub integration_id: Integration,
    pub integration_name: &'static str,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    pub organization_name: Option<String>,
    pub name: String,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhitelistForm {
    pub name: EntryName,
    pub integration_id: Integration,
    /// Null for all organizations.
    pub organization_id: Option<Uuid>,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct WhitelistQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    #[param(inline)]
    pub integration_id: Option<Integration>,
    /// Only entries for this organization.
    pub organization_id: Option<Uuid>,
    pub page_number: Option<u64>,
    /// At most 100.
    pub page_size: Option<u64>,
}

/// The entries of the whitelist, by name
#[utoipa::path(get, path = "/api/admin/integrations/whitelist", operation_id = "integrationsWhitelist",
    tag = "integrations", params(WhitelistQuery), responses((status = 200, body = Paged<WhitelistEntry>)))]
async fn whitelist(
    State(app): State<App>,
    Params(query): Params<WhitelistQuery>,
) -> Result<Json<Paged<WhitelistEntry>>> {
    let page = Page::new(query.page_number, query.page_size, 10, 100)?;
    let words = query.search.as_deref().unwrap_or_default();
    let mut rows = Entity::find().filter(holds_words(Column::NameKey, words));
    if let Some(integration) = query.integration_id {
        rows = rows.filter(Column::Integration.eq(integration));
    }
    if let Some(organization) = query.organization_id {
        rows = rows.filter(Column::Scope.eq(organization));
    }
    let db = app.store.db();
    let by_name = [(Column::NameKey, Order::Asc), (Column::Id, Order::Asc)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &by_name, page).await?;
    Ok(Json(Paged { items: shown(db, items).await?, total_count, total_is_capped }))
}

/// Allows an organization, or all of them, to use an integration
#[utoipa::path(post, path = "/api/admin/integrations/whitelist", operation_id = "createWhitelistEntry",
    tag = "integrations", request_body = WhitelistForm, responses((status = 201, body = WhitelistEntry)))]
async fn create_entry(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<WhitelistForm>,
) -> Result<Created<WhitelistEntry>> {
    let db = app.store.db();
    if Entity::find().count(db).await? >= ENTRIES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        integration: Set(form.integration_id),
        scope: Set(scope_of(db, form.organization_id).await?),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        created_by: Set(caller.user_name.clone()),
        created_at: Set(app.clock.now()),
        version: Set(1),
    };
    let created = records::create::<GrantRecord>(&app, &Actor::platform(&caller), row).await?;
    Ok(Created(format!("/api/admin/integrations/whitelist/{}", created.id), one(db, created).await?))
}

/// Reads an entry of the whitelist
#[utoipa::path(get, path = "/api/admin/integrations/whitelist/{id}", operation_id = "whitelistEntry",
    tag = "integrations", params(("id" = Uuid, Path)), responses((status = 200, body = WhitelistEntry)))]
async fn entry(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<WhitelistEntry>> {
    let db = app.store.db();
    let found = Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(Json(one(db, found).await?))
}

/// Changes an entry of the whitelist
#[utoipa::path(put, path = "/api/admin/integrations/whitelist/{id}", operation_id = "updateWhitelistEntry",
    tag = "integrations", params(("id" = Uuid, Path)), request_body = WhitelistForm,
    responses((status = 200, body = WhitelistEntry), (status = 409, description = "Changed by somebody else")))]
async fn update_entry(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<WhitelistForm>,
) -> Result<Json<WhitelistEntry>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<GrantRecord>(&app, &actor, Entity::find_by_id(id), form.version).await?;
    let scope = match form.organization_id {
        Some(same) if same == edit.before.scope => same,
        other => scope_of(&edit.txn, other).await?,
    };
    let stays = Some(scope).filter(|_| form.integration_id == Integration::SingleSignOn);
    let ended = end_single_sign_on(&app, &edit.txn, &edit.before, stays).await?;
    edit.row.integration = Set(form.integration_id);
    edit.row.scope = Set(scope);
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    let saved = edit.save().await?;
    tell_ended(&app, ended).await;
    Ok(Json(one(app.store.db(), saved).await?))
}

/// Removes an entry of the whitelist. Systems connected by it stop working
#[utoipa::path(delete, path = "/api/admin/integrations/whitelist/{id}", operation_id = "deleteWhitelistEntry",
    tag = "integrations", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_entry(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let edit = records::lock::<GrantRecord>(&app, &actor, Entity::find_by_id(id)).await?;
    let ended = end_single_sign_on(&app, &edit.txn, &edit.before, None).await?;
    edit.remove().await?;
    tell_ended(&app, ended).await;
    Ok(StatusCode::NO_CONTENT)
}

/// The scope of an existing organization, or of all.
async fn scope_of(db: &impl ConnectionTrait, organization_id: Option<Uuid>) -> Result<Uuid> {
    let Some(id) = organization_id else { return Ok(Uuid::nil()) };
    if open().filter(organization::Column::Id.eq(id)).exists(db).await? {
        return Ok(id);
    }
    Err(Error::field("organizationId", NO_ORGANIZATION))
}

/// Ends the sessions that were signed in by the provider of an organization that loses single sign-on with this
/// entry. `stays` is the entry's new scope. Returns the ended sessions.
async fn end_single_sign_on(
    app: &App,
    txn: &Transaction,
    before: &Model,
    stays: Option<Uuid>,
) -> Result<Vec<Uuid>> {
    if before.integration != Integration::SingleSignOn || stays == Some(before.scope) {
        return Ok(Vec::new());
    }
    let others = Entity::find()
        .filter(Column::Integration.eq(Integration::SingleSignOn))
        .filter(Column::Id.ne(before.id));
    let mut scopes: Vec<Uuid> = others.select_only().column(Column::Scope).into_tuple().all(txn).await?;
    scopes.extend(stays);
    if scopes.contains(&Uuid::nil()) {
        return Ok(Vec::new());
    }
    let lost =
        sso_connection::Entity::find().filter(sso_connection::Column::OrganizationId.is_not_in(scopes));
    single_sign_on::end_sessions_of_all(txn, lost, app.clock.now()).await
}

async fn one(db: &impl ConnectionTrait, row: Model) -> Result<WhitelistEntry> {
    shown(db, vec![row]).await?.pop().ok_or(Error::NotFound)
}

async fn shown(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<WhitelistEntry>> {
    let names = names_of(db, rows.iter().map(|row| row.scope)).await?;
    let entry = |row: Model| WhitelistEntry {
        id: row.id,
        integration_id: row.integration,
        integration_name: name_of(row.integration),
        organization_id: Some(row.scope).filter(|id| !id.is_nil()),
        organization_name: names.get(&row.scope).cloned(),
        name: row.name,
        created_by: row.created_by,
        create_date: row.created_at,
        version: row.version,
    };
    Ok(rows.into_iter().map(entry).collect())
}
