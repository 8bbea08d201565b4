//! The DNS client.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use admission::{Party, Place, Pool};
use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolverConfig, ServerOrderingStrategy};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::dnssec::TrustAnchors;
use hickory_resolver::proto::rr::rdata::cert::CertType;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use super::tlsa::Tlsa;
use crate::DirectAddress;
use crate::discovery::{CertificateSource, FoundCertificates, SourceError};
use fetch::Fetch;

/// Largest certificate fetched through an IPKIX record, in bytes.
const MAX_CERTIFICATE: usize = 64 << 10;
/// Time for which a domain without DNSSEC is not checked for it again.
const INSECURE_FOR: Duration = Duration::from_secs(600);
/// Number of final labels by which names are grouped: the servers of one domain are slow together.
const DOMAIN_LABELS: usize = 2;
/// Longest wait of a query for earlier ones.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest time of a query including follow-up queries, such as those of a chain of names or of DNSSEC.
const WHOLE: Duration = Duration::from_secs(30);
/// Most records of one answer that are read.
const MAX_RECORDS: usize = 50;

/// Settings of the client.
#[derive(Debug, Clone)]
pub struct DnsSettings {
    /// Name servers; the system's when empty.
    pub servers: Vec<SocketAddr>,
    /// Time limit of one query.
    pub timeout: Duration,
    /// Number of repetitions of a query.
    pub retries: usize,
    /// Most cached answers.
    pub cache_entries: u64,
    /// Longest time in the cache.
    pub cache_age: Duration,
    /// File of DNSKEY records used as trust anchors of DNSSEC; the keys of the root without it.
    pub trust_anchors: Option<PathBuf>,
}

impl Default for DnsSettings {
    fn default() -> Self {
        Self {
            servers: vec![],
            timeout: Duration::from_secs(3),
            retries: 2,
            cache_entries: 1000,
            cache_age: Duration::from_secs(3600),
            trust_anchors: None,
        }
    }
}

/// Why a query failed. A missing name or record is not an error but an empty answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DnsError {
    /// The text is not a DNS name.
    #[error("the name cannot be looked up")]
    BadName,
    /// No server answered, or it answered with a failure.
    #[error("no name server answered")]
    Unanswered,
    /// The system's name server settings cannot be read.
    #[error("there are no name servers to ask")]
    NoServers,
    /// The file of trust anchors cannot be read.
    #[error("the trust anchors of DNSSEC cannot be read")]
    BadTrustAnchors,
}

/// A CERT record of a supported kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertRecord {
    /// PKIX(1): the certificate in DER.
    Certificate(Vec<u8>),
    /// IPKIX(4): address of the certificate.
    Url(String),
}

/// The mail servers of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailHosts {
    /// Host names, best first. The domain itself when it has addresses but no MX.
    Hosts(Vec<String>),
    /// The domain accepts no mail (null MX, RFC 7505).
    NoMail,
    /// The domain does not exist, or has neither MX nor addresses.
    None,
}

/// A caching resolver.
#[derive(Clone)]
pub struct DnsClient {
    resolver: Arc<TokioResolver>,
    /// Validates with DNSSEC (RFC 4035).
    secure: Arc<TokioResolver>,
    /// Domains without DNSSEC, and the time of the check.
    insecure: Arc<Mutex<HashMap<String, Instant>>>,
    pool: Option<Arc<Pool>>,
}

impl fmt::Debug for DnsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DnsClient")
    }
}

impl DnsClient {
    /// A client with these settings.
    pub fn new(settings: &DnsSettings) -> Result<Self, DnsError> {
        let resolver = |validates| resolver(settings, validates).map(Arc::new);
        Ok(Self { resolver: resolver(false)?, secure: resolver(true)?, insecure: Arc::default(), pool: None })
    }

    /// Counts its queries in a pool, by domain.
    pub fn within(self, pool: Arc<Pool>) -> Self {
        Self { pool: Some(pool), ..self }
    }

    /// The CERT records of a name; over TCP when the UDP answer is truncated.
    pub async fn cert_records(&self, name: &str) -> Result<Vec<CertRecord>, DnsError> {
        let answer = self.lookup(name, RecordType::CERT).await?;
        Ok(answer.iter().filter_map(cert_record).take(MAX_RECORDS).collect())
    }

