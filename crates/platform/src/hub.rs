//! WebSocket hubs. A hub's first frame carries a one-use ticket; nothing that lets somebody in stands in a URL.

use crate::{
    App, Caller, Error, Result, Role,
    error::{ADDRESS_REFUSED, REVOKED},
    secret::{random_token, token_hash},
    session::{self, source_ip_of},
};
use axum::{
    body::Bytes,
    extract::{
        FromRequestParts,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::request::Parts,
};
use chrono::Duration;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use store::entities::hub_ticket;
use tokio::time::Interval;
use uuid::Uuid;

/// Life of a ticket in seconds.
pub const TICKET_SECONDS: u32 = 30;
/// Time that a client has for its first frame.
const FIRST_FRAME: std::time::Duration = std::time::Duration::from_secs(10);
/// How often each end of a connection says that it is there.
const ALIVE: std::time::Duration = std::time::Duration::from_secs(25);
/// Who has not answered so often is gone.
const UNANSWERED: u32 = 2;

/// Close codes of our own (RFC 6455, section 7.4.2), after the HTTP statuses.
const UNAUTHENTICATED: u16 = 4401;
const FORBIDDEN: u16 = 4403;

/// Makes a ticket for the caller's session.
pub async fn issue_ticket(app: &App, session_id: Uuid) -> Result<String> {
    let ticket = random_token();
    hub_ticket::Entity::insert(hub_ticket::ActiveModel {
        hash: Set(token_hash(&ticket)),
        session_id: Set(session_id),
        expires_at: Set(app.clock.now() + Duration::seconds(TICKET_SECONDS.into())),
    })
    .exec_without_returning(app.store.db())
    .await?;
    Ok(ticket)
}

#[derive(Deserialize)]
struct FirstFrame {
    ticket: String,
}

/// The roles that a hub lets in, as stated where its route is registered ([`crate::api::Api::hub`]).
#[derive(Clone, Copy)]
pub struct Admitted(pub &'static [Role]);

/// Where a connection waits until it has shown who it is.
pub struct Door {
    roles: &'static [Role],
    source_ip: String,
}

impl<S: Send + Sync> FromRequestParts<S> for Door {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let admitted = parts.extensions.get::<Admitted>();
        let Admitted(roles) = *admitted.ok_or_else(|| Error::internal("a hub that states no roles"))?;
        Ok(Self { roles, source_ip: source_ip_of(&parts.extensions) })
    }
}

impl Door {
    /// Reads the first frame and finds who is there; whoever may not come in is told by the code of the close.
    pub async fn admit(self, app: &App, mut socket: WebSocket) -> Option<(Caller, Line)> {
        let error = match self.caller(app, &mut socket).await {
            Ok(caller) => return Some((caller, Line::new(socket))),
            Err(error) => error,
        };
        let (code, reason) = match error {
            Error::Unauthenticated => (UNAUTHENTICATED, REVOKED),
            Error::Forbidden => (FORBIDDEN, "This is not for your role."),
            Error::AddressRefused => (FORBIDDEN, ADDRESS_REFUSED),
            _ => (close_code::ERROR, "Something went wrong."),
        };
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        // The connection may have ended already.
        let _ = socket.send(Message::Close(Some(frame))).await;
        None
    }

    async fn caller(self, app: &App, socket: &mut WebSocket) -> Result<Caller> {
        let frame = tokio::time::timeout(FIRST_FRAME, first(socket)).await;
        let frame = frame.ok().flatten().ok_or(Error::Unauthenticated)?;
        let session_id = use_up(app, &frame.ticket).await?;
        let found = store::entities::session::Entity::find_by_id(session_id).one(app.store.db()).await?;
        let found = found.ok_or(Error::Unauthenticated)?;
        let caller = session::caller_of(app, app.store.db(), &found, self.source_ip).await?;
        if !self.roles.iter().any(|role| caller.has(*role)) {
            return Err(Error::Forbidden);
        }
        Ok(caller)
    }
}

/// The session that a ticket stands for. A ticket opens one connection.
async fn use_up(app: &App, ticket: &str) -> Result<Uuid> {
    let hash = token_hash(ticket);
    let found = hub_ticket::Entity::find_by_id(hash.clone()).one(app.store.db()).await?;
    let found = found.filter(|t| t.expires_at > app.clock.now()).ok_or(Error::Unauthenticated)?;
    let used = hub_ticket::Entity::delete_many()
        .filter(hub_ticket::Column::Hash.eq(hash))
        .exec(app.store.db())
        .await?;
    if used.rows_affected == 1 { Ok(found.session_id) } else { Err(Error::Unauthenticated) }
}

async fn first(socket: &mut WebSocket) -> Option<FirstFrame> {
    loop {
        if let Message::Text(text) = socket.recv().await?.ok()? {
            return serde_json::from_str(&text).ok();
        }
    }
}

/// A connection to somebody who was let in. Each end hears from the other at least every [`ALIVE`], and gives it up
/// when it does not: a network that is gone does not say so.
pub struct Line {
    socket: WebSocket,
    alive: Interval,
    /// How often the other end was asked since it was heard.
    asked: u32,
}

impl Line {
    fn new(socket: WebSocket) -> Self {
        Self { socket, alive: tokio::time::interval(ALIVE), asked: 0 }
    }

    /// The next frame that can be read as `T`; `None` when the connection has ended. The first call tells the other end
    /// that it is listened to, with a frame of the type `alive`.
    pub async fn receive<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            let message = tokio::select! {
                message = self.socket.recv() => message?.ok()?,
                _ = self.alive.tick() => {
                    self.say_alive().await?;
                    continue;
                }
            };
            self.asked = 0;
            match message {
                Message::Text(text) => {
                    if let Ok(value) = serde_json::from_str(&text) {
                        return Some(value);
                    }
                }
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// A browser answers a ping by itself, and hides it from its page: that is told by a frame.
    async fn say_alive(&mut self) -> Option<()> {
        self.asked += 1;
        let may_live = self.asked <= UNANSWERED
            && self.write(Message::Ping(Bytes::new())).await
            && self.send(&json!({ "type": "alive" })).await;
        may_live.then_some(())
    }

    /// Sends one frame; `false` when the connection has ended.
    pub async fn send(&mut self, value: &impl Serialize) -> bool {
        let text = serde_json::to_string(value).expect("frames serialize");
        self.write(Message::Text(Utf8Bytes::from(text))).await
    }

    async fn write(&mut self, message: Message) -> bool {
        tokio::time::timeout(ALIVE, self.socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
    }
}
