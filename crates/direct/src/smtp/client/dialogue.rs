//! The dialogue with one server.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::{ClientTimeouts, OutgoingEnvelope, RecipientOutcome, TlsState};
use crate::DirectAddress;

/// Longest reply, in bytes over all its lines.
const MAX_REPLY: usize = 32 << 10;
/// Bytes read from the message at a time.
const BLOCK: usize = 64 << 10;
/// Most messages over one connection; servers limit them.
const MAX_MESSAGES: usize = 100;
const DATA: &str = "DATA\r\n";
/// Reply code: the server expects the message.
const START_MAIL_INPUT: u16 = 354;
/// Reply code: the server closes the connection (RFC 5321 3.8).
const SERVICE_CLOSING: u16 = 421;
/// Longest wait for the answer to QUIT.
const QUIT_TIMEOUT: Duration = Duration::from_secs(5);

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A reply: its code, and its text in one line.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    code: u16,
    lines: Vec<String>,
}

impl Reply {
    fn text(&self) -> String {
        self.lines.join(" ").trim().to_owned()
    }

    fn is_good(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// Outcome of a negative reply for a recipient.
    fn outcome(&self) -> RecipientOutcome {
        match self.code {
            500.. => RecipientOutcome::Refused { code: Some(self.code), text: self.text() },
            _ => RecipientOutcome::Deferred { code: Some(self.code), text: self.text() },
        }
    }
}

/// Why a dialogue ended before the outcome of each recipient was known.
#[derive(Debug)]
pub(super) enum Failure {
    /// No connection, a lost one, or a timeout; nothing was delivered.
    Connection(String),
    /// The TLS handshake failed.
    Handshake,
    /// TLS is required and not offered.
    NoTls,
    /// The server refused before it accepted the sender.
    Refused(Reply),
    /// The server permanently refused the sender.
    Sender(Reply),
    /// Larger than the server accepts.
    TooLarge { size: u64, limit: u64 },
}

impl Failure {
    pub(super) fn outcome(&self) -> RecipientOutcome {
        match self {
            Self::Connection(text) => RecipientOutcome::Deferred { code: None, text: text.clone() },
            Self::Handshake => deferred("The encrypted connection could not be established."),
            Self::NoTls => deferred("The mail server does not offer encryption."),
            Self::Refused(reply) | Self::Sender(reply) => reply.outcome(),
            Self::TooLarge { size, limit } => RecipientOutcome::Refused {
                code: None,
                text: format!("The message has {size} bytes; the mail server takes at most {limit}."),
            },
        }
    }

    /// Whether a reused connection has ended: nothing was delivered on it, and a new one may succeed.
    pub(super) fn is_stale(&self) -> bool {
        match self {
            Self::Connection(_) => true,
            Self::Refused(reply) | Self::Sender(reply) => reply.code == SERVICE_CLOSING,
            Self::Handshake | Self::NoTls | Self::TooLarge { .. } => false,
        }
    }

    /// Whether no other host needs to be asked.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::Sender(reply) if reply.code >= 500) || matches!(self, Self::TooLarge { .. })
    }
}

fn deferred(text: &str) -> RecipientOutcome {
    RecipientOutcome::Deferred { code: None, text: text.to_owned() }
}

fn lost(error: impl fmt::Display) -> Failure {
    Failure::Connection(format!("The connection to the mail server failed: {error}."))
}

/// What the server announced.
#[derive(Debug, Default)]
struct Extensions {
    tls: bool,
    pipelining: bool,
    size: Option<u64>,
}

/// A connection in progress.
pub(super) struct Dialogue {
    io: Box<dyn Io>,
    input: BytesMut,
    timeouts: ClientTimeouts,
    extensions: Extensions,
    tls: TlsState,
    broken: bool,
    /// Number of messages answered by the server.
    messages: usize,
    /// The server expects another message or QUIT.
    between_messages: bool,
}

impl Dialogue {
    pub(super) async fn connect(address: SocketAddr, timeouts: ClientTimeouts) -> Result<Self, Failure> {
        let stream = timeout(timeouts.connect, TcpStream::connect(address)).await;
        let stream = stream.map_err(|_| lost("no answer"))?.map_err(|e| lost(e.kind()))?;
        stream.set_nodelay(true).map_err(|e| lost(e.kind()))?;
        let mut dialogue = Self::over(Box::new(stream), timeouts);
        let greeting = dialogue.reply().await?;
        match greeting.is_good() {
            true => Ok(dialogue),
            false => Err(Failure::Refused(greeting)),
        }
    }

