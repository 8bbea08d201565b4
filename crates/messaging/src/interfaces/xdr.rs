//! `POST /services/provide`: ITI-41 and XDR. The Direct addresses of the recipients determine the organizations of the
//! documents. `Success` is answered only after the documents and their workflows are durable.

use super::{
    assertions,
    connections::{self, Found},
    fit, hash, reading,
    reception::{self, Kept, NewReception},
    refusals::{self, Refusal},
};
use crate::direct::DirectServices;
use ::direct::DirectAddress;
use admission::Party;
use axum::{
    Extension, Router,
    body::{Body, to_bytes},
    extract::{ConnectInfo, DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use bytes::Bytes;
use exchange::receive::{
    assertion::{self, Strict, Terms},
    listener::Peer,
    provide::{self, Answer, Asked, Fault, FaultCode, Provided, RegistryError},
};
use futures::StreamExt;
use platform::{App, Result};
use std::{collections::BTreeMap, net::SocketAddr, time::Duration};
use store::entities::inbound_connection::{ConnectionKind, Model};
use tokio::time::timeout;
use url::Url;
use uuid::Uuid;

/// Path of the document endpoint.
pub const PATH: &str = "/services/provide";

/// Time for a request to get its turn and to arrive.
const TURN: Duration = Duration::from_secs(30);
const WHOLE: Duration = Duration::from_secs(300);

/// Limits for reading the request of an unknown sender: size in bytes, and time.
const PASSED_OVER: usize = 4 << 20;
const PATIENCE: Duration = Duration::from_secs(5);

const UNKNOWN_RECIPIENT: &str = "No recipient has a mailbox here.";
const LATER: RegistryError =
    RegistryError::error("XDSRepositoryBusy", "The documents cannot be stored at present.");
const TOO_LARGE: RegistryError =
    RegistryError::error("XDSRepositoryOutOfResources", "The documents are too large.");
const DUPLICATE: RegistryError = RegistryError::error(
    "XDSDuplicateUniqueIdInRegistry",
    "Another submission set with this unique id was received before.",
);

/// For operators only; the sender gets the same answer as for an expired assertion.
const USED_BEFORE: &str = "The assertion was used before";

/// The fingerprint of a client certificate, if the listener asks for one.
#[derive(Clone, Debug)]
pub struct ClientCertificate(pub String);

/// For the web server, and for the separate listener that asks for certificates.
pub fn routes() -> Router<App> {
    // The handler reads the body itself, after it has identified the sender.
    Router::new().route(PATH, post(receive)).layer(DefaultBodyLimit::disable())
}

async fn receive(
    State(app): State<App>,
    Extension(direct): Extension<DirectServices>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    certificate: Option<Extension<ClientCertificate>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(Extension(ConnectInfo(address))) = peer else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let peer = Peer {
        address: address.ip().to_canonical(),
        certificate: certificate.map(|Extension(ClientCertificate(fingerprint))| fingerprint),
    };
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let taking = Taking { app: &app, direct: &direct, peer: &peer };
    match Party::from(peer.address).working(taking.answer(kind, body)).await {
        Ok(answer) => answered(answer),
        Err(error) => {
            tracing::error!(?error, "documents of an interface could not be accepted");
            answered(Asked::default().faulted(&Fault::receiver("The request cannot be accepted at present.")))
        }
    }
}

fn answered(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, [(header::CONTENT_TYPE, answer.content_type)], answer.body).into_response()
}

/// Reads the remaining body, so that the client gets to read why it is refused.
async fn passed_over(body: Body) {
    let mut pieces = body.into_data_stream();
    let read = async {
        let mut left = PASSED_OVER;
        while let Some(Ok(piece)) = pieces.next().await
            && left > 0
        {
            left = left.saturating_sub(piece.len());
        }
    };
    let _ = timeout(PATIENCE, read).await;
}

fn sender_fault(status: u16, words: &'static str) -> Answer {
    Answer { status, ..Asked::default().faulted(&Fault { code: FaultCode::Sender, words }) }
}

/// Accepted audiences of an assertion: the URL of this installation, that of this service, and the name of its host.
fn audience(public_url: &Url) -> Vec<String> {
    let base = public_url.as_str().trim_end_matches('/');
    let names = [base.to_owned(), format!("{base}/"), format!("{base}{PATH}")];
    names.into_iter().chain(public_url.host_str().map(str::to_owned)).collect()
}

/// A request in progress.
struct Taking<'a> {
    app: &'a App,
    direct: &'a DirectServices,
    peer: &'a Peer,
}

