//! `/api/webhooks/{id}/deliveries`: deliveries, their outcomes, and sending them again.

use crate::{
    call, queries,
    types::{DeliveryQuery, Resend, Resent, WebhookDelivery, WebhookDeliveryDetails},
};
use axum::{Json, extract::State};
use platform::{
    App, Error, Member, Result,
    access::ADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    http::{Body, Id, Page, Paged, Params},
    sql,
};
use sea_orm::{
    ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr,
};
use serde_json::json;
use store::entities::{
    webhook,
    webhook_delivery::{Column, DeliveryStatus, Entity, Model},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::for_subscribers()
        .route(ADMINS, routes!(webhook_deliveries))
        .route(ADMINS, routes!(webhook_delivery))
        .route(ADMINS, routes!(resend_webhook_delivery))
        .route(ADMINS, routes!(resend_webhook_deliveries))
}

/// Most deliveries sent again by one call.
const RESENT: usize = 1_000;

/// Deliveries of a webhook, newest first
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries", operation_id = "webhookDeliveries", tag = "webhooks",
    params(("id" = Uuid, Path), DeliveryQuery), responses((status = 200, body = Paged<WebhookDelivery>)))]
async fn webhook_deliveries(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Params(query): Params<DeliveryQuery>,
) -> Result<Json<Paged<WebhookDelivery>>> {
    let page = Page::new(query.page, query.page_size, 25, 100)?;
    let db = app.store.db();
    queries::find(db, member.organization_id, id).await?;
    let mut rows = queries::deliveries(member.organization_id, id);
    if let Some(status) = query.status {
        rows = rows.filter(Column::Status.eq(status));
    }
    let order = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    Ok(Json(sql::page(db, rows, &order, page).await?.map(Into::into)))
}

/// A delivery with its body and the endpoint's answer
#[utoipa::path(get, path = "/api/webhooks/{id}/deliveries/{deliveryId}", operation_id = "webhookDelivery",
    tag = "webhooks", params(("id" = Uuid, Path), ("deliveryId" = Uuid, Path)),
    responses((status = 200, body = WebhookDeliveryDetails)))]
async fn webhook_delivery(
    State(app): State<App>,
    member: Member,
    Id((id, delivery_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<WebhookDeliveryDetails>> {
    let found = one(&member, id, delivery_id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let key = app.keys.data_key(member.organization_id).await?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let body = text(key.open(&queries::body_context(found.id), &found.sealed_body)?);
    let sealed = found.sealed_response.as_deref();
    let response = sealed.map(|sealed| key.open(&queries::response_context(found.id), sealed)).transpose()?;
    let act = Act::new(event::VIEWED, "webhook", id).detail(json!({ "delivery": delivery_id }));
    audit::record_read(&app, &member.caller, act).await?;
    Ok(Json(WebhookDeliveryDetails { delivery: found.into(), body, response: response.map(text) }))
}

fn one(member: &Member, id: Uuid, delivery_id: Uuid) -> Select<Entity> {
    queries::deliveries(member.organization_id, id).filter(Column::Id.eq(delivery_id))
}

/// Sends a delivered or failed event again
#[utoipa::path(post, path = "/api/webhooks/{id}/deliveries/{deliveryId}/resend",
    operation_id = "resendWebhookDelivery", tag = "webhooks",
    params(("id" = Uuid, Path), ("deliveryId" = Uuid, Path)), responses((status = 200, body = Resent)))]
async fn resend_webhook_delivery(
    State(app): State<App>,
    member: Member,
    Id((id, delivery_id)): Id<(Uuid, Uuid)>,
) -> Result<Json<Resent>> {
    let hook = queries::find(app.store.db(), member.organization_id, id).await?;
    one(&member, id, delivery_id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let ended = one(&member, id, delivery_id).filter(Column::Status.ne(DeliveryStatus::Waiting));
    Ok(Json(send_again(&app, &member, &hook, ended).await?))
}

/// Sends all events that failed since a time again
#[utoipa::path(post, path = "/api/webhooks/{id}/resend", operation_id = "resendWebhookDeliveries",
    tag = "webhooks", params(("id" = Uuid, Path)), request_body = Resend,
    responses((status = 200, body = Resent)))]
async fn resend_webhook_deliveries(
    State(app): State<App>,
    member: Member,
    Id(id): Id<Uuid>,
    Body(Resend { since }): Body<Resend>,
) -> Result<Json<Resent>> {
    let hook = queries::find(app.store.db(), member.organization_id, id).await?;
    let failed = queries::deliveries(member.organization_id, id)
        .filter(Column::Status.eq(DeliveryStatus::Failed))
        .filter(Column::CreatedAt.gte(since));
    Ok(Json(send_again(&app, &member, &hook, failed).await?))
}

/// Sends the selected deliveries again, oldest first.
async fn send_again(
    app: &App,
    member: &Member,
    hook: &webhook::Model,
    found: Select<Entity>,
) -> Result<Resent> {
    if hook.paused_at.is_some() || !hook.is_enabled {
        return Err(Error::Conflict("This webhook is paused or switched off. Resume it first.".into()));
    }
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    // Locked, so that two simultaneous requests send it once.
    let mut rows: Vec<Model> = found
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
        .limit(RESENT as u64 + 1)
        .lock_exclusive()
        .all(&txn)
        .await?;
    let has_more = rows.len() > RESENT;
    rows.truncate(RESENT);
    let ids = || rows.iter().map(|row| row.id);
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(DeliveryStatus::Waiting))
        .col_expr(Column::Reason, Expr::value(""))
        .filter(Column::Id.is_in(ids()))
        .exec(&txn)
        .await?;
    workflow::enqueue_all(&txn, now, ids().map(|id| call::workflow(hook, id, now)).collect()).await?;
    let act = Act::new(event::SENT, "webhook", hook.id).detail(json!({ "again": rows.len() }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Resent { count: rows.len() as u64, has_more })
}
