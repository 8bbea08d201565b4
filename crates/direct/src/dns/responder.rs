//! Authoritative DNS responder for hosted domains, over UDP and TCP.

use std::fmt;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use admission::{Buckets, Network, Rate};
use async_trait::async_trait;
use hickory_server::Server;
use hickory_server::net::runtime::Time;
use hickory_server::proto::op::{Edns, Metadata, OpCode, ResponseCode};
use hickory_server::proto::rr::rdata::cert::{Algorithm, CertType};
use hickory_server::proto::rr::rdata::{CERT, MX, NS, SOA};
use hickory_server::proto::rr::{Name, RData, Record, RecordType};
use hickory_server::server::{Request, RequestHandler, ResponseHandler, ResponseInfo};
use hickory_server::zone_handler::MessageResponseBuilder;
use tokio::net::{TcpListener, UdpSocket};
use tokio_util::sync::CancellationToken;

/// How long an idle TCP connection is kept.
const TCP_TIMEOUT: Duration = Duration::from_secs(5);
/// Answers waiting per TCP connection.
const TCP_BUFFER: usize = 32;
/// Rate limit of queries per address, or per /64 of IPv6. Beyond it the resolver is told to use TCP, which does not
/// work with a forged address.
const QUESTIONS: Rate = Rate { burst: 1000.0, per_second: 100.0 };
/// Number of tries to find a port that is free for UDP and TCP.
const PORT_TRIES: usize = 20;
/// Time to live of negative answers, in seconds.
const NEGATIVE_TTL: u32 = 300;

/// A domain that the installation answers for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedZone {
    /// The health domain: apex of the zone.
    pub domain: String,
    /// Host name of the name server, for NS and SOA.
    pub name_server: String,
    /// Mail server of the domain, for MX; none when MX is published elsewhere.
    pub mail_server: Option<String>,
    /// Serial of the zone; increases with each change.
    pub serial: u32,
    /// Time to live of the records, in seconds.
    pub ttl: u32,
}

/// The zones cannot be read at the moment. The answer is SERVFAIL, so that resolvers ask again; a negative answer
/// would be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the published zones cannot be read")]
pub struct ZonesUnreadable;

/// The published zones, read for every query.
#[async_trait]
pub trait PublishedZones: Send + Sync + 'static {
    /// The hosted domain that contains the name; none if it is not ours. Lower case, no final dot.
    async fn zone_of(&self, name: &str) -> Result<Option<HostedZone>, ZonesUnreadable>;
    /// Certificates in DER for a name: the domain's for the domain itself, an address's for `local.domain`; none if
    /// the name does not exist.
    async fn certificates(
        &self,
        zone: &HostedZone,
        name: &str,
    ) -> Result<Option<Vec<Vec<u8>>>, ZonesUnreadable>;
}

/// A running responder's sockets.
pub struct DnsResponder {
    udp: UdpSocket,
    tcp: TcpListener,
    zones: Arc<dyn PublishedZones>,
}

impl DnsResponder {
    /// Binds UDP and TCP on the same address and port. Port 0 chooses one that is free for both.
    pub async fn bind(address: SocketAddr, zones: Arc<dyn PublishedZones>) -> std::io::Result<Self> {
        let mut tries = if address.port() == 0 { PORT_TRIES } else { 1 };
        loop {
            tries -= 1;
            let tcp = TcpListener::bind(address).await?;
            match UdpSocket::bind(tcp.local_addr()?).await {
                Ok(udp) => return Ok(Self { udp, tcp, zones }),
                // A port that is free for TCP may be in use for UDP.
                Err(error) if error.kind() == ErrorKind::AddrInUse && tries > 0 => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Local address.
    pub fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    /// Answers until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut server = Server::new(Handler::new(self.zones));
        server.register_socket(self.udp);
        server.register_listener(self.tcp, TCP_TIMEOUT, TCP_BUFFER);
        shutdown.cancelled().await;
        if let Err(error) = server.shutdown_gracefully().await {
            tracing::warn!(%error, "the DNS responder did not end cleanly");
        }
    }
}

impl fmt::Debug for DnsResponder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DnsResponder({:?})", self.local_addr())
    }
}

struct Handler {
    zones: Arc<dyn PublishedZones>,
    questions: Buckets<IpAddr>,
    start: Instant,
}