impl Taking<'_> {
    async fn refuse(&self, connection_id: Option<Uuid>, reason: &str) {
        let refusal =
            Refusal { kind: ConnectionKind::Xdr, peer: self.peer, header: None, connection_id, reason };
        refusals::note(self.app, refusal).await;
    }

    async fn answer(&self, content_type: &str, body: Body) -> Result<Answer> {
        let db = self.app.store.db();
        let connection = match connections::find(db, ConnectionKind::Xdr, self.peer, None).await? {
            Found::One(connection) => connection,
            Found::Unknown => {
                self.refuse(None, "The sender is not known here").await;
                passed_over(body).await;
                return Ok(sender_fault(403, "This system is not known here."));
            }
            Found::Several => {
                self.refuse(None, "The sender matches several connections").await;
                passed_over(body).await;
                return Ok(sender_fault(403, "This system matches several connections."));
            }
        };
        let turn = self.app.health.provided.enter(connection.id.into(), 1);
        let Ok(Ok(_turn)) = timeout(TURN, turn).await else {
            return Ok(Asked::default().faulted(&Fault::receiver("There are too many requests.")));
        };
        let limit = usize::try_from(self.app.config.interfaces.max_message_bytes).unwrap_or(usize::MAX);
        let body = match timeout(WHOLE, to_bytes(body, limit)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => {
                self.refuse(Some(connection.id), "A request was too large or incomplete").await;
                return Ok(sender_fault(413, "The request is too large or incomplete."));
            }
            Err(_) => {
                self.refuse(Some(connection.id), "A request arrived too slowly").await;
                return Ok(sender_fault(408, "The request arrived too slowly."));
            }
        };
        let (kind, bytes) = (content_type.to_owned(), body.clone());
        let (terms, now) = (self.terms(&connection), self.app.clock.now());
        // The sender is checked before the content is read.
        let read = move || {
            let assertion = terms.map(|terms| assertion::check(&kind, &bytes, &terms, now)).transpose();
            match assertion {
                Err(fault) => (provide::asked(&kind, &bytes), Err(fault.into())),
                Ok(assertion) => {
                    let (asked, provided) = provide::read(&kind, &bytes);
                    (asked, provided.map(|provided| (provided, assertion)))
                }
            }
        };
        let (asked, provided) = reading(body.len(), read).await?;
        let (provided, assertion) = match provided {
            Ok(both) => both,
            Err(refusal) => {
                let words = match &refusal {
                    provide::Refusal::Fault(fault) => fault.words,
                    provide::Refusal::Registry(error) => error.words,
                };
                self.refuse(Some(connection.id), words).await;
                return Ok(asked.refused(&refusal));
            }
        };
        if let Some(assertion) = assertion.filter(|assertion| assertion.is_for_one_use)
            && !assertions::use_up(self.app, &connection.assertion_certificate, &assertion).await?
        {
            self.refuse(Some(connection.id), USED_BEFORE).await;
            return Ok(asked.faulted(&assertion::over()));
        }
        let errors = self.kept(&connection, content_type, provided, body).await?;
        if let Some(error) = errors.iter().find(|error| !error.is_warning) {
            self.refuse(Some(connection.id), error.words).await;
        }
        Ok(asked.responded(&errors))
    }

    /// Requirements for the assertions of a connection, if it has any.
    fn terms(&self, connection: &Model) -> Option<Terms> {
        let signatory = connection.assertion_certificate.clone();
        let strict = || Strict {
            audience: audience(&self.app.config.http.public_url),
            client: self.peer.certificate.clone(),
            is_bound: !connection.certificate.is_empty(),
        };
        let strict = (!connection.loose_assertions).then(strict);
        (!signatory.is_empty()).then_some(Terms { signatory, strict })
    }

    /// Stores the documents for each organization, and returns errors and warnings.
    async fn kept(
        &self,
        connection: &Model,
        content_type: &str,
        provided: Provided,
        body: Bytes,
    ) -> Result<Vec<RegistryError>> {
        if !fit(&provided.files) {
            return Ok(vec![TOO_LARGE]);
        }
        if self.app.health.disk.is_full() {
            return Ok(vec![LATER]);
        }
        let (parts, unknown) = self.recipients(connection, &provided.to).await?;
        if parts.is_empty() {
            return Ok(vec![RegistryError::error("UnknownRecipient", UNKNOWN_RECIPIENT)]);
        }
        let content_hash = hash(provided.files.iter().map(|file| file.content.as_ref()));
        let partner_id = provided.id.unwrap_or_else(|| content_hash.clone());
        let key = hash([connection.id.as_bytes().as_slice(), partner_id.as_bytes()]);
        let each = parts.into_iter().map(|(organization_id, recipients)| NewReception {
            connection_id: connection.id,
            organization_id,
            kind: ConnectionKind::Xdr,
            partner_key: key.clone(),
            content_hash: content_hash.clone(),
            partner_id: partner_id.clone(),
            content_type: content_type.to_owned(),
            recipients,
            source_ip: self.peer.address.to_string(),
            content: body.clone(),
        });
        let each: Vec<_> = each.collect();
        let party = each
            .first()
            .map_or_else(|| Party::from(self.peer.address), |new| Party::from(new.organization_id));
        let kept = party.working(reception::keep_all(self.app, each)).await?;
        if kept.contains(&Kept::Different) {
            return Ok(vec![DUPLICATE]);
        }
        let mut warnings = provided.warnings;
        if unknown > 0 {
            warnings
                .push(RegistryError::warning("UnknownRecipient", "Some recipients have no mailbox here."));
        }
        Ok(warnings)
    }

    /// The recipients by organization, and the number of unknown ones. Documents without recipients go to the
    /// organization of the connection.
    async fn recipients(
        &self,
        connection: &Model,
        to: &[String],
    ) -> Result<(BTreeMap<Uuid, Vec<String>>, usize)> {
        let (mut parts, mut unknown) = (BTreeMap::<Uuid, Vec<String>>::new(), 0);
        for written in to {
            let mailbox = match DirectAddress::parse(written) {
                Ok(address) => {
                    self.direct.hosted.mailbox(&address).await?.map(|id| (id, address.to_string()))
                }
                Err(_) => None,
            };
            match mailbox.filter(|(id, _)| connection.organization_id.is_none_or(|only| only == *id)) {
                Some((id, address)) => parts.entry(id).or_default().push(address),
                None => unknown += 1,
            }
        }
        if let Some(id) = connection.organization_id.filter(|_| to.is_empty())
            && connections::takes_messages(self.app.store.db(), id).await?
        {
            parts.insert(id, Vec::new());
        }
        Ok((parts, unknown))
    }
}
