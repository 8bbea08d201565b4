//! HTTP to addresses from outside, such as those in certificates, DNS or settings: with limits, and guarded against
//! requests to internal networks (SSRF).

use std::fmt::{self, Debug};
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use admission::{Party, Place, Pool};
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// Time limit of one fetch, also of CRLs and issuer certificates.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Why nothing could be fetched.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FetchError {
    /// The address is not a valid http or https URL.
    #[error("the address is not a web address")]
    BadAddress,
    /// The guard does not permit the address.
    #[error("the address is in a network that is not allowed")]
    Forbidden,
    /// The answer is larger than the limit.
    #[error("the answer is too large")]
    TooLarge,
    /// The server answered with this HTTP status.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// The answer is not of the expected kind.
    #[error("the answer cannot be read")]
    Unreadable,
    /// Too many fetches from there already, so there was no free place in time. Says nothing about the server.
    #[error("too much is fetched from there at the same time")]
    Busy,
    /// No connection, so nothing was sent.
    #[error("the server could not be reached")]
    NotConnected,
    /// No encrypted connection, so nothing was sent.
    #[error("no encrypted connection to the server could be made")]
    Tls(TlsRefusal),
    /// Timeout or broken transfer. The request may have arrived.
    #[error("the server could not be reached")]
    Unreachable,
}

/// Why there is no encrypted connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsRefusal {
    /// The certificate of the server has expired.
    Expired,
    /// The server's identity is wrong, or its TLS is not accepted here.
    NotAccepted,
    /// The server does not accept our certificate.
    NotAcceptedThere,
}

impl TlsRefusal {
    /// The TLS reason for a failed connection. With TLS 1.3 a server refuses a client certificate only after the
    /// first request was sent, which it has not read then.
    pub fn of(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
            let wrapped = wrapped.and_then(|inner| inner.downcast_ref::<rustls::Error>());
            if let Some(found) = error.downcast_ref::<rustls::Error>().or(wrapped) {
                return Self::in_handshake(found);
            }
            next = error.source();
        }
        None
    }

    fn in_handshake(error: &rustls::Error) -> Option<Self> {
        use rustls::{AlertDescription as Alert, CertificateError};
        match error {
            rustls::Error::InvalidCertificate(
                CertificateError::Expired | CertificateError::ExpiredContext { .. },
            ) => Some(Self::Expired),
            rustls::Error::InvalidCertificate(_) | rustls::Error::PeerIncompatible(_) => {
                Some(Self::NotAccepted)
            }
            rustls::Error::AlertReceived(
                Alert::BadCertificate
                | Alert::UnsupportedCertificate
                | Alert::CertificateRevoked
                | Alert::CertificateExpired
                | Alert::CertificateUnknown
                | Alert::CertificateRequired
                | Alert::UnknownCA
                | Alert::AccessDenied
                | Alert::HandshakeFailure
                | Alert::ProtocolVersion,
            ) => Some(Self::NotAcceptedThere),
            _ => None,
        }
    }
}

/// Reads a resource; implemented by [`HttpFetcher`] and by test doubles.
#[async_trait]
pub trait Fetch: Send + Sync + Debug {
    /// The bytes at an http(s) address; more than `limit` bytes are an error.
    async fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError>;
}

/// Permitted network addresses for names and addresses from outside.
#[derive(Debug, Clone, Default)]
pub struct AddressGuard {
    unrestricted: bool,
    /// Public addresses are not permitted either, unless they are allowed explicitly.
    closed: bool,
    allowed: Vec<(IpAddr, u8)>,
}

/// [`Fetch`] over HTTP: 10 s, no redirects, no proxies, size limit, guarded addresses.
#[derive(Debug, Clone)]
pub struct HttpFetcher {
    client: reqwest::Client,
    guard: AddressGuard,
    pool: Option<Arc<Pool>>,
    /// Party that is charged, if not the host.
    party: Option<Party>,
}

impl AddressGuard {
    /// Permits addresses of the public Internet only.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Permits any address, for closed networks and tests.
    pub fn unrestricted() -> Self {
        Self { unrestricted: true, ..Self::default() }
    }

    /// Permits nothing but what [`Self::allowing`] adds.
    pub fn closed() -> Self {
        Self { closed: true, ..Self::default() }
    }

    /// Also permits networks, each an address and its number of leading bits.
    pub fn allowing_all(self, networks: impl IntoIterator<Item = (IpAddr, u8)>) -> Self {
        networks.into_iter().fold(self, |guard, (network, prefix)| guard.allowing(network, prefix))
    }

