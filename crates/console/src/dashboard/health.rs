//! `/api/admin/dashboard/messaging`: the state of messaging over all organizations. Every number is counted in an
//! index, up to 10,000.

use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result, access::OPERATORS, api::Api, http::COUNT_CAP, sql::capped_count};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, sea_query::Expr,
};
use serde::Serialize;
use store::entities::{
    delivery, inbound_mail, message,
    message_event::{self, EventType},
    proofing_document, upgrade_request, workflow,
    workflow_step::{self, StepStatus},
};
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(messaging_health))
}

/// `message.direction`.
const INTAKE: i16 = 0;
/// Normal maximum of the time until a step is picked up.
const PROMPT: Duration = Duration::seconds(30);

/// States are literals if an index only has rows with them: a plan cannot depend on a bound value (ADR 5).
const IS_OPEN: &str = "workflow_step.status IN ('Pending', 'Running')";
const HAS_FAILED: &str = "workflow.status = 'Failed'";

/// Numbers are counted up to 10,000.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessagingHealth {
    /// Number of due workflow steps that no worker has picked up.
    pub waiting_steps: u64,
    /// Time at which the oldest of them was due.
    pub oldest_waiting_date: Option<DateTime<Utc>>,
    /// Whether the oldest has waited longer than normal.
    pub is_behind: bool,
    /// Number of failed steps that will be retried.
    pub retried_steps: u64,
    /// Number of received mails that have not been processed.
    pub unopened_mails: u64,
    pub oldest_unopened_date: Option<DateTime<Utc>>,
    /// Number of permanently failed workflows.
    pub failed_workflows: u64,
    /// In the last 24 hours.
    pub failed_deliveries: u64,
    /// In the last 24 hours.
    pub messages_received: u64,
    /// Confirmed in the last 24 hours.
    pub deliveries: u64,
    /// Number of unread messages in the Intake of all organizations.
    pub unread_messages: u64,
    pub documents_to_review: u64,
    pub upgrade_requests: u64,
}

/// The state of messaging over all organizations
#[utoipa::path(get, path = "/api/admin/dashboard/messaging", operation_id = "messagingHealth", tag = "reports",
    responses((status = 200, body = MessagingHealth)))]
async fn messaging_health(State(app): State<App>) -> Result<Json<MessagingHealth>> {
    let (db, now) = (app.store.db(), app.clock.now());
    let since = now - Duration::days(1);
    let oldest_waiting_date = oldest(db, due(now), workflow_step::Column::RunAt).await?;
    let unopened = inbound_mail::Entity::find().filter(inbound_mail::Column::FinishedAt.is_null());
    let retried =
        pending().filter(workflow_step::Column::RunAt.gt(now)).filter(workflow_step::Column::Attempt.gt(0));
    let failed = workflow::Entity::find().filter(Expr::cust(HAS_FAILED));
    let failed_deliveries = delivery::Entity::find().filter(delivery::Column::FailedAt.gte(since));
    let waiting_documents =
        proofing_document::Entity::find().filter(proofing_document::Column::Decision.is_null());
    Ok(Json(MessagingHealth {
        waiting_steps: count(db, due(now)).await?,
        is_behind: oldest_waiting_date.is_some_and(|due| due < now - PROMPT),
        oldest_waiting_date,
        retried_steps: count(db, retried).await?,
        oldest_unopened_date: oldest(db, unopened.clone(), inbound_mail::Column::ReceivedAt).await?,
        unopened_mails: count(db, unopened).await?,
        failed_workflows: count(db, failed).await?,
        failed_deliveries: count(db, failed_deliveries).await?,
        messages_received: count(db, events(EventType::Received, since)).await?,
        deliveries: count(db, events(EventType::Delivered, since)).await?,
        unread_messages: count(db, unread()).await?,
        documents_to_review: count(db, waiting_documents).await?,
        upgrade_requests: count(db, upgrade_request::Entity::find()).await?,
    }))
}

fn pending() -> Select<workflow_step::Entity> {
    workflow_step::Entity::find()
        .filter(Expr::cust(IS_OPEN))
        .filter(workflow_step::Column::Status.eq(StepStatus::Pending))
}

fn due(now: DateTime<Utc>) -> Select<workflow_step::Entity> {
    pending().filter(workflow_step::Column::RunAt.lte(now))
}

fn events(kind: EventType, since: DateTime<Utc>) -> Select<message_event::Entity> {
    message_event::Entity::find()
        .filter(message_event::Column::At.gte(since))
        .filter(message_event::Column::EventType.eq(kind))
}

fn unread() -> Select<message::Entity> {
    message::Entity::find()
        .filter(message::Column::DeletedAt.is_null())
        .filter(message::Column::ReadAt.is_null())
        .filter(message::Column::Direction.eq(INTAKE))
        .filter(message::Column::IsDraft.eq(false))
}

async fn count<E: EntityTrait>(db: &impl ConnectionTrait, rows: Select<E>) -> Result<u64> {
    Ok(capped_count(db, rows).await?.min(COUNT_CAP))
}

/// The earliest value of a column.
async fn oldest<E: EntityTrait>(
    db: &impl ConnectionTrait,
    rows: Select<E>,
    column: E::Column,
) -> Result<Option<DateTime<Utc>>> {
    let first = rows.select_only().column(column).order_by_asc(column).into_tuple().one(db).await?;
    Ok(first)
}
