//! Connections to endpoints configured by operators: to permitted networks only, encrypted as agreed, with limits.

use crate::{
    Dialogue, Outcome, hl7,
    mllp::{self, FrameError, Frames},
};
use fetch::{AddressGuard, FetchError, HttpFetcher, TlsRefusal};
use openssl::{asn1::Asn1Time, x509::X509};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

/// Largest HTTP answer, in bytes.
const ANSWER_LIMIT: usize = 1 << 20;
/// Most acknowledgements of other messages that are skipped while waiting for the right one.
const STRANGERS: usize = 20;
const CONNECT: Duration = Duration::from_secs(10);

/// Certificates of a connection, as PEM.
#[derive(Clone, Debug, Default)]
pub struct Certificates {
    /// Certificate required of the endpoint, or the authority that issued it. None accepts the authorities trusted by
    /// this machine.
    pub trusted: Option<Vec<u8>>,
    /// Our certificate: chain and key.
    pub own: Option<Vec<u8>>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CertificateError(String);

/// Connection settings for an endpoint.
#[derive(Clone, Debug)]
pub struct Link {
    guard: AddressGuard,
    tls: Option<Arc<ClientConfig>>,
    timeout: Duration,
}

/// Location of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub host: String,
    pub port: u16,
    /// Starts with a slash, or is empty.
    pub path: String,
}

impl Target {
    /// Parses `host`, `host/path`, or either with a scheme. The scheme is ignored: the security model of the rule
    /// decides.
    pub fn parse(text: &str, port: Option<u16>, usual: u16) -> Option<Self> {
        let text = text.trim();
        let rest =
            ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let bare = host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host);
        let is_name = !bare.is_empty()
            && bare.split('.').all(|label| {
                !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
            });
        let is_path = path.chars().all(|c| c.is_ascii_graphic() && c != '#' && c != '"' && c != '\\');
        (is_path && (is_name || bare.parse::<std::net::IpAddr>().is_ok())).then(|| Self {
            host: bare.to_ascii_lowercase(),
            port: port.unwrap_or(usual),
            path: path.to_owned(),
        })
    }

    /// Whether the literal address is refused. A name is checked when it is resolved.
    pub fn is_refused_by(&self, guard: &AddressGuard) -> bool {
        match self.host.parse() {
            Ok(address) => !guard.permits(address),
            Err(_) => {
                let is_here = self.host == "localhost" || self.host.ends_with(".localhost");
                is_here && !guard.permits(std::net::Ipv4Addr::LOCALHOST.into())
            }
        }
    }
}

impl Link {
    /// A link without TLS.
    pub fn plain(guard: AddressGuard, timeout: Duration) -> Self {
        Self { guard, tls: None, timeout }
    }

    /// A link over TLS 1.2 or 1.3.
    pub fn encrypted(
        guard: AddressGuard,
        timeout: Duration,
        certificates: &Certificates,
    ) -> Result<Self, CertificateError> {
        Ok(Self { guard, tls: Some(Arc::new(client_config(certificates)?)), timeout })
    }