    /// Also permits this machine.
    pub fn allowing_this_machine(self) -> Self {
        self.allowing(Ipv4Addr::LOCALHOST.into(), 8).allowing(Ipv6Addr::LOCALHOST.into(), 128)
    }

    /// Whether the address in a URL is refused. A name is checked when it is called, except that of this machine.
    pub fn refuses(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else { return true };
        match url.host() {
            Some(Host::Ipv4(address)) => !self.permits(address.into()),
            Some(Host::Ipv6(address)) => !self.permits(address.into()),
            Some(Host::Domain(name)) => {
                let is_here = name == "localhost" || name.ends_with(".localhost");
                is_here && !self.permits(Ipv4Addr::LOCALHOST.into())
            }
            None => true,
        }
    }

    /// Also permits addresses that share the first `prefix` bits with `network`.
    pub fn allowing(mut self, network: IpAddr, prefix: u8) -> Self {
        self.allowed.push((network, prefix));
        self
    }

    /// Whether the address may be contacted.
    pub fn permits(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.unrestricted
            || (!self.closed && is_public(address))
            || self.allowed.iter().any(|(network, prefix)| shares_prefix(*network, address, *prefix))
    }
}

/// Host and port of a URL: calls to one host share their workers.
pub fn host_and_port(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let port = url.as_ref().and_then(Url::port_or_known_default).unwrap_or_default();
    format!("{host}:{port}")
}

/// Whether an address is in the public Internet, and in none of the special-purpose registries (RFC 6890).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(a == 0
                || a >= 224
                || v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_documentation()
                || (a == 100 && (64..128).contains(&b))
                || (a == 192 && b == 0 && c == 0)
                || (a == 192 && b == 88 && c == 99)
                || (a == 198 && (18..20).contains(&b)))
        }
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            // global unicast is 2000::/3, without documentation addresses and tunnels that embed an IPv4 address
            first & 0xE000 == 0x2000 && first != 0x2002 && !is_special_2001(v6)
        }
    }
}

fn is_special_2001(v6: Ipv6Addr) -> bool {
    let [first, second, ..] = v6.segments();
    first == 0x2001 && (second < 0x0200 || second == 0x0DB8) || first == 0x3FFF
}

fn shares_prefix(network: IpAddr, address: IpAddr, prefix: u8) -> bool {
    let (network, address) = match (network, address) {
        (IpAddr::V4(n), IpAddr::V4(a)) => (n.octets().to_vec(), a.octets().to_vec()),
        (IpAddr::V6(n), IpAddr::V6(a)) => (n.octets().to_vec(), a.octets().to_vec()),
        _ => return false,
    };
    let bit = |bytes: &[u8], i: usize| bytes[i / 8] >> (7 - i % 8) & 1;
    (0..usize::from(prefix).min(network.len() * 8)).all(|i| bit(&network, i) == bit(&address, i))
}

type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;
/// Resolver of a name's addresses.
type Names = Arc<dyn Fn(String) -> Addresses + Send + Sync>;

/// The resolver of the machine.
fn names() -> Names {
    Arc::new(|name| Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) }))
}

/// Resolves names to permitted addresses only, so that the connection goes to exactly the address that was checked.
struct GuardedResolver {
    guard: AddressGuard,
    names: Names,
}

