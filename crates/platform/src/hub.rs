//! WebSocket hubs. A hub's first frame carries a one-use ticket; nothing that lets somebody in stands in a URL.

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

/// Life of a ticket in seconds.
pub const TICKET_SECONDS: u32 = 30;
/// Time that a client has for its first frame.
const FIRST_FRAME: std::time::Duration = std::time::Duration::from_secs(10);
/// How often each end of a connection says that it is there.
const ALIVE: std::time::Duration = std::time::Duration::from_secs(25);
/// Who has not answered so often is gone.
const UNANSWERED: u32 = 2;
/// Bytes of a frame: a ticket, or an id with a word.
const LONGEST_FRAME: usize = 4 << 10;

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
    upgrade: WebSocketUpgrade,
    guard: Guard,
}

impl FromRequestParts<App> for Door {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let Some(Admitted(roles)) = parts.extensions.get::<Admitted>().copied() else {
            return Err(Error::internal("a hub that states no roles").into_response());
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

/// Whether a connection comes from a page of this installation (RFC 6455, section 10.2), under whichever of its names,
/// or from no page at all. Browsers always name the page, and let no page name another.
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
    /// Answers the request. When the first frame has shown who is there, and they may come in, `serve` has the connection.
    pub fn open<F>(self, serve: impl FnOnce(App, Caller, Line) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let Self { upgrade, guard } = self;
        // It goes on in a task of its own, of which nobody knows any more whose work it is.
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

/// Lets in whom a hub is for, and looks again while they are there.
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

    /// Who a session is, if they may be here.
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

/// Whoever may not be here is told by the code of the close.
async fn refuse(socket: &mut WebSocket, error: &Error) {
    let (code, reason) = match error {
        Error::Unauthenticated => (UNAUTHENTICATED, REVOKED),
        Error::Forbidden => (FORBIDDEN, "This is not for your role."),
        Error::AddressRefused => (FORBIDDEN, ADDRESS_REFUSED),
        Error::TooMany(_) => (close_code::AGAIN, "Too many connections."),
        _ => (close_code::ERROR, "Something went wrong."),
    };
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
    // The connection may have ended already.
    let _ = tokio::time::timeout(FIRST_FRAME, socket.send(Message::Close(Some(frame)))).await;
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
/// when it does not: a network that is gone does not say so. As often it is seen whether they still may be here.
pub struct Line {
    socket: WebSocket,
    guard: Guard,
    /// As they were when it was last seen whether they may be here.
    caller: Caller,
    alive: Interval,
    /// What each tick asks for; whoever waits for other things beside frames may break it off.
    is_due: bool,
    /// How often the other end was asked since it was heard.
    asked: u32,
}

impl Line {
    fn new(socket: WebSocket, guard: Guard, caller: Caller) -> Self {
        Self { socket, guard, caller, alive: tokio::time::interval(ALIVE), is_due: false, asked: 0 }
    }

    /// The next frame that can be read as `T`; `None` when the connection has ended. The first call tells the other end
    /// that it is listened to, with a frame of the type `alive`.
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

    /// A session ends also without an event that says so, and one that works in another organization is no more here.
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

    /// The addresses whose messages the other end may not read, as of at most [`ALIVE`] ago.
    pub fn unreadable(&self) -> Unreadable {
        self.caller.unreadable.clone()
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