    /// Opens a connection and closes it again.
    pub async fn reach(&self, target: &Target) -> Result<(), &'static str> {
        match tokio::time::timeout(CONNECT, self.connect(target)).await {
            Ok(reached) => reached.map(drop),
            Err(_) => Err(NOT_IN_TIME),
        }
    }

    /// Sends one HL7 message and waits for its acknowledgement. Acknowledgements of other messages are skipped, so
    /// that a late one never settles this one. The connection is used for this message only.
    pub async fn send_hl7(&self, target: &Target, message: &[u8], control_id: &str) -> Dialogue {
        let not_reached = |why: &str| Dialogue::new(Outcome::NotReached(why.to_owned()), message, &[]);
        let mut stream = match tokio::time::timeout(CONNECT, self.connect(target)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(why)) => return not_reached(why),
            Err(_) => return not_reached(NOT_IN_TIME),
        };
        let mut received = Vec::new();
        let talk = async {
            mllp::write(&mut stream, message).await?;
            let mut frames = Frames::default();
            for _ in 0..STRANGERS {
                let frame = frames.read(&mut stream, hl7::ACK_LIMIT).await?;
                let ack = hl7::ack(&frame);
                received = frame;
                if let Some(ack) = ack.filter(|ack| ack.control_id == control_id) {
                    return Ok(Some(ack.outcome));
                }
            }
            Ok::<_, FrameError>(None)
        };
        let talked = tokio::time::timeout(self.timeout, talk).await;
        let outcome = match talked {
            Ok(Ok(Some(outcome))) => outcome,
            Ok(Err(FrameError::Io(error))) if TlsRefusal::of(&error).is_some() => {
                Outcome::NotReached(refused_by_tls(TlsRefusal::of(&error)).into())
            }
            _ => Outcome::NoAnswer("The endpoint did not acknowledge the message in time.".into()),
        };
        Dialogue::new(outcome, message, &received)
    }

    /// URL of an endpoint, without the default port.
    pub fn url(&self, target: &Target) -> String {
        let (scheme, usual) = if self.tls.is_some() { ("https", 443) } else { ("http", 80) };
        let host = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.clone() };
        let path = if target.path.is_empty() { "/" } else { &target.path };
        match target.port {
            port if port == usual => format!("{scheme}://{host}{path}"),
            port => format!("{scheme}://{host}:{port}{path}"),
        }
    }

    async fn connect(&self, target: &Target) -> Result<Box<dyn Stream>, &'static str> {
        let found = tokio::net::lookup_host((target.host.as_str(), target.port));
        let found: Vec<_> = found.await.map_err(|_| "The name of the endpoint is not known.")?.collect();
        let permitted: Vec<_> = found.into_iter().filter(|a| self.guard.permits(a.ip())).collect();
        if permitted.is_empty() {
            return Err(FORBIDDEN);
        }
        let stream = TcpStream::connect(&*permitted).await.map_err(|_| UNREACHABLE)?;
        let _ = stream.set_nodelay(true);
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(target.host.clone()).map_err(|_| UNREACHABLE)?;
        let encrypted = TlsConnector::from(tls.clone()).connect(name, stream).await;
        Ok(Box::new(encrypted.map_err(|error| refused_by_tls(TlsRefusal::of(&error)))?))
    }

    /// Sends a POST and reads the answer. `Err` is an outcome that does not depend on the caller's protocol.
    pub async fn post(
        &self,
        target: &Target,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<http::Response<Vec<u8>>, Outcome> {
        let mut request = http::Request::post(self.url(target));
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let not_reached = |why: &str| Outcome::NotReached(why.to_owned());
        let unsendable = |_| not_reached("The address of the endpoint cannot be called.");
        let request = request.body(body).map_err(unsendable)?;
        let client = self.client().map_err(|_| not_reached(UNREACHABLE))?;
        client.send(request, ANSWER_LIMIT).await.map_err(|error| match error {
            FetchError::BadAddress => not_reached("The address of the endpoint cannot be called."),
            FetchError::Forbidden => not_reached(FORBIDDEN),
            FetchError::NotConnected | FetchError::Busy => not_reached(UNREACHABLE),
            FetchError::Tls(refusal) => not_reached(refused_by_tls(Some(refusal))),
            FetchError::TooLarge | FetchError::Unreadable => {
                Outcome::NoAnswer("The answer of the endpoint cannot be read.".into())
            }
            FetchError::Status(_) | FetchError::Unreachable => {
                Outcome::NoAnswer("The endpoint did not answer, or not in time.".into())
            }
        })
    }

    fn client(&self) -> Result<HttpFetcher, FetchError> {
        let client = reqwest::Client::builder().timeout(self.timeout).connect_timeout(CONNECT).http1_only();
        let client = match &self.tls {
            Some(tls) => client.tls_backend_preconfigured(ClientConfig::clone(tls)),
            None => client,
        };
        HttpFetcher::with_client(self.guard.clone(), client)
    }
}

const NOT_IN_TIME: &str = "The endpoint did not take a connection in time.";
const UNREACHABLE: &str = "The endpoint could not be reached.";

fn refused_by_tls(refusal: Option<TlsRefusal>) -> &'static str {
    match refusal {
        Some(TlsRefusal::Expired) => "The certificate of the endpoint has expired.",
        Some(TlsRefusal::NotAccepted) => "The endpoint does not show the required certificate.",
        Some(TlsRefusal::NotAcceptedThere) => {
            "The endpoint does not accept the certificate of this installation."
        }
        None => "No encrypted connection to the endpoint could be made.",
    }
}

/// Message for an endpoint in a network that is not permitted.
pub const FORBIDDEN: &str = "The endpoint is in a network to which this installation sends nothing.";

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

fn client_config(certificates: &Certificates) -> Result<ClientConfig, CertificateError> {
    let refuse = |text: &str| CertificateError(text.to_owned());
    let known = certificates.trusted.as_deref().map(chain).transpose()?.unwrap_or_default();
    let mut roots = RootCertStore::empty();
    match &certificates.trusted {
        Some(_) => roots.add_parsable_certificates(known.iter().cloned()),
        None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
    };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let by_authority = WebPkiServerVerifier::builder_with_provider(roots.into(), provider.clone()).build();
    let by_authority =
        by_authority.map_err(|_| refuse("no certificate of an endpoint or authority can be read"))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refuse(&error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(KnownOrIssued { known, by_authority }));
    match &certificates.own {
        Some(pem) => {
            let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| refuse("our certificate has no key"))?;
            config
                .with_client_auth_cert(chain(pem)?, key)
                .map_err(|_| refuse("our certificate and its key do not belong together"))
        }
        None => Ok(config.with_no_client_auth()),
    }
}

