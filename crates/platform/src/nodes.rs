//! Which nodes are at work. Each says every few seconds that it is, and takes its name back when it stops; one that
//! has not been seen for a while has died, or cannot reach the database.

use crate::{App, Config, Result, chores, config::NodeRole};
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::OnConflict,
};
use std::time::Duration;
use store::entities::node::{ActiveModel, Column, Entity, Model};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const INTERVAL: Duration = Duration::from_secs(10);
/// A node that was not seen for this long is not at work.
const SILENCE: TimeDelta = TimeDelta::seconds(60);
/// Nodes that died are shown for this long.
const KEPT: TimeDelta = TimeDelta::days(1);
const SHOWN: u64 = 200;

/// What operators call this node.
pub fn name(config: &Config) -> String {
    config
        .node_name
        .clone()
        .unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned())
}

/// Whether a node is at work.
pub fn is_at_work(node: &Model, now: DateTime<Utc>) -> bool {
    now - node.seen_at < SILENCE
}

/// All nodes, those that are at work first.
pub async fn all(app: &App) -> Result<Vec<Model>> {
    let rows = Entity::find().order_by_desc(Column::SeenAt).limit(SHOWN).all(app.store.db()).await?;
    let now = app.clock.now();
    let (mut at_work, mut silent): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| is_at_work(row, now));
    at_work.sort_by(|a, b| a.name.cmp(&b.name).then(a.started_at.cmp(&b.started_at)));
    at_work.append(&mut silent);
    Ok(at_work)
}

/// Says that the node is at work until it stops.
pub async fn say_forever(app: App, version: &'static str, cancel: CancellationToken) {
    let (id, started_at) = (Uuid::now_v7(), app.clock.now());
    let say = || say(&app, id, version, started_at);
    chores::every(INTERVAL, Duration::ZERO, cancel, "the heartbeat of the node", say).await;
    if let Err(error) = Entity::delete_by_id(id).exec(app.store.db()).await {
        tracing::warn!(?error, "the node could not take its name back");
    }
}

/// Says that a node is at work at this moment, and forgets those that died long ago.
pub async fn say(app: &App, id: Uuid, version: &str, started_at: DateTime<Utc>) -> Result<()> {
    let now = app.clock.now();
    let role = |role: &NodeRole| match role {
        NodeRole::Web => "web",
        NodeRole::Smtp => "smtp",
        NodeRole::Dns => "dns",
        NodeRole::Worker => "worker",
    };
    let row = ActiveModel {
        id: Set(id),
        name: Set(name(&app.config)),
        roles: Set(app.config.roles.iter().map(role).collect()),
        version: Set(version.to_owned()),
        started_at: Set(started_at),
        seen_at: Set(now),
    };
    let seen = OnConflict::column(Column::Id).update_column(Column::SeenAt).to_owned();
    Entity::insert(row).on_conflict(seen).exec_without_returning(app.store.db()).await?;
    Entity::delete_many().filter(Column::SeenAt.lt(now - KEPT)).exec(app.store.db()).await?;
    Ok(())
}
