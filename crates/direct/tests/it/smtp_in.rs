//! The listener, against swaks, Postfix and clients that misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use admission::Limits;
use async_trait::async_trait;
use bytes::Bytes;
use direct::smtp::server::{Envelope, MailBody, MailSink, ServerSettings, SmtpReply, SmtpServer, TlsSlot};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::support::*;

/// A message that arrived.
#[derive(Debug, Clone)]
pub struct Mail {
    pub envelope: Envelope,
    pub bytes: Vec<u8>,
}

/// Keeps received mail in memory. `gone@` does not exist, `full@` makes the commit fail, `busy@` the begin.
#[derive(Default)]
pub struct Store {
    pub mails: Mutex<Vec<Mail>>,
    pub chunks: Mutex<Vec<usize>>,
    pub dropped: Mutex<usize>,
}

struct Sink(Arc<Store>);

struct Body {
    store: Arc<Store>,
    mail: Mail,
    committed: bool,
}

impl Drop for Body {
    fn drop(&mut self) {
        if !self.committed {
            *self.store.dropped.lock().unwrap() += 1;
        }
    }
}

/// Owner returned by the sink.
fn owner(recipient: &str) -> Uuid {
    Uuid::from_u128(recipient.len() as u128)
}

#[async_trait]
impl MailSink for Sink {
    async fn accept_recipient(&self, _envelope: &Envelope, recipient: &str) -> Result<Uuid, SmtpReply> {
        match recipient.starts_with("gone@") {
            true => Err(SmtpReply::no_such_mailbox()),
            false => Ok(owner(recipient)),
        }
    }
    async fn begin(&self, envelope: Envelope) -> Result<Box<dyn MailBody>, SmtpReply> {
        if envelope.recipients[0].starts_with("busy@") {
            return Err(SmtpReply::try_again_later());
        }
        let mail = Mail { envelope, bytes: Vec::new() };
        Ok(Box::new(Body { store: self.0.clone(), mail, committed: false }))
    }
}

#[async_trait]
impl MailBody for Body {
    async fn write(&mut self, bytes: Bytes) -> Result<(), SmtpReply> {
        self.store.chunks.lock().unwrap().push(bytes.len());
        self.mail.bytes.extend_from_slice(&bytes);
        Ok(())
    }
    async fn commit(mut self: Box<Self>) -> Result<(), SmtpReply> {
        if self.mail.envelope.recipients[0].starts_with("full@") {
            return Err(SmtpReply::new(452, "4.3.1", "No space left"));
        }
        self.store.mails.lock().unwrap().push(self.mail.clone());
        self.committed = true;
        Ok(())
    }
}

/// A running listener on a free port of 127.0.0.1.
pub struct Listener {
    pub address: SocketAddr,
    pub store: Arc<Store>,
    pub tls: TlsSlot,
    pub shutdown: CancellationToken,
    pub running: tokio::task::JoinHandle<std::io::Result<()>>,
}

pub fn settings() -> ServerSettings {
    ServerSettings { host_name: "mx.south.example".into(), ..ServerSettings::default() }
}

pub async fn listen(settings: ServerSettings) -> Listener {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (store, tls, shutdown) = (Arc::new(Store::default()), TlsSlot::default(), CancellationToken::new());
    let address = listener.local_addr().unwrap();
    let server = SmtpServer::new(settings, tls.clone(), Arc::new(Sink(store.clone())));
    let running = tokio::spawn(server.run(listener, shutdown.clone()));
    Listener { address, store, tls, shutdown, running }
}

/// TLS for this name, with a self-signed certificate.
pub fn tls_config(name: &str) -> (Arc<rustls::ServerConfig>, CertificateDer<'static>) {
    let names = format!("subjectAltName=DNS:{name}");
    let args =
        ["-newkey", "rsa:2048", "-subj", "/CN=mx", "-addext", &names, "-addext", "basicConstraints=CA:FALSE"];
    let identity = self_signed(&args);
    let certificate = CertificateDer::from(identity.certificate().to_der());
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.key().to_pkcs8().unwrap()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    (Arc::new(config), certificate)
}

impl Listener {
    pub fn mails(&self) -> Vec<Mail> {
        self.store.mails.lock().unwrap().clone()
    }

