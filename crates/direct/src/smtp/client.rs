//! The SMTP client: transfers one message to one host for several recipients, and reports the outcome of each.

mod connecting;
mod dane;
pub(crate) mod dialogue;
mod idle;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncRead;

use self::connecting::ConnectLimit;
use self::dialogue::{Dialogue, Failure};
use self::idle::IdleConnections;
use self::tls::{dane_config, tls_config};
use crate::DirectAddress;
use crate::dns::{DnsClient, DnsError, MailHosts, Tlsa};
use fetch::AddressGuard;

const SMTP_PORT: u16 = 25;
/// Most mail exchangers of a domain that are tried.
const MAX_HOSTS: usize = 5;

/// Where mail for a domain goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// To the mail exchangers of the domain (MX, else its address records), port 25. Only addresses that the
    /// guard allows are used.
    MailExchangers(String),
    /// To this host and port, whatever the domain: a smart host, or the installation's own listener.
    Host {
        /// Host name or address.
        host: String,
        /// TCP port.
        port: u16,
    },
}

/// A host to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name, for TLS and reports.
    pub host: String,
    /// Addresses, tried in order.
    pub addresses: Vec<SocketAddr>,
    /// Required encryption.
    pub tls: TlsDemand,
}

/// Required encryption of a host. It never weakens the client's own mode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TlsDemand {
    /// According to the client's mode.
    #[default]
    None,
    /// Encrypted; the certificate is not verified.
    Encrypted,
    /// The certificate matches the name and leads to a trusted root.
    Verified,
    /// The certificate matches one of these records (RFC 7672).
    Dane(Arc<[Tlsa]>),
}

/// Use of STARTTLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsMode {
    /// When the server offers it; its certificate is not verified.
    #[default]
    Opportunistic,
    /// Always; its certificate is not verified.
    Required,
    /// Always, and its certificate must match its name and lead to a trusted root.
    Verified,
    /// Never (tests, loopback).
    Never,
}

/// Time limits (RFC 5321 4.5.3.2).
#[derive(Debug, Clone, Copy)]
pub struct ClientTimeouts {
    /// TCP connect, per address.
    pub connect: Duration,
    /// Greeting and answers to commands.
    pub command: Duration,
    /// One write of DATA.
    pub data_block: Duration,
    /// Answer to the end of DATA.
    pub data_end: Duration,
    /// Time without a new connection to a host after which only a few messages may wait for its greeting.
    pub silence: Duration,
}

impl Default for ClientTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            command: Duration::from_secs(300),
            data_block: Duration::from_secs(180),
            data_end: Duration::from_secs(600),
            silence: Duration::from_secs(10),
        }
    }
}

/// Sender and recipients of one transmission.
#[derive(Debug, Clone)]
pub struct OutgoingEnvelope {
    /// MAIL FROM; none for the null sender.
    pub mail_from: Option<DirectAddress>,
    /// RCPT TO.
    pub recipients: Vec<DirectAddress>,
}

/// Outcome for one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientOutcome {
    /// The other side accepted responsibility.
    Accepted {
        /// Its words.
        text: String,
    },
    /// Permanently refused: tell the sender, with this text.
    Refused {
        /// SMTP code, 5yz; none when we refused ourselves (such as too large for the other side).
        code: Option<u16>,
        /// The other side's words, or ours.
        text: String,
    },
    /// Not now: try again later under the same Message-ID.
    Deferred {
        /// SMTP code, 4yz; none when the connection or the name resolution failed.
        code: Option<u16>,
        /// The other side's words, or ours.
        text: String,
    },
    /// The connection was lost between the end of DATA and the answer, so the other side may have the message. Send
    /// it again under the same Message-ID; the receiver recognizes the repetition.
    Unconfirmed {
        /// What happened.
        text: String,
    },
}