/// Why a query for our zones is answered with SERVFAIL.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error(transparent)]
    Zones(#[from] ZonesUnreadable),
    #[error(transparent)]
    Name(#[from] hickory_server::proto::ProtoError),
}

/// An answer before it is encoded.
#[derive(Default)]
struct Answer {
    code: Option<ResponseCode>,
    answers: Vec<Record>,
    authority: Vec<Record>,
    authoritative: bool,
    truncated: bool,
}

impl Handler {
    fn new(zones: Arc<dyn PublishedZones>) -> Self {
        Self { zones, questions: Buckets::new(QUESTIONS), start: Instant::now() }
    }

    async fn answer(&self, name: &Name, kind: RecordType) -> Result<Answer, Unanswered> {
        let text = name.to_ascii().trim_end_matches('.').to_ascii_lowercase();
        let Some(zone) = self.zones.zone_of(&text).await? else {
            return Ok(Answer { code: Some(ResponseCode::Refused), ..Answer::default() });
        };
        let apex = Name::from_ascii(format!("{}.", zone.domain))?;
        let certificates = self.zones.certificates(&zone, &text).await?;
        let exists = certificates.is_some() || text == zone.domain;
        let wanted = |k: RecordType| kind == k || kind == RecordType::ANY;
        let mut data = Vec::new();
        if wanted(RecordType::CERT) {
            data.extend(certificates.into_iter().flatten().map(cert));
        }
        if text == zone.domain {
            if wanted(RecordType::SOA) {
                data.push(soa(&zone, &apex)?);
            }
            if wanted(RecordType::NS) {
                data.push(RData::NS(NS(host(&zone.name_server)?)));
            }
            if let Some(mail) = zone.mail_server.as_deref().filter(|_| wanted(RecordType::MX)) {
                data.push(RData::MX(MX::new(10, host(mail)?)));
            }
        }
        let answers: Vec<_> =
            data.into_iter().map(|d| Record::from_rdata(name.clone(), zone.ttl, d)).collect();
        let authority = match answers.is_empty() {
            true => vec![Record::from_rdata(apex.clone(), zone.ttl.min(NEGATIVE_TTL), soa(&zone, &apex)?)],
            false => vec![],
        };
        let code = (!exists).then_some(ResponseCode::NXDomain);
        Ok(Answer { code, answers, authority, authoritative: true, truncated: false })
    }
}

/// Offers the UDP size of the client, up to the size that passes networks unfragmented.
fn answered_edns(asked: &Edns) -> Edns {
    let mut edns = Edns::new();
    edns.set_max_payload(asked.max_payload().clamp(512, 1232)).set_version(0);
    edns
}

fn cert(der: Vec<u8>) -> RData {
    RData::CERT(CERT::new(CertType::PKIX, 0, Algorithm::RSASHA256, der))
}

fn soa(zone: &HostedZone, apex: &Name) -> Result<RData, hickory_server::proto::ProtoError> {
    let keeper = Name::from_ascii("hostmaster")?.append_domain(apex)?;
    let soa = SOA::new(host(&zone.name_server)?, keeper, zone.serial, 3600, 600, 604_800, NEGATIVE_TTL);
    Ok(RData::SOA(soa))
}

fn host(name: &str) -> Result<Name, hickory_server::proto::ProtoError> {
    let mut name = Name::from_ascii(name)?;
    name.set_fqdn(true);
    Ok(name)
}

#[async_trait]
impl RequestHandler for Handler {
    async fn handle_request<R: ResponseHandler, T: Time>(
        &self,
        request: &Request,
        mut out: R,
    ) -> ResponseInfo {
        let mut metadata = Metadata::response_from_request(&request.metadata);
        let asker = Network::of_customer(request.src().ip());
        let may_ask = self.questions.take(asker, 1.0, self.start.elapsed().as_secs_f64());
        let answer = match request.request_info() {
            _ if !may_ask => Answer { truncated: true, ..Answer::default() },
            Ok(info) if request.metadata.op_code == OpCode::Query => {
                let name = Name::from(info.query.name());
                self.answer(&name, info.query.query_type()).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "a DNS query could not be answered");
                    Answer { code: Some(ResponseCode::ServFail), ..Answer::default() }
                })
            }
            _ => Answer { code: Some(ResponseCode::NotImp), ..Answer::default() },
        };
        metadata.authoritative = answer.authoritative;
        metadata.truncation = answer.truncated;
        metadata.recursion_available = false;
        metadata.response_code = answer.code.unwrap_or(ResponseCode::NoError);
        let edns = request.edns.as_ref().map(answered_edns);
        let builder = MessageResponseBuilder::new(&request.queries, edns.as_ref());
        let none: [&Record; 0] = [];
        let response = builder.build(metadata, &answer.answers, &answer.authority, none, none);
        match out.send_response(response).await {
            Ok(info) => info,
            Err(error) => {
                tracing::debug!(%error, "a DNS answer was not sent");
                let counts = Default::default();
                hickory_server::proto::op::Header { metadata, counts }.into()
            }
        }
    }
}