    /// The mail servers of a domain: its MX records by preference, otherwise the domain itself.
    pub async fn mail_hosts(&self, domain: &str) -> Result<MailHosts, DnsError> {
        let mut exchangers: Vec<(u16, String)> = Vec::new();
        for data in self.lookup(domain, RecordType::MX).await? {
            if let RData::MX(mx) = data {
                exchangers.push((mx.preference, mx.exchange.to_ascii().trim_end_matches('.').to_owned()));
            }
        }
        if exchangers.is_empty() {
            let has_address = !self.addresses(domain).await?.is_empty();
            return Ok(if has_address { MailHosts::Hosts(vec![domain.to_owned()]) } else { MailHosts::None });
        }
        exchangers.sort();
        let hosts: Vec<_> = exchangers.into_iter().map(|(_, host)| host).filter(|h| !h.is_empty()).collect();
        Ok(if hosts.is_empty() { MailHosts::NoMail } else { MailHosts::Hosts(hosts) })
    }

    /// The network addresses of a host, IPv4 first.
    pub async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, DnsError> {
        if let Ok(address) = host.parse() {
            return Ok(vec![address]);
        }
        let mut found = Vec::new();
        for kind in [RecordType::A, RecordType::AAAA] {
            for data in self.lookup(host, kind).await? {
                match data {
                    RData::A(a) => found.push(IpAddr::V4(a.0)),
                    RData::AAAA(aaaa) => found.push(IpAddr::V6(aaaa.0)),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// The texts of a name (TXT).
    pub async fn texts(&self, name: &str) -> Result<Vec<String>, DnsError> {
        let text = |data: &RData| match data {
            RData::TXT(txt) => Some(String::from_utf8_lossy(&txt.txt_data.concat()).into_owned()),
            _ => None,
        };
        Ok(self.lookup(name, RecordType::TXT).await?.iter().filter_map(text).take(MAX_RECORDS).collect())
    }

    /// Whether DNSSEC proves the mail servers of a domain. Otherwise nothing that they publish can be trusted.
    pub async fn has_secure_exchangers(&self, domain: &str) -> bool {
        let Ok(name) = absolute(domain) else { return false };
        if self.insecure().get(domain).is_some_and(|since| since.elapsed() < INSECURE_FOR) {
            return false;
        }
        // Queried even without a free place: no answer would mean weaker rules for the mail.
        let _place = self.admit(&name).await.ok();
        let is_secure = match ask(&self.secure, name, RecordType::MX).await {
            Ok(answer) => !answer.is_empty() && answer.iter().all(|r| r.proof.is_secure()),
            Err(_) => false,
        };
        if !is_secure {
            let mut insecure = self.insecure();
            insecure.retain(|_, since| since.elapsed() < INSECURE_FOR);
            insecure.insert(domain.to_owned(), Instant::now());
        }
        is_secure
    }

    /// The DNSSEC-validated certificate records of a mail server (RFC 7672 2.2); empty if there are none. An error
    /// means that they may be suppressed by an attacker.
    pub async fn tlsa(&self, host: &str) -> Result<Vec<Tlsa>, DnsError> {
        let name = absolute(&format!("_25._tcp.{host}"))?;
        let _place = self.admit(&name).await?;
        let answer = ask(&self.secure, name, RecordType::TLSA).await?;
        let secure = answer.iter().filter(|record| record.proof.is_secure());
        Ok(secure.filter_map(|record| tlsa(&record.data)).take(MAX_RECORDS).collect())
    }

    fn insecure(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.insecure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a free place, at most as long as for an answer.
    async fn admit(&self, name: &Name) -> Result<Option<Place>, DnsError> {
        let Some(pool) = &self.pool else { return Ok(None) };
        let domain = name.trim_to(DOMAIN_LABELS).to_ascii().trim_end_matches('.').to_ascii_lowercase();
        match tokio::time::timeout(PATIENCE, pool.enter(Party::Host(domain), 1)).await {
            Ok(Ok(place)) => Ok(Some(place)),
            _ => Err(DnsError::Unanswered),
        }
    }

    async fn lookup(&self, name: &str, kind: RecordType) -> Result<Vec<RData>, DnsError> {
        let name = absolute(name)?;
        let _place = self.admit(&name).await?;
        Ok(ask(&self.resolver, name, kind).await?.into_iter().map(|record| record.data).collect())
    }
}

/// The records of an answer. An empty answer is not an error.
async fn ask(resolver: &TokioResolver, name: Name, kind: RecordType) -> Result<Vec<Record>, DnsError> {
    match tokio::time::timeout(WHOLE, resolver.lookup(name, kind)).await {
        Ok(Ok(answer)) => Ok(answer.answers().to_vec()),
        Ok(Err(error)) if is_empty_answer(&error) => Ok(vec![]),
        Ok(Err(_)) | Err(_) => Err(DnsError::Unanswered),
    }
}

fn resolver(settings: &DnsSettings, validates: bool) -> Result<TokioResolver, DnsError> {
    let mut builder = if settings.servers.is_empty() {
        TokioResolver::builder_tokio().map_err(|_| DnsError::NoServers)?
    } else {
        let servers = settings.servers.iter().map(name_server).collect();
        let config = ResolverConfig::from_name_servers(servers);
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options = builder.options_mut();
    options.timeout = settings.timeout;
    options.attempts = settings.retries;
    options.cache_size = settings.cache_entries;
    options.positive_max_ttl = Some(settings.cache_age);
    options.negative_max_ttl = Some(settings.cache_age);
    options.edns0 = true;
    options.server_ordering_strategy = ServerOrderingStrategy::UserProvidedOrder;
    options.validate = validates;
    if let Some(file) = settings.trust_anchors.as_ref().filter(|_| validates) {
        let anchors = TrustAnchors::from_file(file).map_err(|_| DnsError::BadTrustAnchors)?;
        builder = builder.with_trust_anchor(Arc::new(anchors));
    }
    builder.build().map_err(|_| DnsError::NoServers)
}

fn absolute(name: &str) -> Result<Name, DnsError> {
    let mut name = Name::from_ascii(name).map_err(|_| DnsError::BadName)?;
    name.set_fqdn(true);
    Ok(name)
}

fn tlsa(data: &RData) -> Option<Tlsa> {
    let RData::TLSA(tlsa) = data else { return None };
    Some(Tlsa {
        usage: tlsa.cert_usage.into(),
        selector: tlsa.selector.into(),
        matching: tlsa.matching.into(),
        data: tlsa.cert_data.clone(),
    })
}

fn is_empty_answer(error: &NetError) -> bool {
    error.is_nx_domain() || error.is_no_records_found()
}

fn name_server(server: &SocketAddr) -> NameServerConfig {
    let mut config = NameServerConfig::udp_and_tcp(server.ip());
    for connection in &mut config.connections {
        connection.port = server.port();
    }
    config
}

fn cert_record(data: &RData) -> Option<CertRecord> {
    let RData::CERT(cert) = data else { return None };
    match cert.cert_type {
        CertType::PKIX => Some(CertRecord::Certificate(cert.cert_data.clone())),
        CertType::IPKIX => ipkix_url(&cert.cert_data).map(CertRecord::Url),
        _ => None,
    }
}

/// The address in an IPKIX record. Some read RFC 4398 2.1 as requiring a hash length, algorithm and hash before it;
/// publishers write the bare address, which is found by its scheme in both cases.
fn ipkix_url(data: &[u8]) -> Option<String> {
    let start = data.windows(4).position(|w| w.eq_ignore_ascii_case(b"http"))?;
    let text = data[start..].split(|b| *b == 0).next()?;
    String::from_utf8(text.to_vec()).ok().map(|t| t.trim().to_owned())
}

/// Certificates published in DNS, as a step of discovery.
#[derive(Debug, Clone)]
pub struct DnsSource {
    client: DnsClient,
    fetch: Arc<dyn Fetch>,
}

impl DnsSource {
    /// Uses this client, and fetches the addresses of IPKIX records with `fetch`.
    pub fn new(client: DnsClient, fetch: Arc<dyn Fetch>) -> Self {
        Self { client, fetch }
    }

    async fn certificates(&self, name: &str) -> FoundCertificates {
        let failed = |reason: String| SourceError { source_name: "DNS".into(), reason };
        let records = match self.client.cert_records(name).await {
            // an address without a valid DNS name cannot have a certificate there
            Err(DnsError::BadName) => vec![],
            other => other.map_err(|e| failed(e.to_string()))?,
        };
        let (mut found, mut fetched, mut failure) = (Vec::new(), HashMap::new(), None);
        for record in records {
            match record {
                CertRecord::Certificate(der) => found.push(der),
                CertRecord::Url(url) if fetched.contains_key(&url) => {}
                CertRecord::Url(url) => {
                    match self.fetch.get(&url, MAX_CERTIFICATE).await {
                        Ok(bytes) => found.push(to_der(bytes)),
                        Err(error) => failure = Some(failed(format!("{url}: {error}"))),
                    }
                    fetched.insert(url, ());
                }
            }
        }
        match failure {
            Some(failure) if found.is_empty() => Err(failure),
            _ => Ok(found),
        }
    }
}

/// A fetched certificate as DER; unreadable bytes are returned unchanged, to be reported as such.
fn to_der(bytes: Vec<u8>) -> Vec<u8> {
    match crate::cert::Certificate::many_from_file(&bytes) {
        Ok(read) => read[0].to_der(),
        Err(_) => bytes,
    }
}

#[async_trait]
impl CertificateSource for DnsSource {
    fn name(&self) -> &str {
        "DNS"
    }

    async fn by_address(&self, address: &DirectAddress) -> FoundCertificates {
        self.certificates(&address.dns_name()).await
    }

    async fn by_domain(&self, domain: &str) -> FoundCertificates {
        self.certificates(domain).await
    }
}
