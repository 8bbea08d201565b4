//! `/api/admin/features`: feature toggles, which operators switch on or off for everybody or by organization.

use accounts::{profile::features::KNOWN, single_sign_on};
use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    bus::Event,
    http::{Body, Created, Id, Page, Paged, Params},
    records::{self, Record},
    session::tell_ended,
    sql::{self, holds_words},
    text::{Rule, SearchWords},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QuerySelect, QueryTrait, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{
    Transaction,
    entities::{
        feature::{ActiveModel, Column, Entity, Model},
        organization_feature, sso_connection,
    },
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of features of an installation.
const FEATURES_MAX: u64 = 500;

const NAME_FIXED: &str = "The product uses this feature by its name, so it cannot be renamed.";
const NOT_REMOVABLE: &str =
    "The product uses this feature, so it cannot be deleted. Please switch it off instead.";
const TOO_MANY: &str = "There can be 500 features at most.";
const NOT_OFFERED: &str = "Please choose from the features that organizations can have.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(features, create_feature))
        .route(SYSADMINS, routes!(feature, update_feature, delete_feature))
}

pub(crate) struct FeatureRecord;

impl Record for FeatureRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "feature";
    const NOUN: &'static str = "this feature";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const MODIFIED_AT: Option<Column> = Some(Column::ModifiedAt);
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name, Column::IsEnabled, Column::IsOrganizationFeature];
    const TAKEN: (&'static str, &'static str) = ("name", "Another feature has this name.");
}

platform::text! {
    /// Name of a feature, by which the product looks it up.
    pub ToggleName = Rule::line(4, 150).says("Please enter a name of 4 to 150 characters.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureToggle {
    pub id: Uuid,
    pub name: String,
    /// If off, it is off for everybody.
    pub enabled: bool,
    /// While enabled: only for organizations that have the feature; otherwise for all.
    pub is_organization_feature: bool,
    pub created_by: String,
    pub create_date: DateTime<Utc>,
    pub modified_by: String,
    pub modified_date: DateTime<Utc>,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for FeatureToggle {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            name: row.name,
            enabled: row.is_enabled,
            is_organization_feature: row.is_organization_feature,
            created_by: row.created_by,
            create_date: row.created_at,
            modified_by: row.modified_by,
            modified_date: row.modified_at,
            version: row.version,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureToggleForm {
    pub name: ToggleName,
    #[serde(default)]
    pub enabled: bool,
    #[serde(default)]
    pub is_organization_feature: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct FeatureToggleQuery {
    /// Each word is contained in the name.
    #[param(inline)]
    pub search: Option<SearchWords>,
    /// Only features that are on by organization, or only the others.
    pub is_organization_feature: Option<bool>,
    pub page_number: Option<u64>,
    /// At most 500.
    pub page_size: Option<u64>,
}

/// The feature toggles, by name
#[utoipa::path(get, path = "/api/admin/features", operation_id = "featureToggles", tag = "features",
    params(FeatureToggleQuery), responses((status = 200, body = Paged<FeatureToggle>)))]
async fn features(
    State(app): State<App>,
    Params(query): Params<FeatureToggleQuery>,
) -> Result<Json<Paged<FeatureToggle>>> {
    let page = Page::new(query.page_number, query.page_size, 10, FEATURES_MAX)?;
    let words = query.search.as_deref().unwrap_or_default();
    let mut rows = Entity::find().filter(holds_words(Column::NameKey, words));
    if let Some(by_organization) = query.is_organization_feature {
        rows = rows.filter(Column::IsOrganizationFeature.eq(by_organization));
    }
    let found = sql::page(app.store.db(), rows, &[(Column::NameKey, Order::Asc)], page).await?;
    Ok(Json(found.map(Into::into)))
}

/// Adds a feature toggle
#[utoipa::path(post, path = "/api/admin/features", operation_id = "createFeatureToggle", tag = "features",
    request_body = FeatureToggleForm, responses((status = 201, body = FeatureToggle)))]
async fn create_feature(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<FeatureToggleForm>,
) -> Result<Created<FeatureToggle>> {
    if Entity::find().count(app.store.db()).await? >= FEATURES_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    let now = app.clock.now();
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        is_enabled: Set(form.enabled),
        is_organization_feature: Set(form.is_organization_feature),
        created_by: Set(caller.user_name.clone()),
        created_at: Set(now),
        modified_by: Set(caller.user_name.clone()),
        modified_at: Set(now),
        version: Set(1),
    };
    let created = records::create::<FeatureRecord>(&app, &Actor::platform(&caller), row).await?;
    tell(&app).await;
    Ok(Created(format!("/api/admin/features/{}", created.id), created.into()))
}