/// Protection of the connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsState {
    /// Not at all.
    #[default]
    Plain,
    /// Encrypted; the certificate was not verified.
    Encrypted,
    /// Encrypted, with a certificate that leads to a trusted root.
    Verified,
    /// Encrypted, with a certificate that the domain names in signed DNS.
    Dane,
}

/// Outcome of a transmission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Last host contacted; none if none was reached.
    pub host: Option<String>,
    /// Protection of that connection.
    pub tls: TlsState,
    /// SIZE that the host announced, in bytes.
    pub size_limit: Option<u64>,
    /// Outcome per recipient, in the order of the envelope.
    pub recipients: Vec<(DirectAddress, RecipientOutcome)>,
}

/// Finds the hosts of a route, best first.
pub async fn resolve(
    route: &Route,
    dns: &DnsClient,
    guard: &AddressGuard,
) -> Result<Vec<Target>, RouteError> {
    match route {
        Route::Host { host, port } => {
            let found = dns.addresses(host).await.map_err(|_| RouteError::Unavailable(host.clone()))?;
            let addresses: Vec<_> = found.into_iter().map(|ip| SocketAddr::new(ip, *port)).collect();
            match addresses.is_empty() {
                true => Err(RouteError::NoMailServer(host.clone())),
                false => Ok(vec![Target { host: host.clone(), addresses, tls: TlsDemand::None }]),
            }
        }
        Route::MailExchangers(domain) => exchangers(domain, dns, guard).await,
    }
}

async fn exchangers(domain: &str, dns: &DnsClient, guard: &AddressGuard) -> Result<Vec<Target>, RouteError> {
    let unavailable = |_: DnsError| RouteError::Unavailable(domain.to_owned());
    let hosts = match dns.mail_hosts(domain).await.map_err(unavailable)? {
        MailHosts::Hosts(hosts) => hosts,
        MailHosts::NoMail | MailHosts::None => return Err(RouteError::NoMailServer(domain.to_owned())),
    };
    let (mut targets, mut forbidden, mut failure) = (Vec::new(), false, None);
    for host in hosts.into_iter().take(MAX_HOSTS) {
        match dns.addresses(&host).await {
            Ok(found) => {
                forbidden |= found.iter().any(|ip| !guard.permits(*ip));
                let allowed = found.into_iter().filter(|ip| guard.permits(*ip));
                let addresses: Vec<_> = allowed.map(|ip| SocketAddr::new(ip, SMTP_PORT)).collect();
                if !addresses.is_empty() {
                    targets.push(Target { host, addresses, tls: TlsDemand::None });
                }
            }
            Err(error) => failure = Some(error),
        }
    }
    match (targets.is_empty(), failure, forbidden) {
        (false, ..) => Ok(targets),
        (true, Some(error), _) => Err(unavailable(error)),
        (true, None, true) => Err(RouteError::Forbidden(domain.to_owned())),
        (true, None, false) => Err(RouteError::NoMailServer(domain.to_owned())),
    }
}

/// Requires the certificates that the mail servers of a domain publish (DANE, RFC 7672 2.2), if DNSSEC proves that
/// they are its mail servers.
pub async fn demand_dane(domain: &str, dns: &DnsClient, targets: &mut [Target]) -> Result<(), RouteError> {
    if !dns.has_secure_exchangers(domain).await {
        return Ok(());
    }
    for target in targets {
        let records = dns.tlsa(&target.host).await;
        let records = records.map_err(|_| RouteError::CertificateUnavailable(target.host.clone()))?;
        if !records.is_empty() {
            target.tls = TlsDemand::Dane(records.into());
        }
    }
    Ok(())
}

/// Why there is no host to send to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The domain accepts no mail: it does not exist, has no address, or says so (null MX, RFC 7505).
    #[error("The domain {0} has no mail server.")]
    NoMailServer(String),
    /// All addresses are forbidden.
    #[error("The mail server of {0} is in a network that is not allowed.")]
    Forbidden(String),
    /// Names cannot be resolved at the moment.
    #[error("The mail server of {0} could not be looked up.")]
    Unavailable(String),
    /// The host's certificate records may be suppressed by an attacker.
    #[error("The certificate records of {0} could not be looked up.")]
    CertificateUnavailable(String),
}

