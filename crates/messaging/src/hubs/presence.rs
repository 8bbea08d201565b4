//! People who have a message open. The rows are in the database, so that browsers on several nodes see each other; the
//! node of a browser's connection keeps its rows alive, and rows of a dead node expire.

use super::may_read;
use crate::people::PersonView;
use axum::response::Response;
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Caller, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    chores,
    hub::{Door, Line},
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select, SelectExt,
    sea_query::{Expr, OnConflict},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use store::entities::{message, presence};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use uuid::Uuid;

/// Time after which a row without a heartbeat expires.
const TIME_TO_LIVE: Duration = Duration::seconds(30);
/// Maximum number of open messages per browser. Each costs a query with every heartbeat.
const MOST_OPEN: usize = 100;
const HEARTBEAT: std::time::Duration = std::time::Duration::from_secs(10);

/// A person who has a message open.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opener {
    pub user_id: Uuid,
    pub name: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Frame {
    #[serde(rename_all = "camelCase")]
    Open { message_id: Uuid },
    #[serde(rename_all = "camelCase")]
    Close { message_id: Uuid },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Answer {
    /// People who had it open before.
    #[serde(rename_all = "camelCase")]
    Present { message_id: Uuid, users: Vec<Person> },
    #[serde(rename_all = "camelCase")]
    Opened { message_id: Uuid, user_id: Uuid, name: String },
    #[serde(rename_all = "camelCase")]
    Closed { message_id: Uuid, user_id: Uuid, name: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    user_id: Uuid,
    name: String,
}

/// Reports who has a message open (WebSocket; the first frame carries a ticket)
#[utoipa::path(get, path = "/api/hubs/messagepresence", operation_id = "messagePresenceHub", tag = "hubs",
    responses((status = 101, description = "Switched to WebSocket")))]
pub async fn message_presence(door: Door) -> Response {
    door.open(async |app, caller, mut line| {
        let Some(organization_id) = caller.organization_id else { return };
        let mut watch =
            Watch { app, caller, organization_id, connection_id: Uuid::now_v7(), open: HashMap::new() };
        watch.serve(&mut line).await;
        watch.leave().await;
    })
}

/// Connection of a browser: its open messages, and the other people seen in them.
struct Watch {
    app: App,
    caller: Caller,
    organization_id: Uuid,
    connection_id: Uuid,
    open: HashMap<Uuid, BTreeMap<Uuid, String>>,
}

impl Watch {
    async fn serve(&mut self, line: &mut Line) {
        let mut bus = self.app.bus.subscribe();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        loop {
            let alive = tokio::select! {
                frame = line.receive::<Frame>() => match frame {
                    Some(Frame::Open { message_id }) => self.open(line, message_id).await,
                    Some(Frame::Close { message_id }) => self.close(message_id).await,
                    None => false,
                },
                event = bus.recv() => match event {
                    Ok(Event::Presence { message_id, .. }) => self.compare(line, message_id).await,
                    Ok(Event::Missed) | Err(RecvError::Lagged(_)) => self.compare_all(line).await,
                    Ok(event) => !event.ends(self.caller.session_id),
                    Err(RecvError::Closed) => false,
                },
                _ = heartbeat.tick() => self.beat(line).await,
            };
            if !alive {
                return;
            }
        }
    }

    async fn open(&mut self, line: &mut Line, message_id: Uuid) -> bool {
        if self.open.len() >= MOST_OPEN && !self.open.contains_key(&message_id) {
            return true;
        }
        if !may_read(&self.app, self.organization_id, self.caller.user_id, message_id).await {
            return true;
        }
        let others = self.others(message_id).await;
        let users = others.iter().map(|(id, name)| Person { user_id: *id, name: name.clone() }).collect();
        self.open.insert(message_id, others);
        if self.write(message_id).await.is_err() {
            return false;
        }
        self.announce(message_id).await;
        line.send(&Answer::Present { message_id, users }).await
    }

