//! The SMTP listener: accepts mail, streams it to a [`MailSink`], and answers `250` only after the sink has
//! committed.

pub(crate) mod command;
pub(crate) mod data;
mod session;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use admission::{Gate, Limits, Pass};
use async_trait::async_trait;
use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// Pause after a failed accept (no file handles left), to avoid a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// State of a mail transaction.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// The client's network address.
    pub peer: SocketAddr,
    /// Name of the client in EHLO or HELO.
    pub helo: String,
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// MAIL FROM; none for the null sender `<>`.
    pub mail_from: Option<String>,
    /// SIZE that the client declared, in bytes.
    pub declared_size: Option<u64>,
    /// Recipients accepted so far.
    pub recipients: Vec<String>,
    /// Owners of these mailboxes, as returned by the sink; one for each recipient.
    pub owners: Vec<Uuid>,
}

/// A negative reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code} {enhanced} {text}")]
pub struct SmtpReply {
    /// 4yz or 5yz.
    pub code: u16,
    /// Enhanced status code (RFC 3463), such as `5.1.1`.
    pub enhanced: String,
    /// One line of text, ASCII.
    pub text: String,
}

impl SmtpReply {
    /// A reply of this code; line breaks in the text become spaces.
    pub fn new(code: u16, enhanced: &str, text: &str) -> Self {
        Self { code, enhanced: enhanced.to_owned(), text: text.replace(['\r', '\n'], " ") }
    }

    /// `550 5.1.1`: there is no such mailbox.
    pub fn no_such_mailbox() -> Self {
        Self::new(550, "5.1.1", "No such mailbox here")
    }

    /// `451 4.3.0`: try again later.
    pub fn try_again_later() -> Self {
        Self::new(451, "4.3.0", "Temporary local problem, try again later")
    }
}

/// Destination of received mail.
#[async_trait]
pub trait MailSink: Send + Sync + 'static {
    /// Whether this sender may send at all; called at MAIL FROM.
    async fn accept_sender(&self, _envelope: &Envelope) -> Result<(), SmtpReply> {
        Ok(())
    }
    /// Checks a recipient and returns the owner of the mailbox, by an id of the sink's own; called at RCPT TO. The
    /// text is the content of the angle brackets.
    async fn accept_recipient(&self, envelope: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply>;
    /// Starts a message; called at DATA, before the client may send it.
    async fn begin(&self, envelope: Envelope) -> Result<Box<dyn MailBody>, SmtpReply>;
}

/// A message that is being received. It is dropped without [`MailBody::commit`] when the connection or the message
/// fails, and must then leave nothing behind.
#[async_trait]
pub trait MailBody: Send {
    /// Writes the next bytes, dots already unstuffed, CRLF line ends. After an error the rest is read and discarded.
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply>;
    /// Makes the complete message durable. `250` is answered only after `Ok`.
    async fn commit(self: Box<Self>) -> Result<(), SmtpReply>;
}

/// Settings of the listener.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Host name of the server.
    pub host_name: String,
    /// Largest message, in bytes; announced as SIZE.
    pub max_size: u64,
    /// Most recipients of one message.
    pub max_recipients: usize,
    /// Most simultaneous connections; further ones get `421`.
    pub limits: Limits,
    /// Longest wait for the next command, and for more of the DATA (RFC 5321 4.5.3.2: 5 min).
    pub idle_timeout: Duration,
    /// The same for commands outside a transaction while more than half of the connections are taken.
    pub busy_timeout: Duration,
    /// Slowest DATA tolerated, in bytes per second on average.
    pub min_data_rate: u64,
    /// How long DATA may be slower than `min_data_rate`.
    pub data_rate_grace: Duration,
    /// Longest wait for the TLS handshake.
    pub handshake_timeout: Duration,
    /// Most errors of one client before it is disconnected.
    pub max_errors: usize,
    /// Refuse mail over connections without TLS.
    pub require_tls: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            host_name: "localhost".into(),
            max_size: 64 << 20,
            max_recipients: 100,
            limits: Limits {
                total: 200,
                reserve: 0,
                per_address: 50,
                per_network: 100,
                per_known_address: 100,
            },
            idle_timeout: Duration::from_secs(300),
            busy_timeout: Duration::from_secs(10),
            min_data_rate: 500,
            data_rate_grace: Duration::from_secs(60),
            handshake_timeout: Duration::from_secs(30),
            max_errors: 20,
            require_tls: false,
        }
    }
}