impl RouteError {
    /// Whether a later attempt may have a different result.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::CertificateUnavailable(_))
    }
}

/// A client with its settings. Connections are kept for a moment, for further messages to the same server; cloning
/// shares them.
#[derive(Clone)]
pub struct SmtpClient {
    helo: String,
    tls: TlsMode,
    timeouts: ClientTimeouts,
    unjudged: Arc<rustls::ClientConfig>,
    verified: Arc<rustls::ClientConfig>,
    idle: IdleConnections,
    connecting: ConnectLimit,
}

impl SmtpClient {
    /// A client that calls itself `helo`. `roots` are the authorities that [`TlsMode::Verified`] trusts.
    pub fn new(helo: &str, tls: TlsMode, timeouts: ClientTimeouts, roots: rustls::RootCertStore) -> Self {
        let unjudged = Arc::new(tls_config(None));
        let verified = Arc::new(tls_config(Some(roots)));
        let (idle, connecting) = (IdleConnections::default(), ConnectLimit::default());
        Self { helo: helo.to_owned(), tls, timeouts, unjudged, verified, idle, connecting }
    }

    /// Sends a message of `size` bytes read from `message` (CRLF line ends; dots are stuffed here). Targets and their
    /// addresses are tried in order until one accepts the sender; its answers are then final, and `message` is read
    /// at most once.
    pub async fn deliver(
        &self,
        targets: &[Target],
        envelope: &OutgoingEnvelope,
        size: u64,
        message: &mut (dyn AsyncRead + Send + Unpin),
    ) -> DeliveryReport {
        let mut last = DeliveryReport::for_all(
            envelope,
            RecipientOutcome::Deferred { code: None, text: "There is no mail server to send to.".into() },
        );
        let first = targets.first().map(|target| target.host.as_str()).unwrap_or_default();
        for target in targets {
            for address in &target.addresses {
                match self.deliver_to(first, target, *address, envelope, size, message).await {
                    Ok(report) => return report,
                    Err(report) => last = report,
                }
            }
        }
        last
    }

    /// Delivers to one address. The error is also a report, but another host may succeed. `first` is the host that is
    /// tried first.
    async fn deliver_to(
        &self,
        first: &str,
        target: &Target,
        address: SocketAddr,
        envelope: &OutgoingEnvelope,
        size: u64,
        message: &mut (dyn AsyncRead + Send + Unpin),
    ) -> Result<DeliveryReport, DeliveryReport> {
        let idle = self.idle.take(&target.host, address);
        if let Some(mut dialogue) =
            idle.filter(|dialogue| Wanted::of(self.tls, target).is_met_by(dialogue.tls()))
        {
            let outcome = dialogue.transact(envelope, size, message).await;
            if !outcome.as_ref().is_err_and(Failure::is_stale) {
                return self.report(target, address, envelope, dialogue, outcome).await;
            }
        }
        let unreached = |outcome| {
            let host = Some(target.host.clone());
            DeliveryReport { host, ..DeliveryReport::for_all(envelope, outcome) }
        };
        let Some(permit) = self.connecting.permit(first, self.timeouts.silence).await else {
            let text = "Other messages wait for the mail server to answer.".into();
            return Ok(unreached(RecipientOutcome::Deferred { code: None, text }));
        };
        let opened = self.open(target, address).await;
        drop(permit);
        match opened {
            Ok(mut dialogue) => {
                let outcome = dialogue.transact(envelope, size, message).await;
                self.report(target, address, envelope, dialogue, outcome).await
            }
            Err(failure) => Err(unreached(failure.outcome())),
        }
    }

