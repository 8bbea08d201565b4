//! `/api/audit/…`: the audit trail of an organization, for its administrators.

use crate::model::Direction;
use axum::{Json, extract::State, response::Response};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, Audited, Reader, event},
    csv::{self, Report, inert, time},
    http::{DayOrMoment, Id, Items, Page, Paged, Params},
    sql,
};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select, SelectExt,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    entities::audit_entry::{self, Column, Entity},
    tenant::Tenant,
};
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
        .route(ADMINS, routes!(entries_of_type_csv))
        .route(ADMINS, routes!(entries_of_user))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: Uuid,
    pub created_by: String,
    /// The person who did it; null for the product itself.
    pub user_id: Option<Uuid>,
    pub event_type: String,
    /// What was changed, if the type does not say it.
    pub what: String,
    pub created_on: DateTime<Utc>,
    pub object_type: String,
    pub object_id: String,
    /// Never a patient's name; empty if the object was removed, may not be read, or has no name.
    pub object_name: String,
    /// The message of the object, unless the message is deleted.
    pub message_id: Option<Uuid>,
    pub direction: Option<Direction>,
}

impl AuditEntry {
    fn new(row: audit_entry::Model, object: Audited) -> Self {
        Self {
            id: row.id,
            created_by: row.actor_name,
            user_id: row.actor_id,
            event_type: row.event_type,
            what: audit::what_changed(&row.detail),
            created_on: row.at,
            object_type: row.object_type,
            object_id: row.object_id,
            object_name: object.name,
            message_id: object.message.map(|(id, _)| id),
            direction: object.message.map(|(_, direction)| direction),
        }
    }
}

/// Entries with the names of their objects.
async fn named(app: &App, tenant: &Tenant, rows: Vec<audit_entry::Model>) -> Result<Vec<AuditEntry>> {
    let objects = app.audited.find(app.store.db(), Reader::Member(tenant), &rows).await?;
    let entry = |row: audit_entry::Model| {
        let object = objects.of(&row);
        AuditEntry::new(row, object)
    };
    Ok(rows.into_iter().map(entry).collect())
}

async fn named_page(
    app: &App,
    tenant: &Tenant,
    page: Paged<audit_entry::Model>,
) -> Result<Json<Paged<AuditEntry>>> {
    let Paged { items, total_count, total_is_capped } = page;
    Ok(Json(Paged { items: named(app, tenant, items).await?, total_count, total_is_capped }))
}

/// The types of audited events
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
    /// Inclusive; a day counts completely.
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

/// Entries about one object, newest first
#[utoipa::path(get, path = "/api/audit/{type}/{id}", operation_id = "auditEntries", tag = "audit",
    params(("type" = String, Path), ("id" = Uuid, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries(
    State(app): State<App>,
    member: Member,
    Id((object_type, id)): Id<(String, Uuid)>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let about = of_object(&member, id).filter(Column::ObjectType.eq(object_type));
    shown(&app, &member, about, &filter).await
}

/// One entry of the audit trail
#[utoipa::path(get, path = "/api/audit/{id}", operation_id = "auditEntry", tag = "audit",
    params(("id" = Uuid, Path)), responses((status = 200, body = AuditEntry)))]
async fn entry(State(app): State<App>, member: Member, Id(id): Id<Uuid>) -> Result<Json<AuditEntry>> {
    let found = own(&member).filter(Column::Id.eq(id)).one(app.store.db()).await?;
    let mut entries = named(&app, &member.tenant(), found.into_iter().collect()).await?;
    entries.pop().map(Json).ok_or(Error::NotFound)
}

