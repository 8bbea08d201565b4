//! One SMTP connection.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::command::{Command, parse};
use super::data::DataDecoder;
use super::{Envelope, MailBody, Shared, SmtpReply};

/// Longest command line, CRLF included (RFC 5321 4.5.3.1.4, with room for parameters).
const MAX_LINE: usize = 2048;
/// Bytes read from the network at a time.
const BLOCK: usize = 64 << 10;
/// Interval for checking whether connections have become scarce.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// Most commands of one connection that do not advance a message.
const MAX_IDLE_COMMANDS: usize = 100;

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// State of a connection after a command.
enum Next {
    Command,
    StartTls,
    Close,
}

/// Result of reading a command line.
enum Line {
    Text(BytesMut),
    TooLong,
    BareLineFeed,
    Closed,
    Idle,
    ShuttingDown,
}

pub(super) async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    shared: &Shared,
    shutdown: &CancellationToken,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut session = Session {
        io: Box::new(stream),
        input: BytesMut::new(),
        output: Vec::new(),
        shared,
        shutdown,
        tls: false,
        helo: None,
        transaction: None,
        peer,
        errors: 0,
        idle_commands: 0,
    };
    session.reply(&format!("220 {} ESMTP", shared.settings.host_name));
    while let Some(next) = session.next_command().await? {
        match next {
            Next::Command => {}
            Next::StartTls => session = session.start_tls().await?,
            Next::Close => break,
        }
    }
    session.flush().await?;
    session.io.shutdown().await
}

struct Session<'s> {
    io: Box<dyn Io>,
    input: BytesMut,
    output: Vec<u8>,
    shared: &'s Shared,
    shutdown: &'s CancellationToken,
    tls: bool,
    helo: Option<String>,
    transaction: Option<Envelope>,
    peer: SocketAddr,
    errors: usize,
    idle_commands: usize,
}