/// Accepts exactly the named certificate, since interface engines often have a self-signed one, and otherwise
/// certificates that a named authority issued for the host.
#[derive(Debug)]
struct KnownOrIssued {
    known: Vec<CertificateDer<'static>>,
    by_authority: Arc<WebPkiServerVerifier>,
}

impl ServerCertVerifier for KnownOrIssued {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.known.iter().any(|known| known == end_entity) {
            return in_force(end_entity, now).map(|()| ServerCertVerified::assertion());
        }
        self.by_authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_authority.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.by_authority.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

/// Checks the validity of a certificate at this time.
fn in_force(certificate: &CertificateDer<'_>, now: UnixTime) -> Result<(), rustls::Error> {
    use rustls::CertificateError::{BadEncoding, Expired, NotValidYet};
    let unreadable = |_| rustls::Error::from(BadEncoding);
    let certificate = X509::from_der(certificate).map_err(unreadable)?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let now = Asn1Time::from_unix(now).map_err(unreadable)?;
    if certificate.not_after() < now {
        Err(Expired.into())
    } else if certificate.not_before() > now {
        Err(NotValidYet.into())
    } else {
        Ok(())
    }
}

fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    read.map_err(|_| CertificateError("a certificate cannot be read".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[test]
    fn endpoints_are_hosts_with_or_without_a_path() {
        let read = |text: &str| Target::parse(text, None, 443).map(|t| (t.host, t.path));
        assert_eq!(read("https://XDR.example/provide"), Some(("xdr.example".into(), "/provide".into())));
        assert_eq!(read("10.2.0.9"), Some(("10.2.0.9".into(), String::new())));
        assert_eq!(read("[fd00::1]/x"), Some(("fd00::1".into(), "/x".into())));
        for wrong in ["", "a b", "user@host", "host:80", "host/a b", "..", "https://"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    /// An endpoint with prepared answers, in place of a real interface engine.
    async fn endpoint(answers: Vec<String>) -> Target {
        let (target, listener) = listening().await;
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            answer(stream, answers).await;
        });
        target
    }

    async fn listening() -> (Target, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        (Target { host: "127.0.0.1".into(), port, path: String::new() }, listener)
    }

    async fn answer(mut stream: impl Stream, answers: Vec<String>) {
        let mut frames = Frames::default();
        if frames.read(&mut stream, 1 << 20).await.is_err() {
            return;
        }
        for answer in answers {
            mllp::write(&mut stream, answer.as_bytes()).await.unwrap();
        }
        // Wait until the other side has read it.
        let _ = frames.read(&mut stream, 1 << 20).await;
    }

    /// A self-signed certificate without a host name, with its key.
    fn self_signed() -> Vec<u8> {
        valid_for(1)
    }

    /// Like [`self_signed`]; a negative number means that it expired that many days ago.
    fn valid_for(days: i64) -> Vec<u8> {
        use openssl::{ec, hash::MessageDigest, nid::Nid, pkey::PKey, x509};
        let group = ec::EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
        let key = PKey::from_ec_key(ec::EcKey::generate(&group).unwrap()).unwrap();
        let mut name = x509::X509Name::builder().unwrap();
        name.append_entry_by_text("CN", "engine").unwrap();
        let name = name.build();
        let mut builder = x509::X509::builder().unwrap();
        builder.set_version(2).unwrap();
        builder.set_subject_name(&name).unwrap();
        builder.set_issuer_name(&name).unwrap();
        builder.set_pubkey(&key).unwrap();
        let now = i64::try_from(UnixTime::now().as_secs()).unwrap();
        let at = |days: i64| Asn1Time::from_unix(now + days * 86_400).unwrap();
        builder.set_not_before(&at(days - 2)).unwrap();
        builder.set_not_after(&at(days)).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        let mut pem = builder.build().to_pem().unwrap();
        pem.extend(key.private_key_to_pem_pkcs8().unwrap());
        pem
    }

    /// An endpoint over TLS that requires a client certificate.
    async fn mutual_endpoint(own: &[u8], client: &[u8], answers: Vec<String>) -> Target {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(chain(client).unwrap());
        let clients =
            rustls::server::WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(clients.build().unwrap())
            .with_single_cert(chain(own).unwrap(), PrivateKeyDer::from_pem_slice(own).unwrap())
            .unwrap();
        let (target, listener) = listening().await;
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(stream) = tokio_rustls::TlsAcceptor::from(Arc::new(config)).accept(stream).await {
                answer(stream, answers).await;
            }
        });
        target
    }

