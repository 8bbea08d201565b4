//! `/api/audit/…`: what happened in the organization, for its administrators.

use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, event},
    http::{DayOrMoment, Id, Items, Page, Paged, Params},
    sql,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Order, QueryFilter, Select, SelectExt};
use serde::{Deserialize, Serialize};
use store::entities::audit_entry::{self, Column, Entity};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(ADMINS, routes!(types))
        .route(ADMINS, routes!(entries))
        .route(ADMINS, routes!(entry))
        .route(ADMINS, routes!(events_of_object))
        .route(ADMINS, routes!(entries_of_type))
        .route(ADMINS, routes!(entries_of_user))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: Uuid,
    pub created_by: String,
    /// Whose act it was; null for the product itself.
    pub user_id: Option<Uuid>,
    pub event_type: String,
    /// What was changed, where the type does not say it.
    pub what: String,
    pub created_on: DateTime<Utc>,
    pub object_type: String,
    pub object_id: String,
}

impl From<audit_entry::Model> for AuditEntry {
    fn from(row: audit_entry::Model) -> Self {
        Self {
            id: row.id,
            created_by: row.actor_name,
            user_id: row.actor_id,
            event_type: row.event_type,
            what: audit::what_changed(&row.detail),
            created_on: row.at,
            object_type: row.object_type,
            object_id: row.object_id,
        }
    }
}

/// The kinds of audited acts
#[utoipa::path(get, path = "/api/audit/types", operation_id = "auditTypes", tag = "audit",
    responses((status = 200, body = Items<String>)))]
async fn types() -> Json<Items<String>> {
    Json(Items { items: event::ALL.iter().map(|t| (*t).to_owned()).collect() })
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct Filter {
    event_type: Option<String>,
    start: Option<DayOrMoment>,
    /// Counts whole.
    end: Option<DayOrMoment>,
    page: Option<u64>,
    page_size: Option<u64>,
}

impl Filter {
    fn page(&self) -> Result<Page> {
        Page::new(self.page, self.page_size, 10, 100)
    }

    fn condition(&self) -> Condition {
        let kind = self.event_type.as_ref().filter(|kind| !kind.is_empty());
        let end = self.end.and_then(DayOrMoment::behind);
        Condition::all()
            .add_option(kind.map(|kind| Column::EventType.eq(kind)))
            .add_option(self.start.map(|start| Column::At.gte(start.begin())))
            .add_option(end.map(|end| Column::At.lt(end)))
    }
}

/// What happened to one object, newest first
#[utoipa::path(get, path = "/api/audit/{type}/{id}", operation_id = "auditEntries", tag = "audit",
    params(("type" = String, Path), ("id" = Uuid, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries(
    State(app): State<App>,
    member: Member,
    Id((object_type, id)): Id<(String, Uuid)>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let about = of_object(&member, id).filter(Column::ObjectType.eq(object_type));
    shown(&app, about, &filter).await
}

/// One entry of the trail
#[utoipa::path(get, path = "/api/audit/{id}", operation_id = "auditEntry", tag = "audit",
    params(("id" = Uuid, Path)), responses((status = 200, body = AuditEntry)))]
async fn entry(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<AuditEntry>> {
    let found = own(&member).filter(Column::Id.eq(id)).one(app.store.db()).await?;
    Ok(Json(found.ok_or(Error::NotFound)?.into()))
}

/// What happened to an object of any type, newest first
#[utoipa::path(get, path = "/api/audit/{id}/events", operation_id = "auditEvents", tag = "audit",
    params(("id" = Uuid, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn events_of_object(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    shown(&app, of_object(&member, id), &filter).await
}

/// What happened to all objects of a type, newest first: in the last 31 days of the span, or before now
#[utoipa::path(get, path = "/api/audit/entries/{type}", operation_id = "auditEntriesOfType", tag = "audit",
    params(("type" = String, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries_of_type(
    State(app): State<App>,
    member: Member,
    Id(object_type): Id<String>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let end = filter.end.and_then(DayOrMoment::behind).unwrap_or_else(|| app.clock.now());
    // There is no index on types, so that the entries of the span are looked through.
    let start = end.checked_sub_signed(SPAN_OF_A_TYPE).unwrap_or_default();
    let rows = own(&member)
        .filter(Column::ObjectType.eq(object_type))
        .filter(Column::At.gte(start))
        .filter(filter.condition());
    Ok(Json(sql::page(app.store.db(), rows, &NEWEST, filter.page()?).await?.map(Into::into)))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfUser {
    /// Whose acts; the caller's own without it.
    user_id: Option<Uuid>,
}

/// What somebody did in the organization, newest first
#[utoipa::path(get, path = "/api/audit/user", operation_id = "auditEntriesOfUser", tag = "audit",
    params(OfUser, Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries_of_user(
    State(app): State<App>,
    member: Member,
    Params(OfUser { user_id }): Params<OfUser>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let user_id = user_id.unwrap_or(member.caller.user_id);
    shown(&app, own(&member).filter(Column::ActorId.eq(user_id)), &filter).await
}

const SPAN_OF_A_TYPE: Duration = Duration::days(31);
const NEWEST: [(Column, Order); 2] = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];

fn own(member: &Member) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(member.organization_id))
}

fn of_object(member: &Member, id: Uuid) -> Select<Entity> {
    own(member).filter(Column::ObjectId.eq(id.to_string()))
}

/// A page of entries. Everything that an organization has was made, came or signed in at some time: what has no entry at
/// all is not there.
async fn shown(app: &App, rows: Select<Entity>, filter: &Filter) -> Result<Json<Paged<AuditEntry>>> {
    let (db, page) = (app.store.db(), filter.page()?);
    if !rows.clone().exists(db).await? {
        return Err(Error::NotFound);
    }
    Ok(Json(sql::page(db, rows.filter(filter.condition()), &NEWEST, page).await?.map(Into::into)))
}
