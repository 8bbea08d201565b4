//! WebSocket hubs. A hub's first frame carries a one-use ticket; nothing that lets somebody in stands in a URL.

use crate::{
    App, Caller, Error, Result, Role,
    error::{ADDRESS_REFUSED, REVOKED},
    secret::{random_token, token_hash},
    session::{self, source_ip_of},
};
use axum::{
    extract::{
        FromRequestParts,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::request::Parts,
};
use chrono::Duration;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use store::entities::hub_ticket;
use uuid::Uuid;

/// Life of a ticket in seconds.
pub const TICKET_SECONDS: u32 = 30;
/// Time that a client has for its first frame.
const FIRST_FRAME: std::time::Duration = std::time::Duration::from_secs(10);

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
    pub async fn admit(self, app: &App, socket: &mut WebSocket) -> Result<Caller> {
        let found = self.caller(app, socket).await;
        if let Err(error) = &found {
            let (code, reason) = match error {
                Error::Unauthenticated => (UNAUTHENTICATED, REVOKED),
                Error::Forbidden => (FORBIDDEN, "This is not for your role."),
                Error::AddressRefused => (FORBIDDEN, ADDRESS_REFUSED),
                _ => (close_code::ERROR, "Something went wrong."),
            };
            let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
            // The connection may have ended already.
            let _ = socket.send(Message::Close(Some(frame))).await;
        }
        found
    }

    async fn caller(self, app: &App, socket: &mut WebSocket) -> Result<Caller> {
        let frame = tokio::time::timeout(FIRST_FRAME, receive::<FirstFrame>(socket)).await;
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

/// The next frame that can be read as `T`; `None` when the connection has ended.
pub async fn receive<T: DeserializeOwned>(socket: &mut WebSocket) -> Option<T> {
    while let Some(Ok(message)) = socket.recv().await {
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
    None
}

/// Sends one frame; `false` when the connection has ended.
pub async fn send(socket: &mut WebSocket, value: &impl Serialize) -> bool {
    let text = serde_json::to_string(value).expect("frames serialize");
    socket.send(Message::Text(Utf8Bytes::from(text))).await.is_ok()
}
