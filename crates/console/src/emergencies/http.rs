//! `/api/admin/emergencies`

use axum::{Json, extract::State, http::StatusCode};
use chrono::NaiveDate;
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    fields::FieldErrors,
    http::{Body, Created, Id, Items},
    records::{self, Record},
    text::Rule,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use store::entities::{
    emergency::{ActiveModel, Column, Entity, Model},
    emergency_organization,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

/// Maximum number of emergencies in the list.
const EMERGENCIES_MAX: u64 = 1_000;
const ORGANIZATIONS_MAX: usize = 500;

const ORGANIZATION_NEEDED: &str = "Please choose at least one organization.";
const TOO_MANY: &str = "An emergency has at most 500 organizations.";
const UNKNOWN_ORGANIZATION: &str = "Please choose organizations that are known to the public-health service.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(emergencies, create_emergency, save_emergency))
        .route(SYSADMINS, routes!(emergency, delete_emergency))
        .route(SYSADMINS, routes!(enable_emergency))
        .route(SYSADMINS, routes!(disable_emergency))
}

pub(crate) struct EmergencyRecord;

impl Record for EmergencyRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "emergency";
    const NOUN: &'static str = "this emergency";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name, Column::DisabledOn, Column::Organizations];
    const TAKEN: (&'static str, &'static str) = ("name", "There is already an emergency with this name.");
}

platform::text! {
    /// Name of an emergency.
    pub EmergencyName = Rule::line(1, 1_000).says("Please enter a name of at most 1,000 characters.");
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EmergencyMember {
    pub oid: String,
    pub name: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Emergency {
    pub id: Uuid,
    pub name: String,
    /// First day after the emergency.
    pub disabled_date: Option<NaiveDate>,
    pub organizations: Vec<EmergencyMember>,
    /// Whether the disabled date is today or earlier.
    pub is_disabled: bool,
    /// Send it back when saving.
    pub version: i32,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmergencyForm {
    /// None for a new one.
    pub id: Option<Uuid>,
    pub name: EmergencyName,
    pub disabled_date: Option<NaiveDate>,
    /// OIDs of organizations known to the public-health service.
    #[serde(default)]
    pub organizations: BTreeSet<String>,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

impl EmergencyForm {
    async fn check(&self, db: &impl ConnectionTrait) -> Result<()> {
        let mut errors = FieldErrors::default();
        errors.require(!self.organizations.is_empty(), "organizations", ORGANIZATION_NEEDED);
        errors.require(self.organizations.len() <= ORGANIZATIONS_MAX, "organizations", TOO_MANY);
        if errors.is_empty() {
            let known = names(db, &self.organizations).await?.len();
            errors.require(known == self.organizations.len(), "organizations", UNKNOWN_ORGANIZATION);
        }
        errors.check()
    }

    fn fill(self, row: &mut ActiveModel) {
        row.name = Set(self.name.into());
        row.disabled_on = Set(self.disabled_date);
        row.organizations = Set(self.organizations.into_iter().collect());
    }
}

/// Names of organizations by OID.
async fn names(db: &impl ConnectionTrait, oids: &BTreeSet<String>) -> Result<HashMap<String, String>> {
    let found = emergency_organization::Entity::find()
        .filter(emergency_organization::Column::Oid.is_in(oids))
        .all(db)
        .await?;
    Ok(found.into_iter().map(|o| (o.oid, o.name)).collect())
}

async fn shown(app: &App, rows: Vec<Model>) -> Result<Vec<Emergency>> {
    let today = app.clock.now().date_naive();
    let oids = rows.iter().flat_map(|row| row.organizations.0.iter().cloned()).collect();
    let names = names(app.store.db(), &oids).await?;
    let member = |oid: String| EmergencyMember { name: names.get(&oid).cloned().unwrap_or_default(), oid };
    let emergency = |row: Model| Emergency {
        is_disabled: row.disabled_on.is_some_and(|day| day <= today),
        organizations: row.organizations.0.into_iter().map(member).collect(),
        id: row.id,
        name: row.name,
        disabled_date: row.disabled_on,
        version: row.version,
    };
    Ok(rows.into_iter().map(emergency).collect())
}

async fn shown_one(app: &App, row: Model) -> Result<Emergency> {
    shown(app, vec![row]).await?.pop().ok_or(Error::NotFound)
}

/// The emergencies, newest first
#[utoipa::path(get, path = "/api/admin/emergencies", operation_id = "emergencies", tag = "emergencies",
    responses((status = 200, body = Items<Emergency>)))]
async fn emergencies(State(app): State<App>) -> Result<Json<Items<Emergency>>> {
    let rows = Entity::find().order_by_desc(Column::Id).limit(EMERGENCIES_MAX).all(app.store.db()).await?;
    Ok(Json(Items { items: shown(&app, rows).await? }))
}

/// Reads an emergency
#[utoipa::path(get, path = "/api/admin/emergencies/{id}", operation_id = "emergency", tag = "emergencies",
    params(("id" = Uuid, Path)), responses((status = 200, body = Emergency)))]