    /// Reports on a message; the connection is kept for the next one or closed.
    async fn report(
        &self,
        target: &Target,
        address: SocketAddr,
        envelope: &OutgoingEnvelope,
        dialogue: Dialogue,
        outcome: Result<Vec<(DirectAddress, RecipientOutcome)>, Failure>,
    ) -> Result<DeliveryReport, DeliveryReport> {
        let mut report = match &outcome {
            Ok(recipients) => DeliveryReport::empty(recipients.clone()),
            Err(failure) => DeliveryReport::for_all(envelope, failure.outcome()),
        };
        report.host = Some(target.host.clone());
        report.tls = dialogue.tls();
        report.size_limit = dialogue.size_limit();
        if dialogue.may_go_on() {
            self.idle.keep(&target.host, address, dialogue);
        } else {
            dialogue.quit().await;
        }
        match outcome {
            Ok(_) => Ok(report),
            Err(failure) if failure.is_final() => Ok(report),
            Err(_) => Err(report),
        }
    }

    async fn open(&self, target: &Target, address: SocketAddr) -> Result<Dialogue, Failure> {
        let wanted = Wanted::of(self.tls, target);
        match self.open_with(target, address, &wanted).await {
            Err(Failure::Handshake) if wanted == Wanted::IfOffered => {
                self.open_with(target, address, &Wanted::Nothing).await
            }
            other => other,
        }
    }

    /// Connects, greets, and starts TLS if required.
    async fn open_with(
        &self,
        target: &Target,
        address: SocketAddr,
        wanted: &Wanted,
    ) -> Result<Dialogue, Failure> {
        let mut dialogue = Dialogue::connect(address, self.timeouts).await?;
        dialogue.greet(&self.helo).await?;
        let (config, state) = match wanted {
            Wanted::Nothing => return Ok(dialogue),
            Wanted::IfOffered if !dialogue.offers_tls() => return Ok(dialogue),
            _ if !dialogue.offers_tls() => return Err(Failure::NoTls),
            Wanted::IfOffered | Wanted::Encrypted => (self.unjudged.clone(), TlsState::Encrypted),
            Wanted::Verified => (self.verified.clone(), TlsState::Verified),
            Wanted::Dane(records) => (Arc::new(dane_config(records.clone())), TlsState::Dane),
        };
        let mut dialogue = dialogue.start_tls(&target.host, config, state).await?;
        dialogue.greet(&self.helo).await?;
        Ok(dialogue)
    }
}

/// The stricter requirement of client and host.
#[derive(Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    IfOffered,
    Encrypted,
    Verified,
    Dane(Arc<[Tlsa]>),
}

impl Wanted {
    fn of(mode: TlsMode, target: &Target) -> Self {
        match (mode, &target.tls) {
            // The domain's signed records outrank an authority.
            (_, TlsDemand::Dane(records)) if records.iter().any(Tlsa::is_usable) => {
                Self::Dane(records.clone())
            }
            (TlsMode::Verified, _) | (_, TlsDemand::Verified) => Self::Verified,
            (TlsMode::Required, _) | (_, TlsDemand::Encrypted | TlsDemand::Dane(_)) => Self::Encrypted,
            (TlsMode::Opportunistic, TlsDemand::None) => Self::IfOffered,
            (TlsMode::Never, TlsDemand::None) => Self::Nothing,
        }
    }

    /// Whether a connection opened for an earlier message is sufficient.
    fn is_met_by(&self, state: TlsState) -> bool {
        match self {
            Self::Nothing | Self::IfOffered => true,
            Self::Encrypted => state != TlsState::Plain,
            Self::Verified => state == TlsState::Verified,
            Self::Dane(_) => state == TlsState::Dane,
        }
    }
}

impl DeliveryReport {
    fn empty(recipients: Vec<(DirectAddress, RecipientOutcome)>) -> Self {
        Self { host: None, tls: TlsState::Plain, size_limit: None, recipients }
    }

    fn for_all(envelope: &OutgoingEnvelope, outcome: RecipientOutcome) -> Self {
        Self::empty(envelope.recipients.iter().map(|r| (r.clone(), outcome.clone())).collect())
    }
}