    fn over(io: Box<dyn Io>, timeouts: ClientTimeouts) -> Self {
        let (extensions, tls) = (Extensions::default(), TlsState::Plain);
        let (messages, between_messages) = (0, false);
        Self {
            io,
            input: BytesMut::new(),
            timeouts,
            extensions,
            tls,
            broken: false,
            messages,
            between_messages,
        }
    }

    pub(super) fn offers_tls(&self) -> bool {
        self.extensions.tls
    }

    pub(super) fn tls(&self) -> TlsState {
        self.tls
    }

    /// Whether another message may follow: the last one was answered, and the limit is not reached.
    pub(super) fn may_go_on(&self) -> bool {
        self.between_messages && !self.broken && self.input.is_empty() && self.messages < MAX_MESSAGES
    }

    pub(super) fn size_limit(&self) -> Option<u64> {
        self.extensions.size
    }

    /// Sends EHLO, or HELO if the server does not support it.
    pub(super) async fn greet(&mut self, helo: &str) -> Result<(), Failure> {
        let mut reply = self.ask(&format!("EHLO {helo}\r\n")).await?;
        if reply.is_good() {
            self.extensions = extensions(&reply);
            return Ok(());
        }
        if reply.code >= 500 {
            reply = self.ask(&format!("HELO {helo}\r\n")).await?;
        }
        match reply.is_good() {
            true => Ok(()),
            false => Err(Failure::Refused(reply)),
        }
    }

    pub(super) async fn start_tls(
        mut self,
        host: &str,
        config: Arc<ClientConfig>,
        state: TlsState,
    ) -> Result<Self, Failure> {
        let reply = self.ask("STARTTLS\r\n").await?;
        // data sent before the handshake could be mistaken for an encrypted answer
        if reply.code != 220 || !self.input.is_empty() {
            return Err(Failure::Handshake);
        }
        let name = ServerName::try_from(host.to_owned()).map_err(|_| Failure::Handshake)?;
        let handshake = TlsConnector::from(config).connect(name, self.io);
        let stream = timeout(self.timeouts.command, handshake).await.map_err(|_| Failure::Handshake)?;
        let stream = stream.map_err(|_| Failure::Handshake)?;
        let mut encrypted = Self::over(Box::new(stream), self.timeouts);
        encrypted.tls = state;
        Ok(encrypted)
    }

    /// Sends envelope and message; returns the outcome per recipient.
    pub(super) async fn transact(
        &mut self,
        envelope: &OutgoingEnvelope,
        size: u64,
        message: &mut (dyn AsyncRead + Send + Unpin),
    ) -> Result<Vec<(DirectAddress, RecipientOutcome)>, Failure> {
        if let Some(limit) = self.extensions.size.filter(|limit| *limit > 0 && size > *limit) {
            return Err(Failure::TooLarge { size, limit });
        }
        self.between_messages = false;
        let replies = self.give_envelope(envelope, size).await?;
        let accepted = replies.iter().any(Reply::is_good);
        let shared = if accepted {
            Some(self.data(message).await)
        } else {
            self.take_data_back().await;
            None
        };
        let outcome = |reply: &Reply| match (&shared, reply.is_good()) {
            (Some(outcome), true) => outcome.clone(),
            _ => reply.outcome(),
        };
        Ok(envelope.recipients.iter().cloned().zip(replies.iter().map(outcome)).collect())
    }

    /// Sends MAIL and RCPT, pipelined if the server supports it, and then together with DATA (RFC 2920 3.1). Returns
    /// the replies to RCPT.
    async fn give_envelope(&mut self, envelope: &OutgoingEnvelope, size: u64) -> Result<Vec<Reply>, Failure> {
        let from = envelope.mail_from.as_ref().map(DirectAddress::as_str).unwrap_or_default();
        let size = if self.extensions.size.is_some() { format!(" SIZE={size}") } else { String::new() };
        let mail = format!("MAIL FROM:<{from}>{size}\r\n");
        let recipients: Vec<_> = envelope.recipients.iter().map(|r| format!("RCPT TO:<{r}>\r\n")).collect();
        if self.extensions.pipelining {
            let all = format!("{mail}{}{DATA}", recipients.concat());
            self.send(all.as_bytes(), self.timeouts.command).await?;
        } else {
            self.send(mail.as_bytes(), self.timeouts.command).await?;
        }
        let sender = self.reply().await?;
        let mut replies = Vec::new();
        for recipient in &recipients {
            if !self.extensions.pipelining {
                if !sender.is_good() {
                    break;
                }
                self.send(recipient.as_bytes(), self.timeouts.command).await?;
            }
            match self.reply().await {
                Ok(reply) => replies.push(reply),
                Err(_) if !sender.is_good() => break,
                Err(failure) => return Err(failure),
            }
        }
        match sender.is_good() {
            true => Ok(replies),
            false => {
                self.take_data_back().await;
                Err(Failure::Sender(sender))
            }
        }
    }