/// Entries about an object of any type, newest first
#[utoipa::path(get, path = "/api/audit/{id}/events", operation_id = "auditEvents", tag = "audit",
    params(("id" = Uuid, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn events_of_object(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    shown(&app, &member, of_object(&member, id), &filter).await
}

/// Entries about all objects of a type, newest first: of the last 31 days of the period, or up to now
#[utoipa::path(get, path = "/api/audit/entries/{type}", operation_id = "auditEntriesOfType", tag = "audit",
    params(("type" = String, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries_of_type(
    State(app): State<App>,
    member: Member,
    Id(object_type): Id<String>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let rows = of_type(&app, &member, object_type, &filter);
    let page = sql::page(app.store.db(), rows, &NEWEST, filter.page()?).await?;
    named_page(&app, &member.tenant(), page).await
}

/// All entries about objects of a type that match the filters, as CSV
#[utoipa::path(get, path = "/api/audit/entries/{type}/csv", operation_id = "auditEntriesOfTypeCsv", tag = "audit",
    params(("type" = String, Path), Filter), responses((status = 200, body = String, content_type = "text/csv")))]
async fn entries_of_type_csv(
    State(app): State<App>,
    member: Member,
    Id(object_type): Id<String>,
    Params(filter): Params<Filter>,
) -> Result<Response> {
    // The file has no pages, but an invalid page is still an error of the caller.
    filter.page()?;
    let detail = json!({
        "about": object_type, "eventType": filter.event_type, "start": filter.start, "end": filter.end,
    });
    let act = Act::new(event::DOWNLOADED, "report", "trail").detail(detail);
    audit::record_read(&app, &member.caller, act).await?;
    let name = app.clock.now().format("%Y-%m-%dT%H-%M-%SZ.csv").to_string();
    let rows = of_type(&app, &member, object_type, &filter);
    let tenant = member.tenant();
    Ok(csv::download(app, &name, Entries { tenant, rows, behind: None, is_at_end: false }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfUser {
    /// The person; default: the caller.
    user_id: Option<Uuid>,
}

/// Entries of a person in the organization, newest first
#[utoipa::path(get, path = "/api/audit/user", operation_id = "auditEntriesOfUser", tag = "audit",
    params(OfUser, Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries_of_user(
    State(app): State<App>,
    member: Member,
    Params(OfUser { user_id }): Params<OfUser>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let user_id = user_id.unwrap_or(member.caller.user_id);
    shown(&app, &member, own(&member).filter(Column::ActorId.eq(user_id)), &filter).await
}

const SPAN_OF_A_TYPE: Duration = Duration::days(31);
const NEWEST: [(Column, Order); 2] = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];

fn own(member: &Member) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(member.organization_id))
}

fn of_type(app: &App, member: &Member, object_type: String, filter: &Filter) -> Select<Entity> {
    let end = filter.end.and_then(DayOrMoment::behind).unwrap_or_else(|| app.clock.now());
    let start = end.checked_sub_signed(SPAN_OF_A_TYPE).unwrap_or_default();
    own(member)
        .filter(Column::ObjectType.eq(object_type))
        .filter(Column::At.gte(start))
        .filter(filter.condition())
}

fn of_object(member: &Member, id: Uuid) -> Select<Entity> {
    own(member).filter(Column::ObjectId.eq(id.to_string()))
}

/// A page of entries. Every object of an organization has at least one entry, for its creation, arrival or sign-in:
/// without any entry, it is not found.
async fn shown(
    app: &App,
    member: &Member,
    rows: Select<Entity>,
    filter: &Filter,
) -> Result<Json<Paged<AuditEntry>>> {
    let (db, page) = (app.store.db(), filter.page()?);
    if !rows.clone().exists(db).await? {
        return Err(Error::NotFound);
    }
    let page = sql::page(db, rows.filter(filter.condition()), &NEWEST, page).await?;
    named_page(app, &member.tenant(), page).await
}

/// Number of entries in one chunk of a file.
const CHUNK: u64 = 500;

/// Entries as a file, newest first.
struct Entries {
    tenant: Tenant,
    rows: Select<Entity>,
    /// Position of the last entry that was read.
    behind: Option<(DateTime<Utc>, Uuid)>,
    is_at_end: bool,
}

impl Report<7> for Entries {
    const COLUMNS: [&'static str; 7] =
        ["Time", "User", "Event", "What", "Object type", "Object", "Object ID"];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 7]>>> {
        if self.is_at_end {
            return Ok(None);
        }
        let mut rows = self.rows.clone();
        if let Some((at, id)) = self.behind {
            // The first condition matches the first column of the index.
            rows = rows
                .filter(Column::At.lte(at))
                .filter(Condition::any().add(Column::At.lt(at)).add(Column::Id.lt(id)));
        }
        let rows = rows.order_by_desc(Column::At).order_by_desc(Column::Id).limit(CHUNK);
        let piece = rows.all(app.store.db()).await?;
        self.is_at_end = (piece.len() as u64) < CHUNK;
        self.behind = piece.last().map(|row| (row.at, row.id));
        let entries = named(app, &self.tenant, piece).await?;
        Ok(Some(entries.into_iter().map(line).collect()))
    }
}

fn line(entry: AuditEntry) -> [String; 7] {
    [
        time(entry.created_on),
        inert(&entry.created_by),
        entry.event_type,
        inert(&entry.what),
        entry.object_type,
        inert(&entry.object_name),
        inert(&entry.object_id),
    ]
}
