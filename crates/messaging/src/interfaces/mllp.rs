//! The sink of the MLLP listener. `AA` is answered only after the message and its workflow are durable.

use super::{
    connections::{self, Found},
    fit, hash, reading,
    reception::{Keeper, NewReception},
    refusals::{self, Refusal},
};
use admission::Party;
use bytes::Bytes;
use clinical::hl7::Message;
use exchange::receive::{
    ack::{self, Problem},
    frame,
    hospital::Told,
    listener::{MessageSink, Peer, Trouble},
    message::{Content, Header, Subject},
};
use platform::{App, Result};
use std::sync::Arc;
use store::entities::inbound_connection::{ConnectionKind, Model};
use uuid::Uuid;

pub(super) const UNKNOWN: Problem = Problem::rejected(204, "MSH^1^3", "The sender is not known here");
pub(super) const SEVERAL: Problem =
    Problem::rejected(204, "MSH^1^3", "The sender matches several connections");
pub(super) const CLOSED: Problem = Problem::ours("The receiving organization accepts no messages at present");
const TOO_LARGE: Problem = Problem::error(102, "OBX^1^5", "The documents are too large");
pub(super) const UNREADABLE: Problem = Problem::error(100, "MSH", "The message cannot be read");
const TROUBLE: Problem = Problem::ours("The message cannot be stored at present");

pub fn sink(app: &App) -> Arc<dyn MessageSink> {
    Arc::new(Sink { app: app.clone(), keeper: Keeper::start(app) })
}

struct Sink {
    app: App,
    keeper: Keeper,
}

#[async_trait::async_trait]
impl MessageSink for Sink {
    async fn take(&self, peer: &Peer, frame: Vec<u8>) -> Vec<Vec<u8>> {
        let now = self.app.clock.now();
        // At most 20 characters in older versions, including a digit at the end.
        let id = Uuid::new_v4().simple().to_string()[..19].to_owned();
        let frame = Bytes::from(frame);
        let bytes = frame.clone();
        match reading(frame.len(), move || Message::read(&bytes)).await {
            Ok(Ok(message)) => {
                let message = Arc::new(message);
                let judged = Party::from(peer.address).working(self.judged(peer, &message, frame)).await;
                let verdict = judged.unwrap_or_else(|error| {
                    tracing::error!(?error, "an HL7 message could not be accepted");
                    Err(TROUBLE)
                });
                ack::answers(&message, verdict, now, &id)
            }
            _ => {
                Party::from(peer.address)
                    .working(self.refuse(peer, None, None, "This is not an HL7 message"))
                    .await;
                vec![ack::unreadable(now, &id)]
            }
        }
    }

    fn note(&self, peer: &Peer, trouble: Trouble) {
        let reason = match trouble {
            Trouble::TooLarge => "A message was too large",
            Trouble::TooSlow => "A message arrived too slowly, or an answer was not read",
            Trouble::BrokenOff => "The connection ended within a message",
            Trouble::NoRoom => "Too many messages arrived at the same time",
            Trouble::Handshake => "The TLS handshake failed",
        };
        let (app, peer) = (self.app.clone(), peer.clone());
        Party::from(peer.address).spawn(async move {
            let refusal = Refusal {
                kind: ConnectionKind::Mllp,
                peer: &peer,
                header: None,
                connection_id: None,
                reason,
            };
            refusals::note(&app, refusal).await;
        });
    }
}

impl Sink {
    async fn refuse(&self, peer: &Peer, header: Option<&Header>, connection_id: Option<Uuid>, reason: &str) {
        let kind = ConnectionKind::Mllp;
        refusals::note(&self.app, Refusal { kind, peer, header, connection_id, reason }).await;
    }