    /// Runs a conversation on a separate thread, so that blocking reads do not stop the listener.
    async fn talk<T: Send + 'static>(&self, talk: impl FnOnce(Talk) -> T + Send + 'static) -> T {
        let address = self.address;
        tokio::task::spawn_blocking(move || talk(Talk::to(address))).await.unwrap()
    }
}

/// A hand-held client.
struct Talk(BufReader<TcpStream>);

impl Talk {
    fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut talk = Self(BufReader::new(stream));
        assert!(talk.reply().starts_with("220 mx.south.example"));
        talk
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.0.get_mut().write_all(bytes.as_ref()).unwrap();
        self
    }

    /// The next reply, all its lines.
    fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            reply.push_str(&line);
            if line.as_bytes().get(3) != Some(&b'-') {
                return reply;
            }
        }
    }

    fn ask(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n")).reply()
    }

    /// Up to the answer to DATA.
    fn begin(&mut self) -> &mut Self {
        assert!(self.ask("EHLO client.example").starts_with("250"));
        assert!(self.ask("MAIL FROM:<ada@north.example>").starts_with("250"));
        assert!(self.ask("RCPT TO:<bob@south.example>").starts_with("250"));
        assert!(self.ask("DATA").starts_with("354"));
        self
    }

    fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).is_ok_and(|_| rest.is_empty())
    }
}

