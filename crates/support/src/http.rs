//! `/api/supporttickets`: creating tickets, and the state of one's own tickets.

use crate::{
    mail::{self, SupportTicket},
    types::{Ticket, TicketChoices, TicketForm, TicketQuery, details_context},
};
use axum::{Json, extract::State};
use chrono::Duration;
use email::{Prepared, Recipient};
use platform::{
    App, Error, Member, Result,
    access::MEMBERS,
    api::Api,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
    http::{Body, Created, HostName, Page, Paged, Params},
    sql,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, Order, PaginatorTrait, QueryFilter,
};
use store::entities::{
    brand, organization,
    support_ticket::{self, Column, Entity, TicketState},
};
use utoipa_axum::routes;
use uuid::Uuid;

pub fn api() -> Api {
    Api::new()
        .route(MEMBERS, routes!(own_support_tickets, create_support_ticket))
        .route(MEMBERS, routes!(support_ticket_choices))
}

/// Most tickets of one person within a day.
const MOST_IN_A_DAY: u64 = 20;

const AREAS: [&str; 20] = [
    "Add on",
    "Address configuration",
    "APIs",
    "Document type setup",
    "Document viewing",
    "Fax number configuration",
    "Intake",
    "Intake process",
    "Intake download",
    "Intake rules",
    "Desktop",
    "Fax",
    "My profile",
    "Notifications",
    "Other",
    "Porting fax number",
    "Release",
    "Releases setup",
    "Request connection/invite",
    "User assignment",
];

fn is_mailed(app: &App) -> bool {
    app.config.support.address.is_some() && email::is_available(app)
}

async fn areas_for(app: &App, organization: &organization::Model) -> Result<Vec<String>> {
    let mut areas: Vec<String> = AREAS.map(str::to_owned).into();
    let more = &app.config.support.brand_areas;
    if !more.is_empty()
        && let Some(brand) = brand::Entity::find_by_id(organization.brand_id).one(app.store.db()).await?
    {
        areas.extend(more.get(&brand.name).cloned());
    }
    Ok(areas)
}

async fn organization_of(app: &App, member: &Member) -> Result<organization::Model> {
    let found = organization::Entity::find_by_id(member.organization_id).one(app.store.db()).await?;
    found.ok_or(Error::NotFound)
}

/// Choices for a ticket
#[utoipa::path(get, path = "/api/supporttickets/choices", operation_id = "supportTicketChoices", tag = "support",
    responses((status = 200, body = TicketChoices)))]
async fn support_ticket_choices(State(app): State<App>, member: Member) -> Result<Json<TicketChoices>> {
    let areas = areas_for(&app, &organization_of(&app, &member).await?).await?;
    Ok(Json(TicketChoices { areas, is_mailed: is_mailed(&app) }))
}

/// The caller's own tickets, newest first
#[utoipa::path(get, path = "/api/supporttickets", operation_id = "ownSupportTickets", tag = "support",
    params(TicketQuery), responses((status = 200, body = Paged<Ticket>)))]
async fn own_support_tickets(
    State(app): State<App>,
    member: Member,
    Params(query): Params<TicketQuery>,
) -> Result<Json<Paged<Ticket>>> {
    let page = Page::new(query.page, query.page_size, 25, 100)?;
    let rows = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::UserId.eq(member.caller.user_id));
    let order = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items, total_count, total_is_capped } = sql::page(app.store.db(), rows, &order, page).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let items = items.into_iter().map(|row| Ticket::open(&key, row)).collect::<Result<_>>()?;
    Ok(Json(Paged { items, total_count, total_is_capped }))
}

/// Creates a ticket for the operators of the installation
#[utoipa::path(post, path = "/api/supporttickets", operation_id = "createSupportTicket", tag = "support",
    request_body = TicketForm, responses((status = 201, body = Ticket)))]
async fn create_support_ticket(
    State(app): State<App>,
    member: Member,
    HostName(host): HostName,
    Body(form): Body<TicketForm>,
) -> Result<Created<Ticket>> {
    let organization = organization_of(&app, &member).await?;
    let mut errors = FieldErrors::default();
    let areas = areas_for(&app, &organization).await?;
    errors.require(areas.contains(&form.area), "area", DEFAULT_FIELD_ERROR);
    errors.require((1..=4).contains(&form.severity), "severity", DEFAULT_FIELD_ERROR);
    errors.check()?;
    let (now, id, caller) = (app.clock.now(), Uuid::now_v7(), &member.caller);
    let recent = Entity::find()
        .filter(Column::UserId.eq(caller.user_id))
        .filter(Column::CreatedAt.gt(now - Duration::days(1)));
    if recent.count(app.store.db()).await? >= MOST_IN_A_DAY {
        return Err(Error::Conflict("You have sent many tickets today. Please wait until tomorrow.".into()));
    }
    let letter = letter(&app, &member, &organization, &host, &form).await?;
    let key = app.keys.data_key(member.organization_id).await?;
    let row = support_ticket::ActiveModel {
        id: Set(id),
        organization_id: Set(member.organization_id),
        user_id: Set(caller.user_id),
        area: Set(form.area),
        severity: Set(form.severity),
        subject: Set(form.subject.into()),
        sealed_details: Set(key.seal(&details_context(id), form.details.as_bytes())),
        user_name: Set(caller.user_name.clone()),
        full_name: Set(caller.full_name.clone()),
        host: Set(host),
        state: Set(TicketState::Open),
        is_mailed: Set(letter.is_some()),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    };
    let txn = app.store.begin().await?;
    let row = row.insert(&txn).await?;
    if let Some(letter) = letter {
        letter.enqueue(&txn).await?;
    }
    audit::record(&app, &txn, &Actor::from(caller), Act::new(event::CREATED, "supportticket", id)).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(Created("/api/supporttickets".into(), Ticket::open(&key, row)?))
}

async fn letter(
    app: &App,
    member: &Member,
    organization: &organization::Model,
    host: &str,
    form: &TicketForm,
) -> Result<Option<Prepared>> {
    let Some(address) = app.config.support.address.clone().filter(|_| is_mailed(app)) else {
        return Ok(None);
    };
    let mail = SupportTicket {
        subject_line: form.subject.to_string(),
        area: form.area.clone(),
        severity: mail::severity(form.severity),
        details: form.details.to_string(),
        full_name: member.caller.full_name.clone(),
        user_name: member.caller.user_name.clone(),
        user_id: member.caller.user_id.to_string(),
        organization: organization.name.clone(),
        host: host.to_owned(),
    };
    let to = Recipient { name: "Support".into(), address };
    Ok(Some(email::prepare(app, member.organization_id, to, &mail).await?))
}
