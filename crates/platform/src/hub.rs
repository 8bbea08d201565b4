//! WebSocket hubs. A hub's first frame carries a one-use ticket; nothing that lets somebody in stands in a URL.

use crate::{
    App, Caller, Error, Result,
    secret::{random_token, token_hash},
    session,
};
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use chrono::Duration;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use store::entities::hub_ticket;
use uuid::Uuid;

/// Life of a ticket in seconds.
pub const TICKET_SECONDS: u32 = 30;
/// Time that a client has for its first frame.
const FIRST_FRAME: std::time::Duration = std::time::Duration::from_secs(10);

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

/// Reads the first frame and finds who is there. The ticket is used up.
pub async fn admit(app: &App, socket: &mut WebSocket, source_ip: String) -> Result<Caller> {
    let frame = tokio::time::timeout(FIRST_FRAME, receive::<FirstFrame>(socket)).await;
    let frame = frame.ok().flatten().ok_or(Error::Unauthenticated)?;
    let hash = token_hash(&frame.ticket);
    let ticket = hub_ticket::Entity::find_by_id(hash.clone()).one(app.store.db()).await?;
    let ticket = ticket.filter(|t| t.expires_at > app.clock.now()).ok_or(Error::Unauthenticated)?;
    let used = hub_ticket::Entity::delete_many()
        .filter(hub_ticket::Column::Hash.eq(hash))
        .exec(app.store.db())
        .await?;
    if used.rows_affected != 1 {
        return Err(Error::Unauthenticated);
    }
    let session = store::entities::session::Entity::find_by_id(ticket.session_id).one(app.store.db()).await?;
    let session =
        session.filter(|s| session::is_alive(app, s, app.clock.now())).ok_or(Error::Unauthenticated)?;
    session::caller_of(app.store.db(), &session, source_ip).await
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
