//! `/api/admin/faxqueue`: received faxes of unknown organizations.

use crate::{
    fax::{arrivals, numbers::queries::display},
    model::{SourceKind, SourceStatus},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::DEFAULT_FIELD_ERROR,
    http::{Body, Id, Message, Page, Paged, Params},
    sql::capped_count,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use store::entities::{
    document_source,
    fax_reception::{self, ReceptionState},
    organization,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(fax_queue))
        .route(SYSADMINS, routes!(assign_fax))
        .route(SYSADMINS, routes!(discard_fax))
}

/// A received fax of an unknown organization. Its pages are not shown to anybody.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnknownFax {
    pub id: Uuid,
    /// The organization of the account that received it.
    pub organization_id: Uuid,
    pub organization_name: String,
    pub called: Option<String>,
    pub caller: Option<String>,
    pub caller_name: Option<String>,
    pub sender_id: Option<String>,
    pub pages: Option<i32>,
    /// Why the last pages are missing.
    pub partial: Option<String>,
    pub received_at: DateTime<Utc>,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
struct QueueParams {
    page_number: Option<u64>,
    /// Default 25, maximum 100.
    page_size: Option<u64>,
}

/// Received faxes of unknown organizations, oldest first
#[utoipa::path(get, path = "/api/admin/faxqueue", operation_id = "faxQueue", tag = "fax", params(QueueParams),
    responses((status = 200, body = Paged<UnknownFax>)))]
async fn fax_queue(
    State(app): State<App>,
    caller: Caller,
    Params(params): Params<QueueParams>,
) -> Result<Json<Paged<UnknownFax>>> {
    let db = app.store.db();
    let page = Page::new(params.page_number, params.page_size, 25, 100)?;
    audit::record_read(&app, &caller, Act::new(event::LISTED, "faxqueue", "")).await?;
    let rows = fax_reception::Entity::find().filter(fax_reception::Column::State.eq(ReceptionState::Unknown));
    let total = capped_count(db, rows.clone()).await?;
    let rows = rows
        .order_by_asc(fax_reception::Column::ReceivedAt)
        .offset(page.offset())
        .limit(page.size)
        .all(db)
        .await?;
    let owners = organization::Entity::find()
        .filter(organization::Column::Id.is_in(rows.iter().map(|r| r.organization_id)))
        .all(db)
        .await?;
    let names: HashMap<Uuid, String> = owners.into_iter().map(|o| (o.id, o.name)).collect();
    let items = rows
        .into_iter()
        .map(|row| UnknownFax {
            id: row.id,
            organization_name: names.get(&row.organization_id).cloned().unwrap_or_default(),
            organization_id: row.organization_id,
            called: row.called.as_deref().map(display),
            caller: row.caller.as_deref().map(display),
            caller_name: row.caller_name,
            sender_id: row.sender_id,
            pages: row.pages,
            partial: row.partial,
            received_at: row.received_at,
        })
        .collect();
    Ok(Json(Paged::capped(items, total)))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// The fax number whose organization receives it.
    pub document_source_id: Uuid,
}

/// Assigns a fax to the organization of a number
#[utoipa::path(post, path = "/api/admin/faxqueue/{id}/assign", operation_id = "assignFax", tag = "fax",
    params(("id" = Uuid, Path)), request_body = Assignment, responses((status = 200, body = Message)))]
async fn assign_fax(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<Assignment>,
) -> Result<Json<Message>> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    let source = document_source::Entity::find_by_id(body.document_source_id)
        .filter(document_source::Column::Kind.eq(SourceKind::Fax))
        .filter(document_source::Column::Status.ne(SourceStatus::Deleted))
        .one(&txn)
        .await?;
    let source = source.ok_or_else(|| Error::field("documentSourceId", DEFAULT_FIELD_ERROR))?;
    let row = fax_reception::Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let row = row.ok_or(Error::NotFound)?;
    arrivals::unknown(&row)?;
    let mut change = row.into_active_model();
    change.state = Set(ReceptionState::Kept);
    change.document_source_id = Set(Some(source.id));
    change.decided_by = Set(Some(caller.user_id));
    change.decided_at = Set(Some(now));
    change.update(&txn).await?;
    arrivals::enqueue(&txn, source.organization_id, id, now).await?;
    let actor = Actor { organization_id: Some(source.organization_id), ..Actor::from(&caller) };
    let act = Act::new(event::CHANGED, "fax", id).detail(json!({ "assignedTo": source.id }));
    audit::record(&app, &txn, &actor, act).await?;
    app.store.commit_durable(txn).await?;
    app.bus.publish(Event::Work).await;
    Ok(Json(Message { message: "The fax was assigned.".into() }))
}

#[derive(Deserialize, ToSchema)]
pub struct Discarding {
    /// Why it belongs to no organization; kept in the audit trail.
    pub reason: String,
}

/// Removes a fax from the queue. Its pages are kept
#[utoipa::path(post, path = "/api/admin/faxqueue/{id}/discard", operation_id = "discardFax", tag = "fax",
    params(("id" = Uuid, Path)), request_body = Discarding, responses((status = 200, body = Message)))]
async fn discard_fax(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(body): Body<Discarding>,
) -> Result<Json<Message>> {
    let reason = body.reason.trim();
    if reason.is_empty() || reason.chars().count() > 255 {
        return Err(Error::field(
            "reason",
            "Please say in up to 255 characters why the fax belongs to nobody.",
        ));
    }
    let txn = app.store.begin().await?;
    let row = fax_reception::Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let row = row.ok_or(Error::NotFound)?;
    arrivals::unknown(&row)?;
    let organization_id = row.organization_id;
    let mut change = row.into_active_model();
    change.state = Set(ReceptionState::Discarded);
    change.decided_by = Set(Some(caller.user_id));
    change.decided_at = Set(Some(app.clock.now()));
    change.update(&txn).await?;
    let actor = Actor { organization_id: Some(organization_id), ..Actor::from(&caller) };
    let act = Act::new(event::DELETED, "fax", id).detail(json!({ "reason": reason }));
    audit::record(&app, &txn, &actor, act).await?;
    txn.commit().await?;
    Ok(Json(Message { message: "The fax was removed from the queue.".into() }))
}
