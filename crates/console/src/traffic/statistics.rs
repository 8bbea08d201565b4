//! `/api/diagnostics/worker`, `/api/diagnostics/stats`: the activity of the nodes, and the work done in the last
//! hours.

use crate::lanes::{LaneView, lane_views};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Error, Result, access::SYSADMINS, api::Api, http::Params, nodes};
use sea_orm::{ConnectionTrait, FromQueryResult, Statement};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::dialect;
use utoipa::ToSchema;
use utoipa_axum::routes;
use uuid::Uuid;
use workflow::{StepType, names};

pub fn api() -> Api {
    Api::new().route(SYSADMINS, routes!(worker_data)).route(SYSADMINS, routes!(traffic_stats))
}

const HOURS: i64 = 1;
const HOURS_MAX: i64 = 24;
/// Number of points in a chart.
const POINTS: i64 = 48;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerData {
    pub nodes: Vec<NodeView>,
    /// Running and waiting work.
    pub lanes: Vec<LaneView>,
}

/// A process of the installation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    pub id: Uuid,
    pub name: String,
    /// Some of web, smtp, dns and worker.
    pub roles: Vec<String>,
    pub version: String,
    pub started_date: DateTime<Utc>,
    pub seen_date: DateTime<Utc>,
    /// Whether it was seen within the last minute.
    pub is_at_work: bool,
}

/// The nodes of the installation, and the activity of their workers
#[utoipa::path(get, path = "/api/diagnostics/worker", operation_id = "workerData", tag = "diagnostics",
    responses((status = 200, body = WorkerData)))]
async fn worker_data(State(app): State<App>) -> Result<Json<WorkerData>> {
    let now = nodes::now(&app);
    let node = |node: store::entities::node::Model| NodeView {
        is_at_work: nodes::is_at_work(&node, now),
        id: node.id,
        name: node.name,
        roles: node.roles.0,
        version: node.version,
        started_date: node.started_at,
        seen_date: node.seen_at,
    };
    let nodes = nodes::all(&app).await?.into_iter().map(node).collect();
    Ok(Json(WorkerData { nodes, lanes: lane_views(&app).await? }))
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StatsQuery {
    /// 1 by default, at most 24
    pub hours: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TrafficStats {
    /// The requested hours, and the same number before them, oldest first.
    pub messages: Vec<MessagesAt>,
    pub conversions: Vec<ConversionsAt>,
}

/// Messages within a period.
#[derive(Debug, Serialize, ToSchema)]
pub struct MessagesAt {
    /// Start of the period.
    pub date: DateTime<Utc>,
    /// Number of mails and faxes opened.
    pub received: i64,
    /// Number of completed transfers to recipients.
    pub sent: i64,
    /// Number of failed attempts.
    pub failed: i64,
}

/// Conversions of files within a period.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversionsAt {
    /// Start of the period.
    pub date: DateTime<Utc>,
    pub count: i64,
    /// Average duration.
    pub milliseconds: Option<i64>,
}

#[derive(FromQueryResult)]
struct Stretch {
    number: i64,
    received: i64,
    sent: i64,
    failed: i64,
    conversions: i64,
    converting: i64,
}

/// The work done in the last hours
#[utoipa::path(get, path = "/api/diagnostics/stats", operation_id = "trafficStats", tag = "diagnostics",
    params(StatsQuery), responses((status = 200, body = TrafficStats)))]
async fn traffic_stats(
    State(app): State<App>,
    Params(query): Params<StatsQuery>,
) -> Result<Json<TrafficStats>> {
    let hours = query.hours.unwrap_or(HOURS);
    if !(1..=HOURS_MAX).contains(&hours) {
        return Err(Error::field("hours", "Statistics show 1 to 24 hours."));
    }
    let width = Duration::hours(2 * hours).num_microseconds().unwrap_or_default() / POINTS;
    let last = app.clock.now().timestamp_micros() / width;
    let first = last - POINTS + 1;
    let begin = |number: i64| DateTime::from_timestamp_micros(number * width).unwrap_or_default();
    let by_number = counted(app.store.db(), begin(first), width).await?;
    let mut stats = TrafficStats { messages: Vec::new(), conversions: Vec::new() };
    for number in first..=last {
        let (date, at) = (begin(number), by_number.get(&number));
        let of = |value: fn(&Stretch) -> i64| at.map_or(0, value);
        stats.messages.push(MessagesAt {
            date,
            received: of(|at| at.received),
            sent: of(|at| at.sent),
            failed: of(|at| at.failed),
        });
        let count = of(|at| at.conversions);
        let milliseconds = (count > 0).then(|| of(|at| at.converting) / count / 1_000);
        stats.conversions.push(ConversionsAt { date, count, milliseconds });
    }
    Ok(Json(stats))
}

/// Counts the attempts that ended since a time, by periods of the given length in microseconds.
async fn counted(
    db: &impl ConnectionTrait,
    since: DateTime<Utc>,
    width: i64,
) -> Result<HashMap<i64, Stretch>> {
    let backend = db.get_database_backend();
    let (ended, started) =
        (dialect::microseconds(backend, "ended_at"), dialect::microseconds(backend, "started_at"));
    let sum = |condition: &str, value: &str| {
        format!("CAST(COALESCE(SUM(CASE WHEN {condition} THEN {value} END), 0) AS BIGINT)")
    };
    let completed = |steps: &[StepType]| {
        let names: Vec<String> = steps.iter().map(|step| format!("'{}'", step.name)).collect();
        format!("outcome = 'Completed' AND name IN ({})", names.join(", "))
    };
    let sql = format!(
        "SELECT number, {} AS received, {} AS sent, {} AS failed, {} AS conversions, {} AS converting FROM \
         (SELECT ({ended}) / {width} AS number, ({ended}) - ({started}) AS took, name, lane, outcome \
          FROM step_attempt WHERE ended_at >= $1) AS attempts GROUP BY number",
        sum(&completed(&names::RECEIVED), "1"),
        sum(&completed(&names::SENT), "1"),
        sum("outcome NOT IN ('Completed', 'Skipped')", "1"),
        sum("outcome = 'Completed' AND lane = 'Conversion'", "1"),
        sum("outcome = 'Completed' AND lane = 'Conversion'", "took"),
    );
    let rows = Statement::from_sql_and_values(backend, sql, [since.into()]);
    let rows = Stretch::find_by_statement(rows).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.number, row)).collect())
}