    /// Stores a message, or returns the reason of the refusal.
    async fn judged(&self, peer: &Peer, message: &Arc<Message>, frame: Bytes) -> Result<Result<(), Problem>> {
        let (header, is_taken) = Header::read(message);
        let found = connections::find(self.app.store.db(), ConnectionKind::Mllp, peer, Some(&header)).await?;
        let connection = match found {
            Found::One(connection) => connection,
            other => {
                let problem = if matches!(other, Found::Several) { SEVERAL } else { UNKNOWN };
                self.refuse(peer, Some(&header), None, problem.words).await;
                return Ok(Err(problem));
            }
        };
        self.app.health.mllp.gate.know(peer.address);
        let verdict = match is_taken {
            Ok(()) => {
                let party = connection.organization_id.map_or_else(|| Party::from(peer.address), Party::from);
                party.working(self.kept(peer, &header, message, &connection, frame)).await?
            }
            Err(problem) => Err(problem),
        };
        if let Err(problem) = verdict {
            self.refuse(peer, Some(&header), Some(connection.id), problem.words).await;
        }
        Ok(verdict)
    }

    async fn kept(
        &self,
        peer: &Peer,
        header: &Header,
        message: &Arc<Message>,
        connection: &Model,
        frame: Bytes,
    ) -> Result<Result<(), Problem>> {
        let Some(organization_id) = connection.organization_id else { return Ok(Err(CLOSED)) };
        if !connections::takes_messages(self.app.store.db(), organization_id).await? {
            return Ok(Err(CLOSED));
        }
        if self.app.health.disk.is_full() {
            return Ok(Err(TROUBLE));
        }
        let source = Source { header, message, connection };
        match receptions(source, organization_id, frame, &peer.address.to_string()).await? {
            Ok(all) => self.keeper.keep(all).await.map(|_| Ok(())),
            Err(problem) => Ok(Err(problem)),
        }
    }
}

/// A message that was read, and the connection of its sender.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub header: &'a Header,
    pub message: &'a Message,
    pub connection: &'a Model,
}

/// What is stored of a message: one reception for each patient. If one of them is invalid, none is stored.
pub(super) async fn receptions(
    of: Source<'_>,
    organization_id: Uuid,
    frame: Bytes,
    source_ip: &str,
) -> Result<Result<Vec<NewReception>, Problem>> {
    let Source { header, message, connection } = of;
    let size = frame.len();
    let parts = match reading(size, move || parts(&frame)).await? {
        Ok(parts) => parts,
        Err(problem) => return Ok(Err(problem)),
    };
    let sent = message.header();
    let id = connection.id.as_bytes().as_slice();
    let same = [id, sent.field(3).raw.as_bytes(), sent.field(4).raw.as_bytes(), header.control_id.as_bytes()];
    let new = |(content, content_hash): (Bytes, String)| NewReception {
        connection_id: connection.id,
        organization_id,
        kind: connection.kind,
        // Some senders restart their ids: the same id with different content is a different message.
        partner_key: hash(same.into_iter().chain([content_hash.as_bytes()])),
        content_hash,
        partner_id: header.control_id.clone(),
        content_type: String::new(),
        recipients: Vec::new(),
        source_ip: source_ip.to_owned(),
        content,
    };
    Ok(Ok(parts.into_iter().map(new).collect()))
}

/// One message for each patient, with its content hash. If one of them is invalid, none is stored.
fn parts(frame: &Bytes) -> Result<Vec<(Bytes, String)>, Problem> {
    let parts = frame::by_patient(frame)?.into_iter().map(|part| {
        let message = Message::read(&part).map_err(|_| UNREADABLE)?;
        if matches!(Header::read(&message).0.subject, Some(Subject::Event(_))) {
            Told::read(&message)?;
            // What happened, and when, is in the header and the event.
            let hash = hash(message.segments().map(|segment| segment.raw().as_bytes()));
            return Ok((part, hash));
        }
        let content = Content::read(&message)?;
        if fit(&content.files) { Ok((part, content_hash(&message))) } else { Err(TOO_LARGE) }
    });
    parts.collect()
}

/// Hash of a message's content, without header and event: they contain times, which some senders change when they send
/// it again.
fn content_hash(message: &Message) -> String {
    let said = message.segments().filter(|segment| !matches!(segment.name(), "MSH" | "EVN"));
    hash(said.map(|segment| segment.raw().as_bytes()))
}
