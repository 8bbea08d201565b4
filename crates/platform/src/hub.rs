//! WebSocket hubs. A hub's first frame carries a one-use ticket; URLs never contain credentials.

use crate::{
    App, Caller, Error, Result, Role,
    error::{ADDRESS_REFUSED, REVOKED},
    secret::{random_token, token_hash},
    session::{self, source_ip_of},
};
use admission::{Party, Share};
use axum::{
    body::Bytes,
    extract::{
        FromRequestParts, WebSocketUpgrade,
        ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code},
    },
    http::{HeaderMap, Uri, header, request::Parts},
    response::{IntoResponse, Response},
};
use chrono::Duration;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;
use store::{
    entities::{hub_ticket, session as session_row},
    tenant::Unreadable,
};
use tokio::time::Interval;
use url::{Position, Url};
use uuid::Uuid;

/// Lifetime of a ticket in seconds.
pub const TICKET_SECONDS: u32 = 30;
/// Time limit for the client's first frame.
const FIRST_FRAME: std::time::Duration = std::time::Duration::from_secs(10);
/// Interval at which each end of a connection sends a sign of life.
const ALIVE: std::time::Duration = std::time::Duration::from_secs(25);
/// Number of missing answers after which the other end counts as gone.
const UNANSWERED: u32 = 2;
/// Maximum size of a frame in bytes: a ticket, or an id with a word.
const LONGEST_FRAME: usize = 4 << 10;

/// Our own close codes (RFC 6455, section 7.4.2), after the HTTP statuses.
const UNAUTHENTICATED: u16 = 4401;
const FORBIDDEN: u16 = 4403;

/// Creates a ticket for the caller's session.
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

/// The roles that a hub admits, from the registration of its route ([`crate::api::Api::hub`]).
#[derive(Clone, Copy)]
pub struct Admitted(pub &'static [Role]);

/// A connection before its first frame.
pub struct Door {
    upgrade: WebSocketUpgrade,
    guard: Guard,
}

impl FromRequestParts<App> for Door {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let Some(Admitted(roles)) = parts.extensions.get::<Admitted>().copied() else {
            return Err(Error::internal("a hub without roles").into_response());
        };
        if !is_own_page(&parts.headers, &parts.uri, &app.config.http.public_url) {
            return Err(Error::Forbidden.into_response());
        }
        let guard = Guard { app: app.clone(), roles, source_ip: source_ip_of(&parts.extensions) };
        let upgrade = WebSocketUpgrade::from_request_parts(parts, app).await;
        let upgrade = upgrade.map_err(IntoResponse::into_response)?;
        let upgrade = upgrade.max_message_size(LONGEST_FRAME).max_frame_size(LONGEST_FRAME);
        Ok(Self { upgrade, guard })
    }
}

/// Whether a connection comes from a page of this installation (RFC 6455, section 10.2), under any of its names, or
/// from no page at all. Browsers always send the origin, and pages cannot change it.
fn is_own_page(headers: &HeaderMap, uri: &Uri, public: &Url) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Some(origin) = origin.to_str().ok().and_then(|text| Url::parse(text).ok()) else { return false };
    if origin.origin() == public.origin() {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    let asked = host.or_else(|| uri.authority().map(|authority| authority.as_str()));
    origin.has_host()
        && asked
            .is_some_and(|host| host.eq_ignore_ascii_case(&origin[Position::BeforeHost..Position::AfterPort]))
}

impl Door {
    /// Answers the request. After a valid first frame of an admitted session, `serve` receives the connection.
    pub fn open<F>(self, serve: impl FnOnce(App, Caller, Line) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let Self { upgrade, guard } = self;
        // It continues in a separate task, which is no longer tied to the caller of the request.
        upgrade.on_upgrade(async move |mut socket| {
            let stranger = Party::Host(guard.source_ip.clone());
            match stranger.working(guard.admit(&mut socket)).await {
                Ok((caller, _share)) => {
                    let line = Line::new(socket, guard.clone(), caller.clone());
                    caller.party().working(serve(guard.app, caller, line)).await;
                }
                Err(error) => refuse(&mut socket, &error).await,
            }
        })
    }
}

/// Admits sessions that may use the hub, and checks them again during the connection.
#[derive(Clone)]
struct Guard {
    app: App,
    roles: &'static [Role],
    source_ip: String,
}

impl Guard {
    async fn admit(&self, socket: &mut WebSocket) -> Result<(Caller, Share<Uuid>)> {
        let frame = tokio::time::timeout(FIRST_FRAME, first(socket)).await;
        let frame = frame.ok().flatten().ok_or(Error::Unauthenticated)?;
        let caller = self.judge(use_up(&self.app, &frame.ticket).await?).await?;
        let share = self.app.health.hubs.take(caller.session_id);
        let share = share.ok_or_else(|| Error::TooMany("This session has too many connections.".into()))?;
        Ok((caller, share))
    }