async fn emergency(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Emergency>> {
    let row = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    Ok(Json(shown_one(&app, row).await?))
}

/// Adds an emergency
#[utoipa::path(post, path = "/api/admin/emergencies", operation_id = "createEmergency", tag = "emergencies",
    request_body = EmergencyForm, responses((status = 201, body = Emergency)))]
async fn create_emergency(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<EmergencyForm>,
) -> Result<Created<Emergency>> {
    let created = create(&app, &caller, Uuid::now_v7(), form).await?;
    Ok(Created(format!("/api/admin/emergencies/{}", created.id), created))
}

async fn create(app: &App, caller: &Caller, id: Uuid, form: EmergencyForm) -> Result<Emergency> {
    form.check(app.store.db()).await?;
    let mut row = ActiveModel { id: Set(id), version: Set(1), ..Default::default() };
    form.fill(&mut row);
    let created = records::create::<EmergencyRecord>(app, &Actor::platform(caller), row).await?;
    shown_one(app, created).await
}

/// Changes an emergency, or adds it if its id is new
#[utoipa::path(put, path = "/api/admin/emergencies", operation_id = "saveEmergency", tag = "emergencies",
    request_body = EmergencyForm,
    responses((status = 200, body = Emergency), (status = 409, description = "Changed by somebody else")))]
async fn save_emergency(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<EmergencyForm>,
) -> Result<Json<Emergency>> {
    let id = form.id.unwrap_or_else(Uuid::now_v7);
    if Entity::find_by_id(id).one(app.store.db()).await?.is_none() {
        return Ok(Json(create(&app, &caller, id, form).await?));
    }
    let actor = Actor::platform(&caller);
    let row = Entity::find_by_id(id);
    let mut edit = records::edit::<EmergencyRecord>(&app, &actor, row, form.version).await?;
    form.check(&edit.txn).await?;
    form.fill(&mut edit.row);
    let saved = edit.save().await?;
    Ok(Json(shown_one(&app, saved).await?))
}

/// Enables an emergency
#[utoipa::path(put, path = "/api/admin/emergencies/{id}/enable", operation_id = "enableEmergency",
    tag = "emergencies", params(("id" = Uuid, Path)), responses((status = 200, body = Emergency)))]
async fn enable_emergency(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<Emergency>> {
    Ok(Json(end_on(&app, &caller, id, None).await?))
}

/// Disables an emergency as of today
#[utoipa::path(put, path = "/api/admin/emergencies/{id}/disable", operation_id = "disableEmergency",
    tag = "emergencies", params(("id" = Uuid, Path)), responses((status = 200, body = Emergency)))]
async fn disable_emergency(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<Emergency>> {
    let today = app.clock.now().date_naive();
    Ok(Json(end_on(&app, &caller, id, Some(today)).await?))
}

async fn end_on(app: &App, caller: &Caller, id: Uuid, day: Option<NaiveDate>) -> Result<Emergency> {
    let actor = Actor::platform(caller);
    let mut edit = records::lock::<EmergencyRecord>(app, &actor, Entity::find_by_id(id)).await?;
    edit.row.disabled_on = Set(day);
    let saved = edit.save().await?;
    shown_one(app, saved).await
}

/// Deletes an emergency
#[utoipa::path(delete, path = "/api/admin/emergencies/{id}", operation_id = "deleteEmergency",
    tag = "emergencies", params(("id" = Uuid, Path)), responses((status = 204)))]
async fn delete_emergency(State(app): State<App>, caller: Caller, Id(id): Id<Uuid>) -> Result<StatusCode> {
    let actor = Actor::platform(&caller);
    records::lock::<EmergencyRecord>(&app, &actor, Entity::find_by_id(id)).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