    #[tokio::test]
    async fn both_sides_of_mutual_tls_have_to_show_the_certificate_that_was_agreed_on() {
        let (engine, own, other) = (self_signed(), self_signed(), self_signed());
        let said = |engine: &[u8], trusted: &[u8], shown: Option<&[u8]>| {
            let certificates = Certificates { trusted: Some(trusted.into()), own: shown.map(Into::into) };
            let guard = AddressGuard::unrestricted();
            let link = Link::encrypted(guard, Duration::from_secs(5), &certificates).unwrap();
            let (engine, own) = (engine.to_vec(), own.clone());
            async move {
                let target = mutual_endpoint(&engine, &own, vec![ack("AA", "1")]).await;
                link.send_hl7(&target, b"MSH|", "1").await.outcome
            }
        };
        assert_eq!(said(&engine, &engine, Some(&own)).await, Outcome::Accepted);
        assert!(matches!(said(&engine, &other, Some(&own)).await, Outcome::NotReached(_)), "another engine");
        assert_ne!(said(&engine, &engine, Some(&other)).await, Outcome::Accepted, "we are somebody else");
        assert_ne!(said(&engine, &engine, None).await, Outcome::Accepted, "we are nobody");
        let old = valid_for(-1);
        let expired = Outcome::NotReached(refused_by_tls(Some(TlsRefusal::Expired)).into());
        assert_eq!(said(&old, &old, Some(&own)).await, expired, "the very certificate, but an old one");
    }

    #[tokio::test]
    async fn what_was_not_sent_over_http_may_go_elsewhere_and_what_was_sent_may_not() {
        let (gone, listener) = listening().await;
        drop(listener);
        assert!(matches!(link(1000).post(&gone, &[], Vec::new()).await, Err(Outcome::NotReached(_))));
        let (silent, listener) = listening().await;
        tokio::spawn(async move {
            let taken = listener.accept().await;
            tokio::time::sleep(Duration::from_secs(5)).await;
            drop(taken);
        });
        assert!(matches!(link(300).post(&silent, &[], Vec::new()).await, Err(Outcome::NoAnswer(_))));
        let certificates = Certificates { trusted: Some(self_signed()), own: None };
        let timeout = Duration::from_secs(2);
        let encrypted = Link::encrypted(AddressGuard::unrestricted(), timeout, &certificates).unwrap();
        // That endpoint does not use TLS.
        let (other, listener) = listening().await;
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ =
                tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        });
        assert!(matches!(encrypted.post(&other, &[], Vec::new()).await, Err(Outcome::NotReached(_))));
    }

    #[test]
    fn an_address_names_the_port_where_it_is_not_the_usual_one() {
        let target = |text: &str, port| Target::parse(text, Some(port), 443).unwrap();
        assert_eq!(link(1).url(&target("xdr.example/provide", 80)), "http://xdr.example/provide");
        assert_eq!(link(1).url(&target("[fd00::1]", 8080)), "http://[fd00::1]:8080/");
    }

    fn ack(code: &str, id: &str) -> String {
        format!("MSH|^~\\&|E|N|C|L|20261120||ACK|1|P|2.5\rMSA|{code}|{id}\r")
    }

    fn link(milliseconds: u64) -> Link {
        let guard = AddressGuard::public_only().allowing([127, 0, 0, 0].into(), 8);
        Link::plain(guard, Duration::from_millis(milliseconds))
    }

    #[tokio::test]
    async fn an_acknowledgement_of_another_message_settles_nothing() {
        let target = endpoint(vec![ack("AR", "OLD"), ack("AA", "NEW")]).await;
        assert_eq!(link(5000).send_hl7(&target, b"MSH|", "NEW").await.outcome, Outcome::Accepted);
        let late = endpoint(vec![ack("AA", "OLD")]).await;
        let outcome = link(200).send_hl7(&late, b"MSH|", "NEW").await.outcome;
        assert!(matches!(outcome, Outcome::NoAnswer(_)), "{outcome:?}");
    }

    #[tokio::test]
    async fn nothing_goes_into_a_network_that_is_not_permitted() {
        let target = endpoint(vec![ack("AA", "1")]).await;
        let closed = Link::plain(AddressGuard::public_only(), Duration::from_secs(1));
        assert!(target.is_refused_by(&AddressGuard::public_only()));
        let expected = Outcome::NotReached(FORBIDDEN.into());
        assert_eq!(closed.send_hl7(&target, b"MSH|", "1").await.outcome, expected);
        assert_eq!(closed.post(&target, &[], Vec::new()).await.unwrap_err(), expected);
    }
}