    /// The caller of a session, if they may be here.
    async fn judge(&self, session_id: Uuid) -> Result<Caller> {
        let db = self.app.store.db();
        let session = session_row::Entity::find_by_id(session_id).one(db).await?;
        let session = session.ok_or(Error::Unauthenticated)?;
        let caller = session::caller_of(&self.app, db, &session, self.source_ip.clone()).await?;
        if !self.roles.iter().any(|role| caller.has(*role)) {
            return Err(Error::Forbidden);
        }
        Ok(caller)
    }
}

/// Refused clients learn the reason from the close code.
async fn refuse(socket: &mut WebSocket, error: &Error) {
    let (code, reason) = match error {
        Error::Unauthenticated => (UNAUTHENTICATED, REVOKED),
        Error::Forbidden => (FORBIDDEN, "Your role has no access to this."),
        Error::AddressRefused => (FORBIDDEN, ADDRESS_REFUSED),
        Error::TooMany(_) => (close_code::AGAIN, "Too many connections."),
        _ => (close_code::ERROR, "Something went wrong."),
    };
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    // The connection may already have ended.
    let _ = tokio::time::timeout(FIRST_FRAME, socket.send(Message::Close(Some(frame)))).await;
}

/// The session of a ticket. A ticket opens only one connection.
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

/// A connection of an admitted session. Each end hears from the other at least every [`ALIVE`], and gives up
/// otherwise, since a broken network is not reported. The session is checked at the same interval.
pub struct Line {
    socket: WebSocket,
    guard: Guard,
    /// The caller at the last check.
    caller: Caller,
    alive: Interval,
    /// Whether a check is due; kept here, so that cancelling `receive` loses none.
    is_due: bool,
    /// Number of signs of life sent since the other end was last heard.
    asked: u32,
}

impl Line {
    fn new(socket: WebSocket, guard: Guard, caller: Caller) -> Self {
        Self { socket, guard, caller, alive: tokio::time::interval(ALIVE), is_due: false, asked: 0 }
    }

    /// The next frame that parses as `T`; `None` when the connection has ended. The first call tells the other end
    /// that it is being listened to, with a frame of type `alive`.
    pub async fn receive<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            if self.is_due {
                self.judge().await?;
                self.is_due = false;
                self.say_alive().await?;
            }
            let message = tokio::select! {
                message = self.socket.recv() => message?.ok()?,
                _ = self.alive.tick() => {
                    self.is_due = true;
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

    /// A session may end without an event, and one that moved to another organization has no more access here.
    async fn judge(&mut self) -> Option<()> {
        let judged = self.guard.judge(self.caller.session_id).await;
        let judged = judged.and_then(|caller| match caller.organization_id == self.caller.organization_id {
            true => Ok(caller),
            false => Err(Error::Unauthenticated),
        });
        match judged {
            Ok(caller) => {
                self.caller = caller;
                Some(())
            }
            Err(error) => {
                refuse(&mut self.socket, &error).await;
                None
            }
        }
    }

    /// The addresses whose messages the other end may not read, at most [`ALIVE`] old.
    pub fn unreadable(&self) -> Unreadable {
        self.caller.unreadable.clone()
    }

    /// Browsers answer a ping automatically and hide it from the page, so a frame is sent too.
    async fn say_alive(&mut self) -> Option<()> {
        self.asked += 1;
        let may_live = self.asked <= UNANSWERED
            && self.write(Message::Ping(Bytes::new())).await
            && self.send(&json!({ "type": "alive" })).await;
        may_live.then_some(())
    }

    /// Sends one frame; `false` if the connection has ended.
    pub async fn send(&mut self, value: &impl Serialize) -> bool {
        let text = serde_json::to_string(value).expect("frames serialize");
        self.write(Message::Text(Utf8Bytes::from(text))).await
    }

    async fn write(&mut self, message: Message) -> bool {
        tokio::time::timeout(ALIVE, self.socket.send(message)).await.is_ok_and(|sent| sent.is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_installation_open_a_hub() {
        let public = Url::parse("https://mail.carepost.example").expect("an address");
        let opens = |origin: Option<&str>, host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().expect("a host"));
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, origin.parse().expect("an origin"));
            }
            is_own_page(&headers, &Uri::from_static("/api/hubs/intake"), &public)
        };
        for (origin, host) in [
            (None, "mail.carepost.example"),
            (Some("https://mail.carepost.example"), "10.0.0.7:8080"),
            (Some("https://summit.example"), "summit.example"),
            (Some("http://127.0.0.1:5173"), "127.0.0.1:5173"),
        ] {
            assert!(opens(origin, host), "{origin:?}");
        }
        for origin in [
            "https://evil.example",
            "https://mail.carepost.example.evil.example",
            "http://mail.carepost.example",
            "https://mail.carepost.example:8443",
            "null",
        ] {
            assert!(!opens(Some(origin), "10.0.0.7:8080"), "{origin}");
        }
    }
}
