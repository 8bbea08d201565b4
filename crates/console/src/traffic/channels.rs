//! `/api/diagnostics/messaging/messageCounts`: the traffic of each channel. The numbers cover the last seven days in
//! UTC, including today; the state covers the last 24 hours, or yesterday and today for the outcome of documents.

use super::days::{self, Counts};
use crate::workflows::{
    queries::Stretch,
    types::{RunKind, RunStatus},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Duration, NaiveDate, Utc};
use platform::{App, Result, access::OPERATORS, api::Api};
use sea_orm::{ConnectionTrait, FromQueryResult, Statement};
use serde::Serialize;
use store::entities::message_event::EventType;
use utoipa::ToSchema;
use utoipa_axum::routes;

pub fn api() -> Api {
    Api::new().route(OPERATORS, routes!(message_counts))
}

/// Percentages of a day's failed workflows from which a channel is in error, or needs attention.
const ERROR_PERCENT: i64 = 5;
const WARN_PERCENT: i64 = 1;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageCounts {
    /// Received messages, by channel.
    pub inbound_messages: Vec<MessagingHealthChannel>,
    /// Sent messages, by channel.
    pub outbound_messages: Vec<MessagingHealthChannel>,
    /// Outcome of documents at their recipients.
    pub results: Vec<MessagingHealthChannel>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessagingHealthChannel {
    pub name: String,
    pub success: i64,
    pub failure: i64,
    /// Neither of these yet, or unknown.
    pub other: i64,
    pub total: i64,
    pub state: ChannelState,
    /// Oldest day first.
    pub daily_stats: Vec<ChannelDay>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum ChannelState {
    Ok,
    /// At least 1 in 100 failed in the last 24 hours.
    Warn,
    /// At least 1 in 20 failed in the last 24 hours.
    Error,
}

impl ChannelState {
    pub fn of(failed: i64, total: i64) -> Self {
        if failed > 0 && failed * 100 >= total * ERROR_PERCENT {
            Self::Error
        } else if failed > 0 && failed * 100 >= total * WARN_PERCENT {
            Self::Warn
        } else {
            Self::Ok
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelDay {
    pub date: NaiveDate,
    pub value: i64,
}

/// Workflows of one kind through one channel, and their name for operators.
pub struct Line {
    pub stretch: Stretch,
    pub name: String,
}

impl Line {
    pub fn all() -> Vec<Self> {
        let line = |stretch: Stretch| {
            let direction = if stretch.kind == RunKind::MessageSendWorkflow { "outbound" } else { "inbound" };
            Self { stretch, name: format!("{} {direction}", stretch.channel.replace("+Fax", " and fax")) }
        };
        Stretch::of(None, None).into_iter().map(line).collect()
    }
}

/// Numbers of messages and failures of each channel
#[utoipa::path(get, path = "/api/diagnostics/messaging/messageCounts", operation_id = "messageCounts",
    tag = "diagnostics", responses((status = 200, body = MessageCounts)))]
async fn message_counts(State(app): State<App>) -> Result<Json<MessageCounts>> {
    let days = days::by_day(&app).await?;
    let mut counts =
        MessageCounts { inbound_messages: Vec::new(), outbound_messages: Vec::new(), results: Vec::new() };
    for line in Line::all() {
        let channel = channel(&app, &line, &days).await?;
        match line.stretch.kind {
            RunKind::MessageSendWorkflow => counts.outbound_messages.push(channel),
            RunKind::MessageReceiveWorkflow => counts.inbound_messages.push(channel),
        }
    }
    counts.results.push(results(&days));
    Ok(Json(counts))
}

async fn channel(app: &App, line: &Line, days: &[(NaiveDate, Counts)]) -> Result<MessagingHealthChannel> {
    let (db, now) = (app.store.db(), app.clock.now());
    let key = (line.stretch.kind.name().to_owned(), line.stretch.channel.to_owned());
    let daily_stats: Vec<_> = days
        .iter()
        .map(|(date, counts)| ChannelDay {
            date: *date,
            value: counts.get(&key).copied().unwrap_or_default(),
        })
        .collect();
    let total: i64 = daily_stats.iter().map(|day| day.value).sum();
    let since = days::begin(now);
    let failure = with_status(db, line, RunStatus::Failed, since).await?;
    let open = with_status(db, line, RunStatus::Pending, since).await?
        + with_status(db, line, RunStatus::Running, since).await?;
    Ok(MessagingHealthChannel {
        name: line.name.clone(),
        success: (total - failure - open).max(0),
        failure,
        other: open,
        total,
        state: state(db, line, now).await?,
        daily_stats,
    })
}

/// State of a channel in the last 24 hours.
pub async fn state(db: &impl ConnectionTrait, line: &Line, now: DateTime<Utc>) -> Result<ChannelState> {
    let since = now - Duration::days(1);
    let failed = with_status(db, line, RunStatus::Failed, since).await?;
    if failed == 0 {
        return Ok(ChannelState::Ok);
    }
    Ok(ChannelState::of(failed, count(db, line, None, since).await?))
}

/// Number of a line's workflows that began since a time and have a given status.
pub async fn with_status(
    db: &impl ConnectionTrait,
    line: &Line,
    status: RunStatus,
    since: DateTime<Utc>,
) -> Result<i64> {
    count(db, line, Some(status), since).await
}

#[derive(FromQueryResult)]
struct Count {
    n: i64,
}

async fn count(
    db: &impl ConnectionTrait,
    line: &Line,
    status: Option<RunStatus>,
    since: DateTime<Utc>,
) -> Result<i64> {
    let condition = line.stretch.condition(status);
    let sql = format!("SELECT COUNT(*) AS n FROM workflow WHERE {condition} AND created_at >= $1");
    let count = Statement::from_sql_and_values(db.get_database_backend(), sql, [since.into()]);
    Ok(Count::find_by_statement(count).one(db).await?.map_or(0, |count| count.n))
}

fn happened(counts: &Counts, kinds: &[EventType]) -> i64 {
    let one = |kind: &EventType| counts.get(&(kind.to_string(), String::new())).copied().unwrap_or_default();
    kinds.iter().map(one).sum()
}

fn results(days: &[(NaiveDate, Counts)]) -> MessagingHealthChannel {
    let of = |days: &[(NaiveDate, Counts)], kinds: &[EventType]| -> i64 {
        days.iter().map(|(_, counts)| happened(counts, kinds)).sum()
    };
    let failures = [EventType::Failed, EventType::Bounced];
    let failure = of(days, &failures);
    let (success, other) = (of(days, &[EventType::Delivered]), of(days, &[EventType::Uncertain]));
    let recent = &days[days.len().saturating_sub(2)..];
    MessagingHealthChannel {
        name: "Deliveries".into(),
        success,
        failure,
        other,
        total: success + failure + other,
        state: ChannelState::of(of(recent, &failures), of(recent, &days::OUTCOMES)),
        daily_stats: days
            .iter()
            .map(|(date, counts)| ChannelDay { date: *date, value: happened(counts, &days::OUTCOMES) })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_in_error_from_one_failure_in_twenty_on() {
        let states = [(0, 0), (0, 100), (1, 101), (1, 100), (4, 100), (5, 100), (1, 1)]
            .map(|(failed, total)| ChannelState::of(failed, total));
        use ChannelState::{Error, Ok, Warn};
        assert_eq!(states, [Ok, Ok, Ok, Warn, Warn, Error, Error]);
    }

    #[test]
    fn every_line_has_a_name_of_its_own() {
        let names: Vec<_> = Line::all().into_iter().map(|line| line.name).collect();
        assert_eq!(
            names,
            [
                "Direct outbound",
                "Fax outbound",
                "Direct and fax outbound",
                "Direct inbound",
                "Fax inbound",
                "Interface inbound"
            ]
        );
    }
}