/// Reads a feature toggle
#[utoipa::path(get, path = "/api/admin/features/{id}", operation_id = "featureToggle", tag = "features",
    params(("id" = Uuid, Path)), responses((status = 200, body = FeatureToggle)))]
async fn feature(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<FeatureToggle>> {
    Ok(Json(Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Switches or renames a feature
#[utoipa::path(put, path = "/api/admin/features/{id}", operation_id = "updateFeatureToggle", tag = "features",
    params(("id" = Uuid, Path)), request_body = FeatureToggleForm,
    responses((status = 200, body = FeatureToggle), (status = 409, description = "Changed by somebody else")))]
async fn update_feature(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<FeatureToggleForm>,
) -> Result<Json<FeatureToggle>> {
    let actor = Actor::platform(&caller);
    let mut edit = records::edit::<FeatureRecord>(&app, &actor, Entity::find_by_id(id), form.version).await?;
    let before = edit.before.name.clone();
    if *before != *form.name {
        if is_known(&before) {
            return Err(Error::field("name", NAME_FIXED));
        }
        rename_for_organizations(&edit.txn, &before, &form.name).await?;
    }
    let ended = if before == single_sign_on::FEATURE {
        end_single_sign_on(&app, &edit.txn, form.enabled, form.is_organization_feature).await?
    } else {
        Vec::new()
    };
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    edit.row.is_enabled = Set(form.enabled);
    edit.row.is_organization_feature = Set(form.is_organization_feature);
    edit.row.modified_by = Set(caller.user_name.clone());
    let saved = edit.save().await?;
    tell_ended(&app, ended).await;
    tell(&app).await;
    Ok(Json(saved.into()))
}

/// Removes a feature that no organization has and the product does not use
#[utoipa::path(delete, path = "/api/admin/features/{id}", operation_id = "deleteFeatureToggle", tag = "features",
    params(("id" = Uuid, Path)), responses((status = 204), (status = 409, description = "It is in use")))]
async fn delete_feature(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    let edit = records::lock::<FeatureRecord>(&app, &actor, Entity::find_by_id(id)).await?;
    if is_known(&edit.before.name) {
        return Err(Error::Conflict(NOT_REMOVABLE.into()));
    }
    let users = organization_feature::Entity::find()
        .filter(organization_feature::Column::Name.eq(edit.before.name.as_str()));
    records::refuse_in_use(sql::capped_count(&edit.txn, users).await?, "organization")?;
    edit.remove().await?;
    tell(&app).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses features that are not available to organizations.
pub async fn require_offered(
    db: &impl ConnectionTrait,
    names: impl IntoIterator<Item = &String>,
) -> Result<()> {
    let names: BTreeSet<&String> = names.into_iter().collect();
    let offered = Entity::find()
        .filter(Column::IsOrganizationFeature.eq(true))
        .filter(Column::Name.is_in(names.iter().map(|name| name.as_str())));
    if offered.count(db).await? == names.len() as u64 {
        return Ok(());
    }
    Err(Error::field("enabledFeatures", NOT_OFFERED))
}

fn is_known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Lets open screens follow.
async fn tell(app: &App) {
    app.bus.publish(Event::Features { organization_id: None }).await;
}

async fn rename_for_organizations(txn: &Transaction, from: &str, to: &str) -> Result<()> {
    organization_feature::Entity::update_many()
        .col_expr(organization_feature::Column::Name, Expr::value(to))
        .filter(organization_feature::Column::Name.eq(from))
        .exec(txn)
        .await?;
    Ok(())
}

/// Ends the sessions that were signed in by the provider of organizations for which single sign-on is now off.
/// Returns the ended sessions.
async fn end_single_sign_on(
    app: &App,
    txn: &Transaction,
    is_enabled: bool,
    is_by_organization: bool,
) -> Result<Vec<Uuid>> {
    if is_enabled && !is_by_organization {
        return Ok(Vec::new());
    }
    let have_it = organization_feature::Entity::find()
        .filter(organization_feature::Column::Name.eq(single_sign_on::FEATURE))
        .select_only()
        .column(organization_feature::Column::OrganizationId)
        .into_query();
    let mut connections = sso_connection::Entity::find();
    if is_enabled {
        connections = connections.filter(sso_connection::Column::OrganizationId.not_in_subquery(have_it));
    }
    single_sign_on::end_sessions_of_all(txn, connections, app.clock.now()).await
}
