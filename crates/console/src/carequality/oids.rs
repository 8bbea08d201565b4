//! `/api/admin/organizations/{id}/oids`: further object identifiers of an organization for its queries.

use accounts::organization::{locked, open};
use axum::{Json, extract::State, http::StatusCode};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::Actor,
    http::{Body, Created, Id, Items},
    records::{self, Record},
    text::RequiredObjectIdentifier,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    Select, SelectExt, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use store::entities::{
    alternate_oid::{ActiveModel, Column, Entity, Model},
    organization,
};
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;

const OIDS_MAX: u64 = 100;
const TOO_MANY: &str = "An organization has at most 100 alternate OIDs.";

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(alternate_oids, add_alternate_oid, save_alternate_oid))
        .route(SYSADMINS, routes!(delete_alternate_oid))
}

struct OidRecord;

impl Record for OidRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "alternateoid";
    const NOUN: &'static str = "this OID";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const AUDITED: &'static [Column] = &[Column::Value, Column::IsDefault];
    const TAKEN: (&'static str, &'static str) = ("value", "The organization already has this OID.");
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlternateOid {
    pub id: Uuid,
    pub organization_id: Uuid,
    pub value: String,
    /// Whether it is used unless another is chosen.
    pub is_default: bool,
    /// Send it back when saving.
    pub version: i32,
}

impl From<Model> for AlternateOid {
    fn from(Model { id, organization_id, value, is_default, version }: Model) -> Self {
        Self { id, organization_id, value, is_default, version }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlternateOidForm {
    /// None for a new one.
    pub id: Option<Uuid>,
    pub value: RequiredObjectIdentifier,
    /// If true, the previous default is no longer one.
    #[serde(default)]
    pub is_default: bool,
    /// The version that was read. Not needed when creating.
    pub version: Option<i32>,
}

fn of(organization_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id))
}

/// The alternate OIDs of an organization
#[utoipa::path(get, path = "/api/admin/organizations/{id}/oids", operation_id = "alternateOids",
    tag = "organizations", params(("id" = Uuid, Path)), responses((status = 200, body = Items<AlternateOid>)))]
async fn alternate_oids(State(app): State<App>, Id(id): Id<Uuid>) -> Result<Json<Items<AlternateOid>>> {
    let db = app.store.db();
    if !open().filter(organization::Column::Id.eq(id)).exists(db).await? {
        return Err(Error::NotFound);
    }
    let rows = of(id).order_by_asc(Column::Value).all(db).await?;
    Ok(Json(Items { items: rows.into_iter().map(Into::into).collect() }))
}

/// Adds an alternate OID
#[utoipa::path(post, path = "/api/admin/organizations/{id}/oids", operation_id = "addAlternateOid",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = AlternateOidForm,
    responses((status = 201, body = AlternateOid)))]
async fn add_alternate_oid(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<AlternateOidForm>,
) -> Result<Created<AlternateOid>> {
    let txn = app.store.begin().await?;
    locked(&txn, id).await?;
    if of(id).count(&txn).await? >= OIDS_MAX {
        return Err(Error::Conflict(TOO_MANY.into()));
    }
    if form.is_default {
        end_default(&txn, id).await?;
    }
    let row = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(id),
        value: Set(form.value.into()),
        is_default: Set(form.is_default),
        version: Set(1),
    };
    let actor = Actor::in_organization(&caller, id);
    let created = records::create_in::<OidRecord>(&app, &txn, &actor, row).await?;
    txn.commit().await?;
    Ok(Created(format!("/api/admin/organizations/{id}/oids"), created.into()))
}

/// Changes an alternate OID, or makes it the default
#[utoipa::path(put, path = "/api/admin/organizations/{id}/oids", operation_id = "saveAlternateOid",
    tag = "organizations", params(("id" = Uuid, Path)), request_body = AlternateOidForm,
    responses((status = 200, body = AlternateOid), (status = 409, description = "Changed by somebody else")))]
async fn save_alternate_oid(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(form): Body<AlternateOidForm>,
) -> Result<Json<AlternateOid>> {
    let row = of(id).filter(Column::Id.eq(form.id.ok_or(Error::NotFound)?));
    let actor = Actor::in_organization(&caller, id);
    let mut edit = records::edit::<OidRecord>(&app, &actor, row, form.version).await?;
    if form.is_default && !edit.before.is_default {
        end_default(&edit.txn, id).await?;
    }
    edit.row.value = Set(form.value.into());
    edit.row.is_default = Set(form.is_default);
    Ok(Json(edit.save().await?.into()))
}

async fn end_default(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::IsDefault, Expr::value(false))
        .filter(Column::OrganizationId.eq(organization_id))
        .filter(Column::IsDefault.eq(true))
        .exec(db)
        .await?;
    Ok(())
}

/// Deletes an alternate OID
#[utoipa::path(delete, path = "/api/admin/organizations/{id}/oids/{oidId}", operation_id = "deleteAlternateOid",
    tag = "organizations", params(("id" = Uuid, Path), ("oidId" = Uuid, Path)), responses((status = 204)))]
async fn delete_alternate_oid(
    State(app): State<App>,
    caller: Caller,
    Id((id, oid_id)): Id<(Uuid, Uuid)>,
) -> Result<StatusCode> {
    let row = of(id).filter(Column::Id.eq(oid_id));
    let actor = Actor::in_organization(&caller, id);
    records::lock::<OidRecord>(&app, &actor, row).await?.remove().await?;
    Ok(StatusCode::NO_CONTENT)
}