impl Session<'_> {
    fn reply(&mut self, line: &str) {
        self.output.extend_from_slice(line.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    fn refuse(&mut self, reply: &SmtpReply) {
        self.errors += 1;
        let text: String = reply.text.chars().filter(|c| !c.is_control()).collect();
        self.reply(&format!("{} {} {}", reply.code, reply.enhanced, text));
    }

    fn complain(&mut self, line: &str) -> Next {
        self.errors += 1;
        self.reply(line);
        if self.errors < self.shared.settings.max_errors {
            return Next::Command;
        }
        self.reply("421 4.7.0 Too many errors");
        Next::Close
    }

    async fn flush(&mut self) -> io::Result<()> {
        if !self.output.is_empty() {
            let wait = self.shared.settings.idle_timeout;
            let sent = timeout(wait, async {
                self.io.write_all(&self.output).await?;
                self.io.flush().await
            });
            sent.await.map_err(|_| io::ErrorKind::TimedOut)??;
            self.output.clear();
        }
        Ok(())
    }

    /// Reads and answers one command; none if the connection is over.
    async fn next_command(&mut self) -> io::Result<Option<Next>> {
        let line = match self.read_line().await? {
            Line::Text(line) => line,
            Line::Closed => return Ok(None),
            Line::TooLong => return self.last_words("500 5.5.2 Line too long").await,
            Line::BareLineFeed => return self.last_words("500 5.5.2 Lines must end in CR LF").await,
            Line::Idle => return self.last_words("421 4.4.2 Idle for too long, closing").await,
            Line::ShuttingDown => return self.last_words("421 4.3.2 Service is shutting down").await,
        };
        let next = match parse(&line) {
            Ok(command) => self.execute(command).await?,
            Err(bad) => self.complain(bad.reply()),
        };
        Ok(Some(next))
    }

    async fn last_words(&mut self, line: &str) -> io::Result<Option<Next>> {
        self.reply(line);
        Ok(Some(Next::Close))
    }

    /// Longest wait for the next command. It is shorter for idle connections when connections are scarce.
    fn patience(&self) -> Duration {
        let settings = &self.shared.settings;
        let only_waits = self.transaction.is_none() && self.shared.gate.is_busy();
        if only_waits { settings.busy_timeout.min(settings.idle_timeout) } else { settings.idle_timeout }
    }

    /// Reads a line. The whole line must arrive within the idle time, even if its bytes trickle.
    async fn read_line(&mut self) -> io::Result<Line> {
        let start = Instant::now();
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.input) {
                return Ok(self.take_line(end));
            }
            if self.input.len() >= MAX_LINE {
                return Ok(Line::TooLong);
            }
            self.flush().await?;
            self.input.reserve(MAX_LINE);
            let look_again = (start + self.patience()).min(Instant::now() + LOOK_AGAIN);
            let read = tokio::select! {
                biased;
                read = self.io.read_buf(&mut self.input) => read?,
                () = self.shutdown.cancelled() => return Ok(Line::ShuttingDown),
                () = tokio::time::sleep_until(look_again) => {
                    if start.elapsed() >= self.patience() {
                        return Ok(Line::Idle);
                    }
                    continue;
                }
            };
            if read == 0 {
                return Ok(Line::Closed);
            }
        }
    }

    fn take_line(&mut self, end: usize) -> Line {
        let mut line = self.input.split_to(end + 1);
        match line.len() {
            length if length > MAX_LINE => Line::TooLong,
            length if line.ends_with(b"\r\n") => {
                line.truncate(length - 2);
                Line::Text(line)
            }
            _ => Line::BareLineFeed,
        }
    }

    async fn execute(&mut self, command: Command) -> io::Result<Next> {
        match command {
            Command::Mail { from, size } => Ok(self.mail(from, size).await),
            Command::Rcpt(recipient) => Ok(self.rcpt(recipient).await),
            Command::Data => self.data().await,
            Command::Quit => {
                self.reply("221 2.0.0 Goodbye");
                Ok(Next::Close)
            }
            other => Ok(self.idle_command(other)),
        }
    }

    fn idle_command(&mut self, command: Command) -> Next {
        self.idle_commands += 1;
        if self.idle_commands > MAX_IDLE_COMMANDS {
            self.reply("421 4.7.0 Too many commands without mail");
            return Next::Close;
        }
        match command {
            Command::Ehlo(name) => self.hello(name, true),
            Command::Helo(name) => self.hello(name, false),
            Command::StartTls => return self.may_start_tls(),
            Command::Rset => {
                self.transaction = None;
                self.reply("250 2.0.0 Reset");
            }
            Command::Vrfy => self.reply("252 2.5.2 Cannot verify, but will take the message and try"),
            Command::Help => self.reply("214 2.0.0 See RFC 5321"),
            _ => self.reply("250 2.0.0 Ok"),
        }
        Next::Command
    }

    fn hello(&mut self, name: String, extended: bool) {
        self.helo = Some(name);
        self.transaction = None;
        let settings = &self.shared.settings;
        if !extended {
            self.reply(&format!("250 {}", settings.host_name));
            return;
        }
        let mut lines = vec![settings.host_name.clone(), format!("SIZE {}", settings.max_size)];
        lines.extend(["PIPELINING", "8BITMIME", "ENHANCEDSTATUSCODES"].map(str::to_owned));
        if !self.tls && self.shared.tls.get().is_some() {
            lines.push("STARTTLS".to_owned());
        }
        let last = lines.len() - 1;
        for (i, line) in lines.into_iter().enumerate() {
            let separator = if i == last { ' ' } else { '-' };
            self.reply(&format!("250{separator}{line}"));
        }
    }

    fn may_start_tls(&mut self) -> Next {
        if self.tls || self.shared.tls.get().is_none() {
            return self.complain("502 5.5.1 STARTTLS is not offered");
        }
        if !self.input.is_empty() {
            // unencrypted commands sent ahead could be mistaken for encrypted ones
            self.reply("554 5.5.1 Nothing may follow STARTTLS before the handshake");
            return Next::Close;
        }
        self.reply("220 2.0.0 Ready to start TLS");
        Next::StartTls
    }

    async fn start_tls(mut self) -> io::Result<Self> {
        self.flush().await?;
        let config = self.shared.tls.get().ok_or(io::ErrorKind::Unsupported)?;
        // Without a buffer rustls reads four kilobytes at a time.
        let io = BufReader::with_capacity(BLOCK, self.io);
        let handshake = TlsAcceptor::from(config).accept(io);
        let stream = timeout(self.shared.settings.handshake_timeout, handshake).await;
        self.io = Box::new(stream.map_err(|_| io::ErrorKind::TimedOut)??);
        (self.tls, self.helo, self.transaction) = (true, None, None);
        Ok(self)
    }

    async fn mail(&mut self, from: Option<String>, size: Option<u64>) -> Next {
        let settings = &self.shared.settings;
        let Some(helo) = self.helo.clone() else { return self.complain("503 5.5.1 Say EHLO first") };
        if self.transaction.is_some() {
            return self.complain("503 5.5.1 Sender already given");
        }
        if settings.require_tls && !self.tls {
            return self.complain("530 5.7.0 Must issue a STARTTLS command first");
        }
        if size.is_some_and(|size| size > settings.max_size) {
            return self.complain("552 5.3.4 Message is larger than the limit");
        }
        let (peer, tls) = (self.peer, self.tls);
        let envelope = Envelope {
            peer,
            helo,
            tls,
            mail_from: from,
            declared_size: size,
            recipients: vec![],
            owners: vec![],
        };
        match self.shared.sink.accept_sender(&envelope).await {
            Ok(()) => {
                self.transaction = Some(envelope);
                self.reply("250 2.1.0 Sender ok");
            }
            Err(reply) => self.refuse(&reply),
        }
        self.unless_too_many_errors()
    }

    async fn rcpt(&mut self, recipient: String) -> Next {
        let Some(envelope) = &self.transaction else {
            return self.complain("503 5.5.1 Give the sender first");
        };
        if envelope.recipients.len() >= self.shared.settings.max_recipients {
            return self.complain("452 4.5.3 Too many recipients");
        }
        match self.shared.sink.accept_recipient(envelope, &recipient).await {
            Ok(owner) => {
                if let Some(envelope) = &mut self.transaction {
                    envelope.recipients.push(recipient);
                    envelope.owners.push(owner);
                }
                self.reply("250 2.1.5 Recipient ok");
            }
            Err(reply) => self.refuse(&reply),
        }
        self.unless_too_many_errors()
    }

    fn unless_too_many_errors(&mut self) -> Next {
        if self.errors < self.shared.settings.max_errors {
            return Next::Command;
        }
        self.reply("421 4.7.0 Too many errors");
        Next::Close
    }

    async fn data(&mut self) -> io::Result<Next> {
        match &self.transaction {
            None => return Ok(self.complain("503 5.5.1 Give the sender first")),
            Some(envelope) if envelope.recipients.is_empty() => {
                return Ok(self.complain("503 5.5.1 No valid recipients"));
            }
            Some(_) => {}
        }
        let Some(envelope) = self.transaction.take() else { return Ok(Next::Command) };
        let body = match self.shared.sink.begin(envelope).await {
            Ok(body) => body,
            Err(reply) => {
                self.refuse(&reply);
                return Ok(self.unless_too_many_errors());
            }
        };
        self.reply("354 End data with <CR><LF>.<CR><LF>");
        self.flush().await?;
        self.idle_commands = 0;
        match self.receive(body).await? {
            Received::Whole(Ok(())) => self.reply("250 2.0.0 Message accepted"),
            Received::Whole(Err(reply)) => self.refuse(&reply),
            Received::Stalled => {
                self.reply("421 4.4.2 Message came too slowly, closing");
                return Ok(Next::Close);
            }
            Received::Endless => {
                self.reply("552 5.3.4 Message is larger than the limit");
                return Ok(Next::Close);
            }
        }
        Ok(self.unless_too_many_errors())
    }

    /// Streams the message into the body. The body is dropped, and so undone, unless it is committed.
    async fn receive(&mut self, body: Box<dyn MailBody>) -> io::Result<Received> {
        let settings = &self.shared.settings;
        let mut message = Receiving { body: Ok(body), size: 0, max_size: settings.max_size };
        let mut decoder = DataDecoder::default();
        let (start, mut raw_size) = (Instant::now(), 0u64);
        loop {
            if self.input.is_empty() {
                self.input.reserve(BLOCK);
                match timeout(settings.idle_timeout, self.io.read_buf(&mut self.input)).await {
                    Err(_) => return Ok(Received::Stalled),
                    Ok(Err(error)) => return Err(error),
                    Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(Ok(_)) => {}
                }
            }
            raw_size += self.input.len() as u64;
            let mut decoded = BytesMut::with_capacity(self.input.len());
            let end = decoder.decode(&self.input, &mut decoded);
            self.input.advance(end.unwrap_or(self.input.len()));
            message.write(decoded).await;
            if end.is_some() {
                return Ok(Received::Whole(message.finish(decoder.is_malformed()).await));
            }
            if raw_size > settings.max_size.saturating_mul(2) {
                return Ok(Received::Endless);
            }
            let elapsed = start.elapsed();
            let expected = settings.min_data_rate as f64 * elapsed.as_secs_f64();
            if elapsed > settings.data_rate_grace && (raw_size as f64) < expected {
                return Ok(Received::Stalled);
            }
        }
    }
}

enum Received {
    Whole(Result<(), SmtpReply>),
    Stalled,
    Endless,
}

struct Receiving {
    body: Result<Box<dyn MailBody>, SmtpReply>,
    size: u64,
    max_size: u64,
}

impl Receiving {
    async fn write(&mut self, decoded: BytesMut) {
        self.size += decoded.len() as u64;
        let Ok(body) = &mut self.body else { return };
        if self.size > self.max_size {
            self.body = Err(SmtpReply::new(552, "5.3.4", "Message is larger than the limit"));
        } else if !decoded.is_empty()
            && let Err(reply) = body.write(decoded.freeze()).await
        {
            self.body = Err(reply);
        }
    }

    async fn finish(self, malformed: bool) -> Result<(), SmtpReply> {
        if malformed {
            return Err(SmtpReply::new(550, "5.6.0", "Lines of the message must end in CR LF"));
        }
        self.body?.commit().await
    }
}