/// The TLS side of the listener; can be replaced while it runs (a renewed certificate).
#[derive(Debug, Clone, Default)]
pub struct TlsSlot(Arc<RwLock<Option<Arc<rustls::ServerConfig>>>>);

impl TlsSlot {
    /// Offers STARTTLS with this configuration from the next connection on.
    pub fn set(&self, config: Arc<rustls::ServerConfig>) {
        *self.0.write().unwrap_or_else(|e| e.into_inner()) = Some(config);
    }

    /// The configuration; none when STARTTLS is not offered.
    pub fn get(&self) -> Option<Arc<rustls::ServerConfig>> {
        self.0.read().unwrap_or_else(|e| e.into_inner()).clone()
    }
}

/// The listener. It announces SIZE, PIPELINING, 8BITMIME, ENHANCEDSTATUSCODES and STARTTLS. A line end other than
/// CRLF is an error everywhere, so that no message can be smuggled inside another. It writes no trace header: trace
/// data is in the [`Envelope`].
pub struct SmtpServer {
    shared: Arc<Shared>,
    admit: Admit,
}

/// Admits a connection from an address, or refuses it.
pub type Admit = Arc<dyn Fn(IpAddr) -> Option<Pass> + Send + Sync>;

struct Shared {
    settings: ServerSettings,
    tls: TlsSlot,
    sink: Arc<dyn MailSink>,
    gate: Arc<Gate>,
}

impl SmtpServer {
    /// A listener that delivers mail to this sink.
    pub fn new(settings: ServerSettings, tls: TlsSlot, sink: Arc<dyn MailSink>) -> Self {
        let gate = Gate::new("SMTP", settings.limits);
        let own = gate.clone();
        let admit: Admit = Arc::new(move |peer| own.enter(peer).ok());
        Self { shared: Arc::new(Shared { settings, tls, sink, gate }), admit }
    }

    /// Uses an external gate for admission instead of the limits in the settings.
    pub fn admitting(self, admit: Admit, gate: Arc<Gate>) -> Self {
        let Shared { settings, tls, sink, .. } = &*self.shared;
        let shared = Shared { settings: settings.clone(), tls: tls.clone(), sink: sink.clone(), gate };
        Self { shared: Arc::new(shared), admit }
    }

    /// Accepts connections until `shutdown`; then no new ones, idle ones get `421`, and a message in progress may
    /// finish. Returns when the last connection has ended.
    pub async fn run(self, listener: TcpListener, shutdown: CancellationToken) -> std::io::Result<()> {
        let tracker = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.welcome(stream, peer, &tracker, &shutdown),
                Err(error) => {
                    tracing::warn!(%error, "an SMTP connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        tracker.close();
        tracker.wait().await;
        Ok(())
    }

    fn welcome(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        tracker: &TaskTracker,
        shutdown: &CancellationToken,
    ) {
        let (shared, shutdown) = (self.shared.clone(), shutdown.clone());
        let Some(pass) = (self.admit)(peer.ip()) else {
            tracker.spawn(turn_away(stream));
            return;
        };
        tracker.spawn(async move {
            if let Err(error) = session::serve(stream, peer, &shared, &shutdown).await {
                tracing::debug!(%peer, %error, "an SMTP connection broke");
            }
            drop(pass);
        });
    }
}

async fn turn_away(mut stream: TcpStream) {
    let farewell = stream.write_all(b"421 4.7.0 Too many connections, try again later\r\n");
    let _ = tokio::time::timeout(Duration::from_secs(5), farewell).await;
}