impl Debug for GuardedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedResolver").field("guard", &self.guard).finish_non_exhaustive()
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, found) = (self.guard.clone(), (self.names)(name.as_str().to_owned()));
        Box::pin(async move {
            let found = found.await?;
            let allowed: Vec<_> = found.into_iter().filter(|a| guard.permits(a.ip())).collect();
            if allowed.is_empty() {
                return Err(Box::new(FetchError::Forbidden) as Box<dyn std::error::Error + Send + Sync>);
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

impl HttpFetcher {
    /// A fetcher that contacts only what the guard permits.
    pub fn new(guard: AddressGuard) -> Result<Self, FetchError> {
        Self::answering_within(guard, FETCH_TIMEOUT)
    }

    /// Like [`Self::new`], with another time limit.
    pub fn answering_within(guard: AddressGuard, limit: Duration) -> Result<Self, FetchError> {
        Self::with_client(guard, reqwest::Client::builder().timeout(limit))
    }

    /// Like [`Self::new`], with the time limit and the TLS settings of the given client.
    pub fn with_client(guard: AddressGuard, client: reqwest::ClientBuilder) -> Result<Self, FetchError> {
        Self::resolving(guard, client, names())
    }

    fn resolving(
        guard: AddressGuard,
        client: reqwest::ClientBuilder,
        names: Names,
    ) -> Result<Self, FetchError> {
        let client = client
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .dns_resolver(Arc::new(GuardedResolver { guard: guard.clone(), names }))
            .build()
            .map_err(|_| FetchError::Unreachable)?;
        Ok(Self { client, guard, pool: None, party: None })
    }

    /// Counts its fetches in a pool, by host.
    pub fn within(self, pool: Arc<Pool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// Charges its fetches to a party, regardless of the host.
    pub fn on_behalf_of(self, party: impl Into<Party>) -> Self {
        Self { party: Some(party.into()), ..self }
    }

    /// Waits for a free place, at most as long as for an answer.
    async fn admit(&self, url: &Url) -> Result<Option<Place>, FetchError> {
        let Some(pool) = &self.pool else { return Ok(None) };
        let host = || Party::Host(url.host_str().unwrap_or_default().to_owned());
        let entering = pool.enter(self.party.clone().unwrap_or_else(host), 1);
        match tokio::time::timeout(FETCH_TIMEOUT, entering).await {
            Ok(Ok(place)) => Ok(Some(place)),
            _ => Err(FetchError::Busy),
        }
    }

    /// Sends a request and reads the whole answer, whatever its status; more than `limit` bytes are an error.
    pub async fn send(
        &self,
        request: http::Request<Vec<u8>>,
        limit: usize,
    ) -> Result<http::Response<Vec<u8>>, FetchError> {
        let (response, _place) = self.execute(request).await?;
        let answer = head_of(&response);
        let body = read_body(response, limit).await?;
        answer.body(body).map_err(|_| FetchError::Unreadable)
    }

    /// Like [`Self::send`], but reads at most the first `limit` bytes of the answer, and accepts a truncated one.
    pub async fn send_for_beginning(
        &self,
        request: http::Request<Vec<u8>>,
        limit: usize,
    ) -> Result<http::Response<Vec<u8>>, FetchError> {
        let (mut response, _place) = self.execute(request).await?;
        let answer = head_of(&response);
        let mut body = Vec::new();
        while body.len() < limit
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        answer.body(body).map_err(|_| FetchError::Unreadable)
    }

    /// The head of the answer, and the place in the pool, held until all of it is read.
    async fn execute(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<(reqwest::Response, Option<Place>), FetchError> {
        let url = self.check(&request.uri().to_string())?;
        let place = self.admit(&url).await?;
        let request = reqwest::Request::try_from(request).map_err(|_| FetchError::BadAddress)?;
        let response = self.client.execute(request).await.map_err(|e| transfer_error(&e))?;
        Ok((response, place))
    }

    fn check(&self, url: &str) -> Result<Url, FetchError> {
        let url = Url::parse(url).map_err(|_| FetchError::BadAddress)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchError::BadAddress);
        }
        let literal = match url.host() {
            Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
            Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
            Some(Host::Domain(_)) => None,
            None => return Err(FetchError::BadAddress),
        };
        match literal {
            Some(address) if !self.guard.permits(address) => Err(FetchError::Forbidden),
            _ => Ok(url),
        }
    }
}

fn head_of(response: &reqwest::Response) -> http::response::Builder {
    let mut answer = http::Response::builder().status(response.status());
    if let Some(headers) = answer.headers_mut() {
        headers.clone_from(response.headers());
    }
    answer
}

fn transfer_error(error: &reqwest::Error) -> FetchError {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.downcast_ref::<FetchError>().is_some() {
            return FetchError::Forbidden;
        }
        source = inner.source();
    }
    match TlsRefusal::of(error) {
        Some(refusal) => FetchError::Tls(refusal),
        None if error.is_connect() => FetchError::NotConnected,
        None => FetchError::Unreachable,
    }
}

#[async_trait]
impl Fetch for HttpFetcher {
    async fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        let url = self.check(url)?;
        let _place = self.admit(&url).await?;
        let response = self.client.get(url).send().await.map_err(|e| transfer_error(&e))?;
        if !response.status().is_success() {
            return Err(FetchError::Status(response.status().as_u16()));
        }
        read_body(response, limit).await
    }
}

async fn read_body(mut response: reqwest::Response, limit: usize) -> Result<Vec<u8>, FetchError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| FetchError::Unreachable)? {
        if body.len() + chunk.len() > limit {
            return Err(FetchError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    #[test]
    fn only_public_addresses_are_permitted_unless_allowed() {
        let guard = AddressGuard::public_only();
        for inner in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:0.0.0.0",
            "::",
            "::127.0.0.1",
            // NAT64, of the well-known prefix and of a network's own.
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::a00:1",
            // 6to4 and Teredo.
            "2002:7f00:1::1",
            "2001:0:7f00:1::1",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
        ] {
            assert!(!guard.permits(inner.parse().unwrap()), "{inner}");
        }
        for public in ["8.8.8.8", "172.32.0.1", "2606:4700::1111"] {
            assert!(guard.permits(public.parse().unwrap()), "{public}");
        }
        let allowing = guard.allowing("10.1.0.0".parse().unwrap(), 16);
        assert!(allowing.permits("10.1.2.3".parse().unwrap()));
        assert!(!allowing.permits("10.2.2.3".parse().unwrap()));
        let closed = AddressGuard::closed().allowing("10.1.0.0".parse().unwrap(), 16);
        assert!(closed.permits("10.1.2.3".parse().unwrap()));
        assert!(!closed.permits("8.8.8.8".parse().unwrap()));
    }

    #[test]
    fn an_address_is_judged_however_it_is_written() {
        let fetcher = HttpFetcher::new(AddressGuard::public_only()).unwrap();
        for written in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0177.0.0.1",
            "0",
            "[::]",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::127.0.0.1]",
        ] {
            let judged = fetcher.check(&format!("http://{written}/"));
            assert!(matches!(judged, Err(FetchError::Forbidden)), "{written}: {judged:?}");
        }
    }

    /// Addresses of a name, one answer after the other; the last one stays.
    fn changing(answers: &[&[&str]]) -> (Names, Arc<Mutex<Vec<String>>>) {
        let answers: Vec<Vec<SocketAddr>> = answers
            .iter()
            .map(|answer| answer.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), 0)).collect())
            .collect();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        let names: Names = Arc::new(move |name| {
            let mut asked = noted.lock().unwrap();
            asked.push(name);
            let answer = answers[(asked.len() - 1).min(answers.len() - 1)].clone();
            Box::pin(async move { Ok(answer) })
        });
        (names, asked)
    }

    /// A server that gives the same answer to each request and closes, with a counter of its requests.
    async fn server(at: &str, answer: String) -> (u16, Arc<AtomicUsize>) {
        let listener = TcpListener::bind((at, 0)).await.unwrap();
        let (port, came) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        let counted = came.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Relaxed);
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        (port, came)
    }

    const FINE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

    /// A fetcher that treats 127.0.0.1 as the Internet, and 127.0.0.2 as an internal network.
    fn fetcher(names: Names) -> HttpFetcher {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let guard = AddressGuard::closed().allowing([127, 0, 0, 1].into(), 32);
        HttpFetcher::resolving(guard, reqwest::Client::builder(), names).unwrap()
    }

    #[tokio::test]
    async fn the_address_that_was_judged_is_the_one_that_is_connected_to() {
        let (port, came) = server("127.0.0.1", FINE.into()).await;
        // The name resolves to an internal address as soon as it was checked.
        let (names, asked) = changing(&[&["127.0.0.1"], &["127.0.0.2"]]);
        let fetcher = fetcher(names);
        let url = format!("http://partner.example:{port}/");
        assert_eq!(fetcher.get(&url, 10).await.unwrap(), b"ok");
        assert_eq!(
            (came.load(Relaxed), asked.lock().unwrap().len()),
            (1, 1),
            "asked once, and connected to that"
        );
        assert!(matches!(fetcher.get(&url, 10).await, Err(FetchError::Forbidden)), "judged again");
        assert_eq!((came.load(Relaxed), asked.lock().unwrap().len()), (1, 2));
    }

    #[tokio::test]
    async fn of_the_addresses_of_a_name_only_permitted_ones_are_tried() {
        let (port, came) = server("127.0.0.2", FINE.into()).await;
        let (names, _) =
            changing(&[&["127.0.0.2", "::ffff:127.0.0.2", "64:ff9b::7f00:2", "0.0.0.0", "127.0.0.1"]]);
        let fetched = fetcher(names).get(&format!("http://partner.example:{port}/"), 10).await;
        assert!(matches!(fetched, Err(FetchError::NotConnected)), "{fetched:?}");
        assert_eq!(came.load(Relaxed), 0);
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_leads_nowhere() {
        let (inner, came) = server("127.0.0.2", FINE.into()).await;
        for to in [format!("http://127.0.0.2:{inner}/"), format!("http://inner.example:{inner}/")] {
            let moved = format!(
                "HTTP/1.1 307 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let (port, _) = server("127.0.0.1", moved).await;
            let (names, _) = changing(&[&["127.0.0.1"]]);
            let fetcher = fetcher(names);
            let url = format!("http://partner.example:{port}/");
            assert!(matches!(fetcher.get(&url, 10).await, Err(FetchError::Status(307))));
            let request = http::Request::post(&url).body(b"secret".to_vec()).unwrap();
            assert_eq!(fetcher.send(request, 10).await.unwrap().status(), 307);
        }
        assert_eq!(came.load(Relaxed), 0);
    }
}
