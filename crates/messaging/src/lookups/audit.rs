//! `/api/audit/…`: what happened to one object of the organization

use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, event},
    http::{DayOrMoment, Id, Items, Page, Paged, Params},
};
use sea_orm::{ColumnTrait, Condition};
use serde::{Deserialize, Serialize};
use store::entities::audit_entry;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new().route(ADMINS, routes!(types)).route(ADMINS, routes!(entries))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub id: Uuid,
    pub created_by: String,
    pub event_type: String,
    /// What was changed, where the type does not say it.
    pub what: String,
    pub created_on: DateTime<Utc>,
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

/// What happened to one object, newest first
#[utoipa::path(get, path = "/api/audit/{type}/{id}", operation_id = "auditEntries", tag = "audit",
    params(("type" = String, Path), ("id" = Uuid, Path), Filter), responses((status = 200, body = Paged<AuditEntry>)))]
async fn entries(
    State(app): State<App>,
    member: Member,
    Id((object_type, id)): Id<(String, Uuid)>,
    Params(filter): Params<Filter>,
) -> Result<Json<Paged<AuditEntry>>> {
    let page = Page::new(filter.page, filter.page_size, 10, 100)?;
    let mut condition = Condition::all();
    if let Some(kind) = filter.event_type.filter(|t| !t.is_empty()) {
        condition = condition.add(audit_entry::Column::EventType.eq(kind));
    }
    if let Some(start) = filter.start {
        condition = condition.add(audit_entry::Column::At.gte(start.begin()));
    }
    if let Some(end) = filter.end.and_then(DayOrMoment::behind) {
        condition = condition.add(audit_entry::Column::At.lt(end));
    }
    let id = id.to_string();
    let db = app.store.db();
    // Everything that an organization has was made or came at some time: what has no entry is not there.
    if !audit::is_known(db, member.organization_id, &object_type, &id).await? {
        return Err(Error::NotFound);
    }
    let (rows, total) =
        audit::entries_about(db, member.organization_id, &object_type, &id, condition, page).await?;
    let items = rows
        .into_iter()
        .map(|e| AuditEntry {
            id: e.id,
            created_by: e.actor_name,
            event_type: e.event_type,
            what: audit::what_changed(&e.detail),
            created_on: e.at,
        })
        .collect();
    Ok(Json(Paged::capped(items, total)))
}
