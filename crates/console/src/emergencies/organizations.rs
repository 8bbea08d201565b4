//! `/api/emergencies/organizations`: the organizations that take part in emergencies.

use super::port;
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    fields::is_oid,
    http::{Body, Id, Items},
    records::{self, Record},
    sql,
    text::RequiredObjectIdentifier,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use serde::{Deserialize, Serialize};
use store::entities::{
    emergency,
    emergency_organization::{ActiveModel, Column, Entity, Model},
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const ORGANIZATIONS_MAX: u64 = 5_000;
const NOT_FOUND: &str = "No organizations found";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(emergency_organizations, save_emergency_organization))
        .route(SYSADMINS, routes!(emergency_organization, remove_emergency_organization))
        .route(SYSADMINS, routes!(search_public_health))
}

pub(crate) struct OrganizationRecord;

impl Record for OrganizationRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "emergencyorganization";
    const NOUN: &'static str = "this organization";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Oid, Column::Name];
    const TAKEN: (&'static str, &'static str) = ("oid", "This organization is already in the list.");
}

#[derive(Serialize, ToSchema)]
pub struct EmergencyOrganization {
    pub id: Uuid,
    pub oid: String,
    pub name: String,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for EmergencyOrganization {
    fn from(Model { id, oid, name, version }: Model) -> Self {
        Self { id, oid, name, version }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct EmergencyOrganizationForm {
    /// None for a new one.
    pub id: Option<Uuid>,
    /// Checked by name with the public-health service.
    pub oid: RequiredObjectIdentifier,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

fn plain(oid: &str) -> &str {
    oid.strip_prefix("urn:oid:").unwrap_or(oid)
}

fn by_oid(oid: &str) -> Select<Entity> {
    Entity::find().filter(Column::Oid.eq(plain(oid)))
}

/// The organizations known to the public-health service, by name
#[utoipa::path(get, path = "/api/emergencies/organizations", operation_id = "emergencyOrganizations",
    tag = "emergencies", responses((status = 200, body = Items<EmergencyOrganization>)))]
async fn emergency_organizations(State(app): State<App>) -> Result<Json<Items<EmergencyOrganization>>> {
    let rows = Entity::find()
        .order_by_asc(Column::Name)
        .order_by_asc(Column::Oid)
        .limit(ORGANIZATIONS_MAX)
        .all(app.store.db())
        .await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// Reads an organization known to the public-health service
#[utoipa::path(get, path = "/api/emergencies/organizations/{oid}", operation_id = "emergencyOrganization",
    tag = "emergencies", params(("oid" = String, Path)),
    responses((status = 200, body = EmergencyOrganization)))]
async fn emergency_organization(
    State(app): State<App>,
    Id(oid): Id<String>,
) -> Result<Json<EmergencyOrganization>> {
    Ok(Json(by_oid(&oid).one(app.store.db()).await?.ok_or(Error::NotFound)?.into()))
}

/// Adds an organization, or gives it another OID
#[utoipa::path(put, path = "/api/emergencies/organizations", operation_id = "saveEmergencyOrganization",
    tag = "emergencies", request_body = EmergencyOrganizationForm,
    responses((status = 200, body = EmergencyOrganization),
        (status = 409, description = "Changed by somebody else, or an emergency has it")))]
async fn save_emergency_organization(
    State(app): State<App>,
    caller: Caller,
    Body(form): Body<EmergencyOrganizationForm>,
) -> Result<Json<EmergencyOrganization>> {
    let oid = plain(&form.oid).to_owned();
    let name = port::member().find(app.store.db(), &oid).await?;
    let name = name.ok_or_else(|| Error::field("oid", NOT_FOUND))?;
    let actor = Actor::platform(&caller);
    let Some(id) = form.id else {
        let row = ActiveModel { id: Set(Uuid::now_v7()), oid: Set(oid), name: Set(name), version: Set(1) };
        return Ok(Json(records::create::<OrganizationRecord>(&app, &actor, row).await?.into()));
    };
    let row = Entity::find_by_id(id);
    let mut edit = records::edit::<OrganizationRecord>(&app, &actor, row, form.version).await?;
    if edit.before.oid != oid {
        refuse_in_emergency(&edit.txn, &edit.before.oid).await?;
    }
    edit.row.oid = Set(oid);
    edit.row.name = Set(name);
    Ok(Json(edit.save().await?.into()))
}

async fn refuse_in_emergency(db: &impl sea_orm::ConnectionTrait, oid: &str) -> Result<()> {
    let rows = emergency::Entity::find().filter(sql::list_holds(emergency::Column::Organizations, oid));
    match sql::capped_count(db, rows).await? {
        0 => Ok(()),
        1 => Err(Error::Conflict(
            "1 emergency includes this organization. Please remove it there first.".into(),
        )),
        n => {
            let text = format!("{n} emergencies include this organization. Please remove it there first.");
            Err(Error::Conflict(text.into()))
        }
    }
}

/// Removes an organization that is in no emergency
#[utoipa::path(delete, path = "/api/emergencies/organizations/{oid}", operation_id = "removeEmergencyOrganization",
    tag = "emergencies", params(("oid" = String, Path)),
    responses((status = 204), (status = 409, description = "Emergencies have it")))]
async fn remove_emergency_organization(
    State(app): State<App>,
    caller: Caller,
    Id(oid): Id<String>,
) -> Result<StatusCode> {
    let edit = records::lock::<OrganizationRecord>(&app, &Actor::platform(&caller), by_oid(&oid)).await?;
    refuse_in_emergency(&edit.txn, &edit.before.oid).await?;
    edit.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicHealthSearch {
    /// An object identifier.
    pub org_id: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicHealthName {
    pub display_name: String,
}

#[derive(Serialize, ToSchema)]
pub struct PublicHealthFound {
    /// Null if the OID is unknown.
    pub value: Option<PublicHealthName>,
}

/// The name of an organization at the public-health service
#[utoipa::path(post, path = "/api/organization/admin/_search", operation_id = "searchPublicHealth",
    tag = "emergencies", request_body = PublicHealthSearch,
    responses((status = 200, body = PublicHealthFound)))]
async fn search_public_health(
    State(app): State<App>,
    Body(search): Body<PublicHealthSearch>,
) -> Result<Json<PublicHealthFound>> {
    let oid = search.org_id.trim();
    if oid.len() > 255 || !is_oid(oid) {
        return Ok(Json(PublicHealthFound { value: None }));
    }
    let found = port::member().find(app.store.db(), plain(oid)).await?;
    Ok(Json(PublicHealthFound { value: found.map(|display_name| PublicHealthName { display_name }) }))
}
