//! Running nodes. Each node reports every few seconds, and removes itself when it stops; a node that was not seen for
//! a while has crashed, or cannot reach the database. All times are by the database's clock, so that a node with a
//! wrong clock does not count as crashed.

use crate::{App, Config, Result, chores, config::NodeRole};
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement, sea_query::OnConflict,
};
use std::time::{Duration, Instant};
use store::{
    Clock,
    entities::node::{ActiveModel, Column, Entity, Model},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const INTERVAL: Duration = Duration::from_secs(10);
/// Time after which an unseen node counts as stopped.
const SILENCE: TimeDelta = TimeDelta::seconds(60);
/// Time for which crashed nodes are shown.
const KEPT: TimeDelta = TimeDelta::days(1);
const SHOWN: u64 = 200;

/// Name of this node for operators.
pub fn name(config: &Config) -> String {
    config
        .node_name
        .clone()
        .unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned())
}

/// Whether a node is running.
pub fn is_at_work(node: &Model, now: DateTime<Utc>) -> bool {
    now - node.seen_at < SILENCE
}

/// Current time of the database, for comparison with the nodes' last reports.
pub fn now(app: &App) -> DateTime<Utc> {
    app.clock.now() - app.health.clock_ahead()
}

/// All nodes, running ones first. A restarted node is listed once.
pub async fn all(app: &App) -> Result<Vec<Model>> {
    let rows = Entity::find().order_by_desc(Column::SeenAt).limit(SHOWN).all(app.store.db()).await?;
    let now = now(app);
    let (mut at_work, mut silent): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| is_at_work(row, now));
    let later: Vec<Model> = at_work.iter().chain(&silent).cloned().collect();
    silent.retain(|row| !later.iter().any(|other| replaces(other, row)));
    at_work.sort_by(|a, b| a.name.cmp(&b.name).then(a.started_at.cmp(&b.started_at)));
    at_work.append(&mut silent);
    Ok(at_work)
}

/// Whether a node is the restarted form of another: their lifetimes do not overlap.
pub fn replaces(other: &Model, row: &Model) -> bool {
    other.id != row.id && other.name == row.name && other.roles == row.roles && other.started_at > row.seen_at
}

/// Reports that the node is running, until it stops.
pub async fn say_forever(app: App, version: &'static str, cancel: CancellationToken) {
    let (id, started_at) = (Uuid::now_v7(), app.clock.now());
    let say = || say(&app, id, version, started_at);
    chores::every(INTERVAL, Duration::ZERO, cancel, "heartbeat of the node", say).await;
    if let Err(error) = Entity::delete_by_id(id).exec(app.store.db()).await {
        tracing::warn!(?error, "the node could not be removed from the list of nodes");
    }
}

/// Reports that a node is running, and removes those that crashed long ago.
pub async fn say(app: &App, id: Uuid, version: &str, started_at: DateTime<Utc>) -> Result<()> {
    let role = |role: &NodeRole| match role {
        NodeRole::Web => "web",
        NodeRole::Smtp => "smtp",
        NodeRole::Dns => "dns",
        NodeRole::Worker => "worker",
    };
    let answer = ask(app).await?;
    app.health.note_clock(answer.clock_ahead);
    let now = now(app);
    let row = ActiveModel {
        id: Set(id),
        name: Set(name(&app.config)),
        roles: Set(app.config.roles.iter().map(role).collect()),
        version: Set(version.to_owned()),
        started_at: Set(started_at - answer.clock_ahead),
        seen_at: Set(now),
        database_ms: Set(answer.took.as_millis().try_into().unwrap_or(i32::MAX)),
        clock_ahead_ms: Set(answer.clock_ahead.num_milliseconds()),
    };
    let seen = OnConflict::column(Column::Id)
        .update_columns([Column::SeenAt, Column::DatabaseMs, Column::ClockAheadMs])
        .to_owned();
    Entity::insert(row).on_conflict(seen).exec_without_returning(app.store.db()).await?;
    Entity::delete_many().filter(Column::SeenAt.lt(now - KEPT)).exec(app.store.db()).await?;
    Ok(())
}

struct Answer {
    took: Duration,
    clock_ahead: TimeDelta,
}

/// Reads the database's time, and measures the response time. The embedded database uses this machine's clock.
async fn ask(app: &App) -> Result<Answer> {
    let db = app.store.db();
    let backend = db.get_database_backend();
    let is_embedded = backend == DbBackend::Sqlite;
    let sql = if is_embedded { "SELECT 1" } else { "SELECT CLOCK_TIMESTAMP() AS at" };
    // The machine's clock, even if tests change the product's clock.
    let (asked, started) = (Clock::system().now(), Instant::now());
    let row = db.query_one_raw(Statement::from_string(backend, sql)).await?;
    let took = started.elapsed();
    let clock_ahead = match row.filter(|_| !is_embedded) {
        Some(row) => asked + took / 2 - row.try_get::<DateTime<Utc>>("", "at")?,
        None => TimeDelta::zero(),
    };
    Ok(Answer { took, clock_ahead })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_was_started_anew_is_no_second_one() {
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);
        let node = |started, seen, roles: &[&str]| Model {
            id: Uuid::now_v7(),
            name: "north".into(),
            roles: roles.iter().map(ToString::to_string).collect::<Vec<_>>().into(),
            version: "1".into(),
            started_at: at(started),
            seen_at: at(seen),
            database_ms: 1,
            clock_ahead_ms: 0,
        };
        let dead = node(0, 100, &["web"]);
        assert!(replaces(&node(105, 300, &["web"]), &dead));
        assert!(!replaces(&node(50, 300, &["web"]), &dead), "it lived beside it");
        assert!(!replaces(&node(105, 300, &["worker"]), &dead), "another process of the machine");
        assert!(!replaces(&dead, &node(105, 300, &["web"])));
    }
}
