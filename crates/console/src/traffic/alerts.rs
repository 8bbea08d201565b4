//! `/api/diagnostics/messaging/systemalerts`: what is wrong at this moment, since when, and what to do. Every alert follows
//! from something that was measured; one that is over is not shown.

use super::channels::{ChannelState, Line, state};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Result, access::OPERATORS, api::Api, http::Items, nodes};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder};
use serde::Serialize;
use store::entities::direct_certificate;
use utoipa::ToSchema;
use utoipa_axum::routes;
use workflow::lane_states;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(system_alerts))
}

/// Steps are usually picked up faster.
const PROMPT: Duration = Duration::seconds(30);
/// Steps that wait for longer hold messages up.
const LATE: Duration = Duration::minutes(5);
/// Certificates are renewed by themselves long before.
const NEARLY_EXPIRED: Duration = Duration::days(14);

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SystemAlert {
    /// When it began, or when it was first noticed.
    pub created_at: DateTime<Utc>,
    pub name: String,
    pub status: AlertStatus,
    /// What to do.
    pub advice: String,
    /// The page of the service that watches the installation, where there is one.
    pub data_dog_link: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
pub enum AlertStatus {
    /// Messages do not get through, or are about not to.
    Triggered,
    /// To be watched.
    Warn,
}

struct Found {
    since: DateTime<Utc>,
    name: String,
    status: AlertStatus,
    advice: &'static str,
}

/// What is wrong at this moment, the worst first
#[utoipa::path(get, path = "/api/diagnostics/messaging/systemalerts", operation_id = "systemAlerts",
    tag = "diagnostics", responses((status = 200, body = Items<SystemAlert>)))]
async fn system_alerts(State(app): State<App>) -> Result<Json<Items<SystemAlert>>> {
    let now = app.clock.now();
    let mut found = queues(&app, now).await?;
    found.extend(failing_channels(&app, now).await?);
    found.extend(silent_nodes(&app, now).await?);
    found.extend(certificates(&app, now).await?);
    found.extend(disk(&app, now));
    found.extend(audit(&app, now));
    found.sort_by(|a, b| a.status.cmp(&b.status).then(b.since.cmp(&a.since)));
    let link = app.config.monitoring_url.as_ref().map(ToString::to_string);
    let alert = |found: Found| SystemAlert {
        created_at: found.since,
        name: found.name,
        status: found.status,
        advice: found.advice.into(),
        data_dog_link: link.clone(),
    };
    Ok(Json(Items { items: found.into_iter().map(alert).collect() }))
}

async fn queues(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let waiting = lane_states(app.store.db(), now).await?.into_iter().filter_map(|lane| {
        let since = lane.oldest.filter(|oldest| now - *oldest > PROMPT)?;
        let status = if now - since > LATE { AlertStatus::Triggered } else { AlertStatus::Warn };
        Some(Found {
            since,
            name: format!("{}: {} steps wait for a worker", lane.lane, lane.waiting),
            status,
            advice: "See under Statistics whether a node is missing. If all are there, give the lane more workers.",
        })
    });
    Ok(waiting.collect())
}

async fn failing_channels(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for line in Line::all() {
        let (status, share) = match state(app.store.db(), &line, now).await? {
            ChannelState::Ok => continue,
            ChannelState::Warn => (AlertStatus::Warn, "1%"),
            ChannelState::Error => (AlertStatus::Triggered, "5%"),
        };
        found.push(Found {
            since: now - Duration::days(1),
            name: format!("{}: failures above {share} in 24 hours", line.name),
            status,
            advice: "Open the failed workflows, or the failures by cause, and retry them once the cause is gone.",
        });
    }
    Ok(found)
}

async fn silent_nodes(app: &App, now: DateTime<Utc>) -> Result<Vec<Found>> {
    let silent = nodes::all(app).await?.into_iter().filter(|node| !nodes::is_at_work(node, now));
    Ok(silent
        .map(|node| Found {
            since: node.seen_at,
            name: format!("{} has stopped answering", node.name),
            status: AlertStatus::Warn,
            advice: "Start the node again, or see why it cannot reach the database. Others take its work over.",
        })
        .collect())
}

async fn certificates(app: &App, now: DateTime<Utc>) -> Result<Option<Found>> {
    use direct_certificate::Column;
    let expiring = direct_certificate::Entity::find()
        .filter(Column::RevokedAt.is_null())
        .filter(Column::RetiredAt.is_null())
        .filter(Column::NotAfter.lt(now + NEARLY_EXPIRED));
    let Some(first) = expiring.clone().order_by_asc(Column::NotAfter).one(app.store.db()).await? else {
        return Ok(None);
    };
    let count = expiring.count(app.store.db()).await?;
    let status = if first.not_after <= now { AlertStatus::Triggered } else { AlertStatus::Warn };
    Ok(Some(Found {
        since: first.not_after - NEARLY_EXPIRED,
        name: format!("{count} certificates expire within 14 days, the first that of {}", first.domain),
        status,
        advice: "They are renewed by themselves 30 days before. See in the log of the workers why that fails.",
    }))
}

fn disk(app: &App, now: DateTime<Utc>) -> Option<Found> {
    let disk = &app.health.disk;
    let free = disk.free()?;
    let status = if free < disk.floor() {
        AlertStatus::Triggered
    } else if free < disk.floor().saturating_mul(2) {
        AlertStatus::Warn
    } else {
        return None;
    };
    Some(Found {
        since: now,
        name: format!("{} MB are free on the disk", free / 1_000_000),
        status,
        advice: "Make room. Below the floor nothing is taken in, so that what runs can end.",
    })
}

fn audit(app: &App, now: DateTime<Utc>) -> Option<Found> {
    let findings = app.health.audit_findings();
    (!findings.is_empty()).then(|| Found {
        since: now,
        name: format!("{} findings in the audit trail", findings.len()),
        status: AlertStatus::Triggered,
        advice: "Run carepost doctor. It names the entries that were changed or removed.",
    })
}