    async fn write(&self, message_id: Uuid) -> Result<()> {
        let row = presence::ActiveModel {
            connection_id: Set(self.connection_id),
            message_id: Set(message_id),
            organization_id: Set(self.organization_id),
            user_id: Set(self.caller.user_id),
            user_name: Set(self.caller.full_name.clone()),
            expires_at: Set(self.app.clock.now() + TIME_TO_LIVE),
            held_since: Set(Some(self.app.clock.now())),
        };
        let key = [presence::Column::ConnectionId, presence::Column::MessageId];
        presence::Entity::insert(row)
            .on_conflict(OnConflict::columns(key).update_column(presence::Column::ExpiresAt).to_owned())
            .exec_without_returning(self.app.store.db())
            .await?;
        Ok(())
    }

    async fn close(&mut self, message_id: Uuid) -> bool {
        if self.open.remove(&message_id).is_some() {
            let gone = presence::Entity::delete_many()
                .filter(presence::Column::ConnectionId.eq(self.connection_id))
                .filter(presence::Column::MessageId.eq(message_id))
                .exec(self.app.store.db())
                .await;
            self.announce(message_id).await;
            return gone.is_ok();
        }
        true
    }

    /// Ends the presence of the connection, for a closed tab and a crashed one alike.
    async fn leave(&mut self) {
        for message_id in self.open.keys().copied().collect::<Vec<_>>() {
            self.close(message_id).await;
        }
    }

    async fn beat(&mut self, line: &mut Line) -> bool {
        let kept = presence::Entity::update_many()
            .col_expr(presence::Column::ExpiresAt, Expr::value(self.app.clock.now() + TIME_TO_LIVE))
            .filter(presence::Column::ConnectionId.eq(self.connection_id))
            .exec(self.app.store.db())
            .await;
        kept.is_ok() && self.compare_all(line).await
    }

    async fn compare_all(&mut self, line: &mut Line) -> bool {
        for message_id in self.open.keys().copied().collect::<Vec<_>>() {
            if !self.compare(line, message_id).await {
                return false;
            }
        }
        true
    }

    /// Reports to the browser who opened and closed the message since the last check.
    async fn compare(&mut self, line: &mut Line, message_id: Uuid) -> bool {
        let Some(before) = self.open.get(&message_id).cloned() else { return true };
        let now = self.others(message_id).await;
        for (user_id, name) in now.iter().filter(|(id, _)| !before.contains_key(id)) {
            let (user_id, name) = (*user_id, name.clone());
            if !line.send(&Answer::Opened { message_id, user_id, name }).await {
                return false;
            }
        }
        for (user_id, name) in before.iter().filter(|(id, _)| !now.contains_key(id)) {
            let (user_id, name) = (*user_id, name.clone());
            if !line.send(&Answer::Closed { message_id, user_id, name }).await {
                return false;
            }
        }
        self.open.insert(message_id, now);
        true
    }

    /// Other people who have the message open, by id.
    async fn others(&self, message_id: Uuid) -> BTreeMap<Uuid, String> {
        let rows = presence::Entity::find()
            .filter(presence::Column::MessageId.eq(message_id))
            .filter(presence::Column::OrganizationId.eq(self.organization_id))
            .filter(presence::Column::UserId.ne(self.caller.user_id))
            .filter(presence::Column::ExpiresAt.gt(self.app.clock.now()))
            .all(self.app.store.db())
            .await
            .unwrap_or_default();
        rows.into_iter().map(|r| (r.user_id, r.user_name)).collect()
    }

    async fn announce(&self, message_id: Uuid) {
        self.app.bus.publish(Event::Presence { organization_id: self.organization_id, message_id }).await;
    }
}