    /// Undoes a DATA without accepted recipients. If the server expects the message anyway, the connection is
    /// dropped.
    async fn take_data_back(&mut self) {
        let has_data = self.extensions.pipelining && !self.broken;
        if has_data && self.reply().await.is_ok_and(|reply| reply.code == START_MAIL_INPUT) {
            self.broken = true;
        }
    }

    /// Sends the message; returns the outcome for all accepted recipients.
    async fn data(&mut self, message: &mut (dyn AsyncRead + Send + Unpin)) -> RecipientOutcome {
        let go = if self.extensions.pipelining { self.reply().await } else { self.ask(DATA).await };
        let go = match go {
            Ok(reply) => reply,
            Err(failure) => return failure.outcome(),
        };
        if go.code != START_MAIL_INPUT {
            return go.outcome();
        }
        if let Err(failure) = self.send_message(message).await {
            return self.why_broken(failure).await;
        }
        match timeout(self.timeouts.data_end, self.read_reply()).await {
            Ok(Ok(reply)) => {
                self.messages += 1;
                self.between_messages = reply.code != SERVICE_CLOSING;
                if reply.is_good() {
                    RecipientOutcome::Accepted { text: reply.text() }
                } else {
                    reply.outcome()
                }
            }
            Ok(Err(_)) | Err(_) => {
                self.broken = true;
                RecipientOutcome::Unconfirmed {
                    text: "The connection was lost before the mail server confirmed the message.".into(),
                }
            }
        }
    }

    async fn send_message(&mut self, message: &mut (dyn AsyncRead + Send + Unpin)) -> Result<(), Failure> {
        let (mut block, mut stuffed) = (vec![0u8; BLOCK], Vec::with_capacity(BLOCK + BLOCK / 8));
        let mut stuffer = Stuffer::default();
        loop {
            let read = message.read(&mut block).await.map_err(|_| lost("the message could not be read"))?;
            if read == 0 {
                break;
            }
            if !stuffed.is_empty() {
                self.send(&stuffed, self.timeouts.data_block).await?;
                stuffed.clear();
            }
            stuffer.stuff(&block[..read], &mut stuffed);
        }
        // The end is sent with the last block.
        stuffed.extend_from_slice(stuffer.end());
        self.send(&stuffed, self.timeouts.data_block).await
    }

    /// Reads the server's reason for refusing more of the message, if it sent one. The end was not sent, so the
    /// server cannot have accepted the message.
    async fn why_broken(&mut self, failure: Failure) -> RecipientOutcome {
        self.broken = true;
        match timeout(QUIT_TIMEOUT, self.read_reply()).await {
            Ok(Ok(reply)) if reply.code >= 400 => reply.outcome(),
            _ => failure.outcome(),
        }
    }

    /// Sends QUIT, and does not require an answer.
    pub(super) async fn quit(mut self) {
        if !self.broken {
            let _ = timeout(QUIT_TIMEOUT, async {
                if self.send(b"QUIT\r\n", QUIT_TIMEOUT).await.is_ok() {
                    let _ = self.read_reply().await;
                }
                self.io.shutdown().await
            })
            .await;
        }
    }

    async fn ask(&mut self, command: &str) -> Result<Reply, Failure> {
        self.send(command.as_bytes(), self.timeouts.command).await?;
        self.reply().await
    }

    async fn send(&mut self, bytes: &[u8], wait: Duration) -> Result<(), Failure> {
        let sent = timeout(wait, async {
            self.io.write_all(bytes).await?;
            self.io.flush().await
        });
        let result = sent.await.map_err(|_| lost("no progress")).and_then(|r| r.map_err(|e| lost(e.kind())));
        self.broken |= result.is_err();
        result
    }

