//! `/api/admin/supporttickets`: all tickets, for operators.

use crate::types::{AdminTicket, AdminTicketDetails, AdminTicketQuery, TicketChange, open_details};
use axum::{Json, extract::State};
use platform::{
    App, Caller, Error, Result,
    access::SYSADMINS,
    api::Api,
    audit::{self, Act, Actor, event},
    http::{Body, Id, Page, Paged, Params},
    records::{self, Record},
    sql,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, Order, QueryFilter};
use std::collections::HashMap;
use store::entities::{
    organization,
    support_ticket::{Column, Entity, Model},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(SYSADMINS, routes!(support_tickets))
        .route(SYSADMINS, routes!(support_ticket, update_support_ticket))
}

struct TicketRecord;

impl Record for TicketRecord {
    type Entity = Entity;
    const OBJECT: &'static str = "supportticket";
    const NOUN: &'static str = "this ticket";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const MODIFIED_AT: Option<Column> = Some(Column::ModifiedAt);
    const AUDITED: &'static [Column] = &[Column::State];
    const TAKEN: (&'static str, &'static str) = ("state", "This ticket is there already.");
}

async fn views(app: &App, rows: Vec<Model>) -> Result<Vec<AdminTicket>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.organization_id).collect();
    let names: HashMap<Uuid, String> = organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids))
        .all(app.store.db())
        .await?
        .into_iter()
        .map(|organization| (organization.id, organization.name))
        .collect();
    let name_of = |id| names.get(&id).cloned().unwrap_or_default();
    Ok(rows.into_iter().map(|row| view(name_of(row.organization_id), row)).collect())
}

fn view(organization_name: String, row: Model) -> AdminTicket {
    AdminTicket {
        organization_name,
        id: row.id,
        area: row.area,
        severity: row.severity,
        subject: row.subject,
        state: row.state,
        is_mailed: row.is_mailed,
        created_at: row.created_at,
        user_name: row.user_name,
        full_name: row.full_name,
        host: row.host,
        version: row.version,
    }
}

async fn details(app: &App, row: Model) -> Result<AdminTicketDetails> {
    let key = app.keys.data_key(row.organization_id).await?;
    let details = open_details(&key, &row)?;
    let ticket = views(app, vec![row]).await?.pop().ok_or(Error::NotFound)?;
    Ok(AdminTicketDetails { ticket, details })
}

/// All tickets, newest first
#[utoipa::path(get, path = "/api/admin/supporttickets", operation_id = "supportTickets", tag = "support",
    params(AdminTicketQuery), responses((status = 200, body = Paged<AdminTicket>)))]
async fn support_tickets(
    State(app): State<App>,
    Params(query): Params<AdminTicketQuery>,
) -> Result<Json<Paged<AdminTicket>>> {
    let page = Page::new(query.page, query.page_size, 25, 100)?;
    let mut rows = Entity::find();
    if let Some(state) = query.state {
        rows = rows.filter(Column::State.eq(state));
    }
    let order = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items, total_count, total_is_capped } = sql::page(app.store.db(), rows, &order, page).await?;
    Ok(Json(Paged { items: views(&app, items).await?, total_count, total_is_capped }))
}

/// Reads a ticket
#[utoipa::path(get, path = "/api/admin/supporttickets/{id}", operation_id = "supportTicket", tag = "support",
    params(("id" = Uuid, Path)), responses((status = 200, body = AdminTicketDetails)))]
async fn support_ticket(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
) -> Result<Json<AdminTicketDetails>> {
    let found = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let txn = app.store.begin().await?;
    let actor = Actor::in_organization(&caller, found.organization_id);
    audit::record(&app, &txn, &actor, Act::new(event::VIEWED, "supportticket", id)).await?;
    txn.commit().await?;
    Ok(Json(details(&app, found).await?))
}

/// Changes the state of a ticket
#[utoipa::path(put, path = "/api/admin/supporttickets/{id}", operation_id = "updateSupportTicket", tag = "support",
    params(("id" = Uuid, Path)), request_body = TicketChange,
    responses((status = 200, body = AdminTicketDetails), (status = 409, description = "Changed by somebody else")))]
async fn update_support_ticket(
    State(app): State<App>,
    caller: Caller,
    Id(id): Id<Uuid>,
    Body(change): Body<TicketChange>,
) -> Result<Json<AdminTicketDetails>> {
    let found = Entity::find_by_id(id).one(app.store.db()).await?.ok_or(Error::NotFound)?;
    let actor = Actor::in_organization(&caller, found.organization_id);
    let mut edit =
        records::edit::<TicketRecord>(&app, &actor, Entity::find_by_id(id), change.version).await?;
    edit.row.state = Set(change.state);
    let saved = edit.save().await?;
    Ok(Json(details(&app, saved).await?))
}