/// People who have these messages open, by message.
pub async fn openers(app: &App, organization_id: Uuid, ids: &[Uuid]) -> Result<HashMap<Uuid, Vec<Opener>>> {
    let rows = presence::Entity::find()
        .filter(presence::Column::MessageId.is_in(ids.iter().copied()))
        .filter(presence::Column::OrganizationId.eq(organization_id))
        .filter(presence::Column::ExpiresAt.gt(app.clock.now()))
        .all(app.store.db())
        .await?;
    let mut openers: HashMap<Uuid, Vec<Opener>> = HashMap::new();
    for row in rows {
        let list = openers.entry(row.message_id).or_default();
        if list.iter().all(|o| o.user_id != row.user_id) {
            list.push(Opener { user_id: row.user_id, name: row.user_name });
        }
    }
    Ok(openers)
}

/// The other person working on a message: of those who have it open, the first one or the one who took over. `None` if
/// it is the caller.
pub async fn holder(
    db: &impl ConnectionTrait,
    member: &Member,
    message_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Option<PersonView>> {
    let rows = open_now(member, message_id, now).all(db).await?;
    // A person whose message was taken over does not hold it, whether or not the new person has it open yet.
    let holding = rows.into_iter().filter(|row| row.held_since.is_none_or(|since| since <= now));
    let first = holding.min_by_key(|row| (row.held_since, row.connection_id));
    let other = first.filter(|row| row.user_id != member.caller.user_id);
    Ok(other.map(|row| PersonView { id: row.user_id, name: row.user_name }))
}

/// Makes the caller the holder of a message: everybody else who has it open is placed later. The time leaves a moment
/// for the caller's browser to report that it opened the message.
pub async fn take_over(app: &App, member: &Member, row: &message::Model) -> Result<()> {
    let now = app.clock.now();
    let txn = app.store.begin().await?;
    presence::Entity::update_many()
        .col_expr(presence::Column::HeldSince, Expr::value(now + TIME_TO_LIVE))
        .filter(presence::Column::MessageId.eq(row.id))
        .filter(presence::Column::OrganizationId.eq(member.organization_id))
        .filter(presence::Column::UserId.ne(member.caller.user_id))
        .exec(&txn)
        .await?;
    // A caller without the message open holds nothing, and one who just opened it is first.
    presence::Entity::update_many()
        .col_expr(presence::Column::HeldSince, Expr::value(now - Duration::milliseconds(1)))
        .filter(presence::Column::MessageId.eq(row.id))
        .filter(presence::Column::UserId.eq(member.caller.user_id))
        .filter(presence::Column::HeldSince.gte(now))
        .exec(&txn)
        .await?;
    let act = Act::new(event::CHANGED, "message", row.id).detail(json!({ "takenOver": true }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    Ok(txn.commit().await?)
}

/// Whether somebody has a message open.
pub async fn is_open(
    db: &impl ConnectionTrait,
    row: &message::Model,
    now: DateTime<Utc>,
) -> Result<bool, DbErr> {
    open_in(row.organization_id, row.id, now).exists(db).await
}

fn open_now(member: &Member, message_id: Uuid, now: DateTime<Utc>) -> Select<presence::Entity> {
    open_in(member.organization_id, message_id, now)
}

fn open_in(organization_id: Uuid, message_id: Uuid, now: DateTime<Utc>) -> Select<presence::Entity> {
    presence::Entity::find()
        .filter(presence::Column::MessageId.eq(message_id))
        .filter(presence::Column::OrganizationId.eq(organization_id))
        .filter(presence::Column::ExpiresAt.gt(now))
}

/// Sweeps until the node stops.
pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    chores::every(HEARTBEAT, std::time::Duration::ZERO, cancel, "presence", || sweep(&app)).await;
}

/// Removes the rows of dead nodes and notifies watching browsers.
pub async fn sweep(app: &App) -> Result<()> {
    let stale = presence::Entity::find()
        .filter(presence::Column::ExpiresAt.lte(app.clock.now()))
        .all(app.store.db())
        .await?;
    for row in stale {
        presence::Entity::delete_by_id((row.connection_id, row.message_id)).exec(app.store.db()).await?;
        app.bus
            .publish(Event::Presence { organization_id: row.organization_id, message_id: row.message_id })
            .await;
    }
    Ok(())
}