async fn run(program: &'static str, args: Vec<String>) -> (bool, String) {
    let run = move || Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn swaks_delivers_in_the_clear_and_over_starttls() {
    let listener = listen(settings()).await;
    listener.tls.set(tls_config("mx.south.example").0);
    for tls in ["", "--tls"] {
        let args = format!(
            "--server 127.0.0.1:{} --from ada@north.example --to bob@south.example,carol@south.example --body .dot {tls}",
            listener.address.port()
        );
        let (ok, text) = run("swaks", words(&args)).await;
        assert!(ok, "{text}");
    }
    let mails = listener.mails();
    assert_eq!(mails.iter().map(|m| m.envelope.tls).collect::<Vec<_>>(), [false, true]);
    for mail in &mails {
        assert_eq!(mail.envelope.mail_from.as_deref(), Some("ada@north.example"));
        assert_eq!(mail.envelope.recipients, ["bob@south.example", "carol@south.example"]);
        assert_eq!(mail.envelope.owners, ["bob@south.example", "carol@south.example"].map(owner));
        assert!(mail.bytes.windows(6).any(|w| w == b"\r\n.dot"), "dots are unstuffed");
    }
}

#[tokio::test]
async fn a_replaced_tls_certificate_is_used_by_the_next_connection() {
    let listener = listen(settings()).await;
    for name in ["old.example", "new.example"] {
        listener.tls.set(tls_config(name).0);
        let connect = format!("127.0.0.1:{}", listener.address.port());
        let args = format!("s_client -starttls smtp -connect {connect} -verify_hostname {name} -brief");
        let (_, text) = run("openssl", words(&args)).await;
        assert!(
            !text.contains("hostname mismatch") && text.contains("CONNECTION ESTABLISHED"),
            "{name}: {text}"
        );
    }
}

#[tokio::test]
async fn smtp_source_of_postfix_delivers_many_messages_at_once() {
    let listener = listen(settings()).await;
    let to = format!("127.0.0.1:{}", listener.address.port());
    let args = format!("-s 10 -m 100 -l 20000 -f ada@north.example -t bob@south.example {to}");
    let (ok, text) = run("smtp-source", words(&args)).await;
    assert!(ok, "{text}");
    assert_eq!(listener.mails().len(), 100);
    assert!(listener.mails().iter().all(|m| m.bytes.len() >= 20_000));
}

#[tokio::test]
async fn extensions_are_announced_and_starttls_only_when_it_can_be_used() {
    let listener = listen(settings()).await;
    let without = listener.talk(|mut t| t.ask("EHLO client.example")).await;
    for extension in ["SIZE 67108864", "PIPELINING", "8BITMIME", "ENHANCEDSTATUSCODES"] {
        assert!(without.contains(extension), "{without}");
    }
    assert!(!without.contains("STARTTLS"));
    listener.tls.set(tls_config("mx.south.example").0);
    assert!(listener.talk(|mut t| t.ask("EHLO client.example")).await.contains("STARTTLS"));
}

#[tokio::test]
async fn commands_out_of_order_unknown_or_malformed_get_the_proper_codes() {
    let listener = listen(settings()).await;
    listener
        .talk(|mut t| {
            for (command, code) in [
                ("MAIL FROM:<a@north.example>", "503"),
                ("RCPT TO:<b@south.example>", "503"),
                ("DATA", "503"),
                ("EHLO", "501"),
                ("FROBNICATE", "500"),
                ("AUTH PLAIN AGEAYg==", "502"),
                ("HELO client.example", "250"),
                ("VRFY bob", "252"),
                ("RCPT TO:<b@south.example>", "503"),
                ("MAIL FROM:a@north.example", "501"),
                ("MAIL FROM:<a@north.example> FOO=bar", "555"),
                ("MAIL FROM:<a@north.example> SIZE=67108865", "552"),
                ("MAIL FROM:<a@north.example> SIZE=67108864 BODY=8BITMIME", "250"),
                ("MAIL FROM:<a@north.example>", "503"),
                ("DATA", "503"),
                ("RCPT TO:<gone@south.example>", "550"),
                ("RCPT TO:<b@south.example>", "250"),
                ("RSET", "250"),
                ("DATA", "503"),
                ("NOOP", "250"),
                ("STARTTLS", "502"),
                ("QUIT", "221"),
            ] {
                let reply = t.ask(command);
                assert!(reply.starts_with(code), "{command}: {reply}");
            }
            assert!(t.is_closed());
        })
        .await;
}

#[tokio::test]
async fn pipelined_commands_are_answered_in_order_and_the_refused_recipient_is_left_out() {
    let listener = listen(settings()).await;
    let last = listener
        .talk(|mut t| {
            t.send(
                "EHLO c.example\r\nMAIL FROM:<>\r\nRCPT TO:<gone@south.example>\r\nRCPT TO:<bob@south.example>\r\nDATA\r\n",
            );
            let codes: Vec<_> = (0..5).map(|_| t.reply()[..3].to_owned()).collect();
            assert_eq!(codes, ["250", "250", "550", "250", "354"]);
            t.send("Subject: x\r\n\r\nhello\r\n.\r\nQUIT\r\n");
            (t.reply(), t.reply())
        })
        .await;
    assert!(last.0.starts_with("250") && last.1.starts_with("221"));
    let mail = &listener.mails()[0];
    assert_eq!(
        (&mail.envelope.mail_from, &mail.envelope.recipients[..]),
        (&None, &["bob@south.example".to_owned()][..])
    );
    assert_eq!(mail.envelope.owners, [owner("bob@south.example")]);
    assert_eq!(mail.bytes, b"Subject: x\r\n\r\nhello\r\n");
}

#[tokio::test]
async fn a_message_hidden_behind_wrong_line_ends_is_refused_and_never_split() {
    let listener = listen(settings()).await;
    let hidden = "MAIL FROM:<eve@east.example>\r\nRCPT TO:<bob@south.example>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n";
    for end in ["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r\n.\r", "\n\n.\r\r\n"] {
        let reply = listener
            .talk(move |mut t| t.begin().send(format!("Subject: y\r\n\r\nz{end}{hidden}.\r\n")).reply())
            .await;
        assert!(reply.starts_with("550 5.6.0"), "{end:?}: {reply}");
    }
    assert!(listener.mails().is_empty());
    assert_eq!(*listener.store.dropped.lock().unwrap(), 6);
}

#[tokio::test]
async fn a_command_line_that_ends_in_a_bare_line_feed_ends_the_connection() {
    let listener = listen(settings()).await;
    let (reply, closed) = listener
        .talk(|mut t| {
            t.send("EHLO c.example\nMAIL FROM:<a@north.example>\r\n");
            (t.reply(), t.is_closed())
        })
        .await;
    assert!(reply.starts_with("500") && closed, "{reply}");
}

#[tokio::test]
async fn commands_sent_before_the_tls_handshake_are_not_executed() {
    let listener = listen(settings()).await;
    listener.tls.set(tls_config("mx.south.example").0);
    let (reply, closed) = listener
        .talk(|mut t| {
            t.ask("EHLO c.example");
            t.send("STARTTLS\r\nMAIL FROM:<eve@east.example>\r\n");
            (t.reply(), t.is_closed())
        })
        .await;
    assert!(reply.starts_with("554") && closed, "{reply}");
}

#[tokio::test]
async fn mail_without_tls_is_refused_where_tls_is_required() {
    let listener = listen(ServerSettings { require_tls: true, ..settings() }).await;
    let reply = listener
        .talk(|mut t| {
            t.ask("EHLO c.example");
            t.ask("MAIL FROM:<a@north.example>")
        })
        .await;
    assert!(reply.starts_with("530"), "{reply}");
}

#[tokio::test]
async fn the_size_limit_holds_while_the_message_streams_and_the_connection_goes_on() {
    let listener = listen(ServerSettings { max_size: 100_000, ..settings() }).await;
    let line = format!("{}\r\n", "x".repeat(98));
    let fits = line.repeat(1000);
    let too_large = format!("{fits}y\r\n");
    let replies = listener
        .talk(move |mut t| {
            let first = t.begin().send(format!("{too_large}.\r\n")).reply();
            let second = t.begin().send(format!("{fits}.\r\n")).reply();
            (first, second)
        })
        .await;
    assert!(replies.0.starts_with("552 5.3.4") && replies.1.starts_with("250"), "{replies:?}");
    assert_eq!(listener.mails().iter().map(|m| m.bytes.len()).collect::<Vec<_>>(), [100_000]);
}

#[tokio::test]
async fn an_endless_message_is_cut_off() {
    let listener = listen(ServerSettings { max_size: 10_000, ..settings() }).await;
    let reply = listener
        .talk(|mut t| {
            t.begin();
            let block = "x".repeat(998) + "\r\n";
            // the listener may close before all is sent
            for _ in 0..30 {
                if t.0.get_mut().write_all(block.as_bytes()).is_err() {
                    break;
                }
            }
            t.reply()
        })
        .await;
    assert!(reply.starts_with("552"), "{reply}");
    assert!(listener.mails().is_empty());
}

#[tokio::test]
async fn a_message_is_streamed_and_never_buffered_whole() {
    let listener = listen(settings()).await;
    let size = 8 << 20;
    let block = format!("{}\r\n", "z".repeat(1022)).repeat(size / 1024);
    let reply = listener.talk(move |mut t| t.begin().send(format!("{block}.\r\n")).reply()).await;
    assert!(reply.starts_with("250"), "{reply}");
    let chunks = listener.store.chunks.lock().unwrap().clone();
    assert_eq!(chunks.iter().sum::<usize>(), size);
    assert!(chunks.iter().all(|c| *c <= 256 << 10), "largest piece {:?}", chunks.iter().max());
}

#[tokio::test]
async fn a_message_is_confirmed_only_once_it_is_durable() {
    let listener = listen(settings()).await;
    let replies = listener
        .talk(|mut t| {
            t.ask("EHLO c.example");
            t.ask("MAIL FROM:<a@north.example>");
            t.ask("RCPT TO:<full@south.example>");
            t.ask("DATA");
            let full = t.send("x\r\n.\r\n").reply();
            t.ask("MAIL FROM:<a@north.example>");
            t.ask("RCPT TO:<busy@south.example>");
            (full, t.ask("DATA"))
        })
        .await;
    assert!(replies.0.starts_with("452 4.3.1 No space left"), "{}", replies.0);
    assert!(replies.1.starts_with("451"), "{}", replies.1);
    assert!(listener.mails().is_empty());
}

#[tokio::test]
async fn a_connection_lost_in_the_middle_of_a_message_leaves_nothing_behind() {
    let mut listener = listen(settings()).await;
    listener
        .talk(|mut t| {
            t.begin().send("Subject: half\r\n\r\nhal");
        })
        .await;
    listener.shutdown.cancel();
    (&mut listener.running).await.unwrap().unwrap();
    assert!(listener.mails().is_empty());
    assert_eq!(*listener.store.dropped.lock().unwrap(), 1);
}

#[tokio::test]
async fn silent_and_trickling_clients_are_disconnected() {
    let listener = listen(ServerSettings { idle_timeout: Duration::from_millis(1500), ..settings() }).await;
    let (command, data) = listener
        .talk(|mut t| {
            // half a command line counts as silence too
            let command = t.send("EHL").reply();
            let mut other = Talk::to(t.0.get_ref().peer_addr().unwrap());
            (command, other.begin().send("Subject: x\r\n").reply())
        })
        .await;
    assert!(command.starts_with("421"), "{command}");
    assert!(data.starts_with("421"), "{data}");
    assert!(listener.mails().is_empty());
}

#[tokio::test]
async fn a_message_that_comes_too_slowly_is_aborted() {
    let slow = ServerSettings { min_data_rate: u64::MAX, data_rate_grace: Duration::ZERO, ..settings() };
    let listener = listen(slow).await;
    let reply = listener.talk(|mut t| t.begin().send("Subject: x\r\n").reply()).await;
    assert!(reply.starts_with("421"), "{reply}");
    assert_eq!(*listener.store.dropped.lock().unwrap(), 1);
}

#[tokio::test]
async fn long_lines_many_errors_and_many_empty_commands_end_the_connection() {
    let listener = listen(ServerSettings { max_errors: 5, ..settings() }).await;
    let long = listener.talk(|mut t| (t.send("x".repeat(5000)).reply(), t.is_closed())).await;
    assert!(long.0.starts_with("500"), "{}", long.0);
    let errors = listener.talk(|mut t| (0..6).map(|_| t.ask("XYZZY")).collect::<String>()).await;
    assert!(errors.contains("421 4.7.0 Too many errors"), "{errors}");
    let idle = listener.talk(|mut t| (0..101).map(|_| t.ask("NOOP")).collect::<String>()).await;
    assert!(idle.contains("421"), "{idle}");
}

#[tokio::test]
async fn recipients_and_connections_are_capped() {
    let limits = Limits { total: 2, reserve: 0, per_address: 2, per_network: 2, per_known_address: 2 };
    let caps = ServerSettings { max_recipients: 2, limits, ..settings() };
    let listener = listen(caps).await;
    let codes = listener
        .talk(|mut t| {
            t.ask("EHLO c.example");
            t.ask("MAIL FROM:<a@north.example>");
            let codes: Vec<_> =
                (0..3).map(|n| t.ask(&format!("RCPT TO:<r{n}@south.example>"))[..3].to_owned()).collect();
            let address = t.0.get_ref().peer_addr().unwrap();
            let _second = Talk::to(address);
            let mut third = String::new();
            BufReader::new(TcpStream::connect(address).unwrap()).read_line(&mut third).unwrap();
            (codes, third)
        })
        .await;
    assert_eq!(codes.0, ["250", "250", "452"]);
    assert!(codes.1.starts_with("421"), "{}", codes.1);
}

#[tokio::test]
async fn connections_that_only_wait_make_room_when_there_is_little() {
    let limits = Limits { total: 3, reserve: 0, per_address: 3, per_network: 3, per_known_address: 3 };
    let busy_timeout = Duration::from_millis(200);
    let listener = listen(ServerSettings { limits, busy_timeout, ..settings() }).await;
    let said = listener
        .talk(|mut sending| {
            sending.begin();
            let mut idle = Talk::to(sending.0.get_ref().peer_addr().unwrap());
            (idle.reply(), sending.send("Subject: slow\r\n\r\nx\r\n.\r\n").reply())
        })
        .await;
    assert!(said.0.starts_with("421"), "{}", said.0);
    assert!(said.1.starts_with("250"), "{}", said.1);
}

#[tokio::test]
async fn shutting_down_finishes_a_running_message_and_disconnects_idle_clients() {
    let mut listener = listen(settings()).await;
    let (shutdown, address) = (listener.shutdown.clone(), listener.address);
    let (idle, message) = tokio::task::spawn_blocking(move || {
        let (mut idle, mut busy) = (Talk::to(address), Talk::to(address));
        idle.ask("EHLO c.example");
        busy.begin();
        shutdown.cancel();
        let idle = idle.reply();
        (idle, busy.send("Subject: last\r\n\r\nx\r\n.\r\n").reply())
    })
    .await
    .unwrap();
    assert!(idle.starts_with("421") && message.starts_with("250"), "{idle} {message}");
    (&mut listener.running).await.unwrap().unwrap();
    assert_eq!(listener.mails().len(), 1);
}