    async fn reply(&mut self) -> Result<Reply, Failure> {
        let wait = self.timeouts.command;
        let result = timeout(wait, self.read_reply()).await.unwrap_or_else(|_| Err(lost("no answer")));
        self.broken |= result.is_err();
        result
    }

    async fn read_reply(&mut self) -> Result<Reply, Failure> {
        let (mut lines, mut total) = (Vec::new(), 0);
        loop {
            let line = self.read_line().await?;
            total += line.len();
            if total > MAX_REPLY {
                return Err(lost("the answer is too long"));
            }
            let (code, more, text) = reply_line(&line).ok_or_else(|| lost("the answer is not SMTP"))?;
            lines.push(text);
            if !more {
                return Ok(Reply { code, lines });
            }
        }
    }

    async fn read_line(&mut self) -> Result<BytesMut, Failure> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.input) {
                return Ok(self.input.split_to(end + 1));
            }
            if self.input.len() > MAX_REPLY {
                return Err(lost("the answer is too long"));
            }
            match self.io.read_buf(&mut self.input).await {
                Ok(0) => return Err(lost("closed by the other side")),
                Ok(_) => {}
                Err(error) => return Err(lost(error.kind())),
            }
        }
    }
}

/// Parses `250-text` or `250 text`: code, whether more lines follow, text.
pub fn reply_line(line: &[u8]) -> Option<(u16, bool, String)> {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    let code = text.get(..3)?.parse().ok().filter(|code| (200..600).contains(code))?;
    let more = text.as_bytes().get(3) == Some(&b'-');
    Some((code, more, text.get(4..).unwrap_or_default().trim().to_owned()))
}

fn extensions(reply: &Reply) -> Extensions {
    let mut found = Extensions::default();
    for line in reply.lines.iter().skip(1) {
        let (keyword, value) = line.split_once(' ').unwrap_or((line, ""));
        match keyword.to_ascii_uppercase().as_str() {
            "STARTTLS" => found.tls = true,
            "PIPELINING" => found.pipelining = true,
            "SIZE" => found.size = Some(value.trim().parse().unwrap_or(0)),
            _ => {}
        }
    }
    found
}

/// Doubles the dots at line starts (RFC 5321 4.5.2).
#[derive(Debug)]
pub struct Stuffer {
    last: [u8; 2],
}

impl Default for Stuffer {
    fn default() -> Self {
        Self { last: *b"\r\n" }
    }
}

impl Stuffer {
    /// Appends the bytes with their dots doubled.
    pub fn stuff(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut done = 0;
        for dot in memchr::memchr_iter(b'.', bytes) {
            let at_line_start = match dot {
                0 => self.last == *b"\r\n",
                1 => self.last[1] == b'\r' && bytes[0] == b'\n',
                _ => bytes[..dot].ends_with(b"\r\n"),
            };
            if at_line_start {
                out.extend_from_slice(&bytes[done..dot]);
                out.push(b'.');
                done = dot;
            }
        }
        out.extend_from_slice(&bytes[done..]);
        match bytes {
            [] => {}
            [only] => self.last = [self.last[1], *only],
            [.., before, last] => self.last = [*before, *last],
        }
    }

    /// The end of the message, including a missing last line end.
    pub fn end(&self) -> &'static [u8] {
        if self.last == *b"\r\n" { b".\r\n" } else { b"\r\n.\r\n" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_at_line_starts_are_doubled_however_the_bytes_arrive() {
        let text = b".a\r\n.\r\nb.\r\n..c";
        for step in 1..text.len() {
            let (mut stuffer, mut out) = (Stuffer::default(), Vec::new());
            text.chunks(step).for_each(|chunk| stuffer.stuff(chunk, &mut out));
            out.extend_from_slice(stuffer.end());
            assert_eq!(out, b"..a\r\n..\r\nb.\r\n...c\r\n.\r\n", "step {step}");
        }
    }

    #[test]
    fn announced_extensions_are_read() {
        let lines = ["mx.example", "SIZE 1000", "starttls", "PIPELINING"].map(str::to_owned).to_vec();
        let found = extensions(&Reply { code: 250, lines });
        assert_eq!((found.tls, found.pipelining, found.size), (true, true, Some(1000)));
    }
}
