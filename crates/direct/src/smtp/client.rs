//! The SMTP client: hands one message to one host for several recipients and tells what happened to each.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncRead;

use crate::DirectAddress;
use crate::dns::DnsClient;
use crate::fetch::AddressGuard;

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
}

/// Use of STARTTLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsMode {
    /// When the server offers it; its certificate is not judged.
    #[default]
    Opportunistic,
    /// Always; its certificate is not judged.
    Required,
    /// Always, and its certificate must fit its name and lead to a trusted root.
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
}

impl Default for ClientTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            command: Duration::from_secs(300),
            data_block: Duration::from_secs(180),
            data_end: Duration::from_secs(600),
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

/// What happened to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientOutcome {
    /// The other side took responsibility.
    Accepted {
        /// Its words.
        text: String,
    },
    /// Refused for good: tell the sender, with these words.
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
    /// The connection was lost between the end of DATA and the answer: the other side may have it. Send again
    /// under the same Message-ID; the receiver recognizes the repeat.
    Unconfirmed {
        /// What happened.
        text: String,
    },
}

/// How the connection was protected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TlsState {
    /// Not at all.
    #[default]
    Plain,
    /// Encrypted; the certificate was not judged.
    Encrypted,
    /// Encrypted, with a certificate that fits.
    Verified,
}

/// What happened to a transmission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryReport {
    /// Host that was spoken to last; none when none was reached.
    pub host: Option<String>,
    /// Protection of that connection.
    pub tls: TlsState,
    /// SIZE that the host announced, in bytes.
    pub size_limit: Option<u64>,
    /// Outcome per recipient, in the order of the envelope.
    pub recipients: Vec<(DirectAddress, RecipientOutcome)>,
}

/// A client with its settings.
#[derive(Clone)]
pub struct SmtpClient {
    helo: String,
    tls: TlsMode,
    timeouts: ClientTimeouts,
    roots: Arc<rustls::ClientConfig>,
}

/// Finds the hosts of a route, best first.
pub async fn resolve(
    route: &Route,
    dns: &DnsClient,
    guard: &AddressGuard,
) -> Result<Vec<Target>, RouteError> {
    let _ = (route, dns, guard);
    unimplemented!()
}

/// Why there is no host to send to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The domain takes no mail: it does not exist, has no address, or says so (null MX, RFC 7505).
    #[error("The domain {0} has no mail server.")]
    NoMailServer(String),
    /// Only addresses that are not allowed.
    #[error("The mail server of {0} lies in a network that is not allowed.")]
    Forbidden(String),
    /// Names could not be resolved now.
    #[error("The mail server of {0} could not be looked up.")]
    Unavailable(String),
}

impl SmtpClient {
    /// A client that calls itself `helo`. `roots` are the authorities that [`TlsMode::Verified`] trusts.
    pub fn new(helo: &str, tls: TlsMode, timeouts: ClientTimeouts, roots: rustls::RootCertStore) -> Self {
        let _ = (helo, tls, timeouts, roots);
        unimplemented!()
    }

    /// Hands over a message of `size` bytes read from `message` (CRLF line ends; dots are stuffed here).
    /// Targets and their addresses are tried in order until one takes the transaction up to DATA.
    pub async fn deliver(
        &self,
        targets: &[Target],
        envelope: &OutgoingEnvelope,
        size: u64,
        message: &mut (dyn AsyncRead + Send + Unpin),
    ) -> DeliveryReport {
        let _ = (&self.helo, self.tls, self.timeouts, &self.roots, targets, envelope, size, message);
        unimplemented!()
    }
}
