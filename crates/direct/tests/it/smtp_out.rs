//! The client, against our listener, Postfix and servers that misbehave.

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use direct::dns::Tlsa;
use direct::smtp::client::{
    ClientTimeouts, DeliveryReport, OutgoingEnvelope, RecipientOutcome, SmtpClient, Target, TlsDemand,
    TlsMode, TlsState,
};
use direct::smtp::server::ServerSettings;
use rustls::RootCertStore;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::smtp_in::{listen, settings, tls_config};
use crate::support::*;

const MESSAGE: &str = "Subject: x\r\n\r\n.\r\n..two\r\nend\r\n";

fn client(tls: TlsMode) -> SmtpClient {
    client_trusting(tls, RootCertStore::empty())
}

fn client_trusting(tls: TlsMode, roots: RootCertStore) -> SmtpClient {
    let limit = Duration::from_secs(20);
    let silence = Duration::from_millis(100);
    let timeouts =
        ClientTimeouts { connect: limit, command: limit, data_block: limit, data_end: limit, silence };
    SmtpClient::new("mx.north.example", tls, timeouts, roots)
}

fn to(addresses: &[SocketAddr]) -> Vec<Target> {
    vec![Target { host: "mx.south.example".into(), addresses: addresses.to_vec(), tls: TlsDemand::None }]
}

fn envelope(recipients: &[&str]) -> OutgoingEnvelope {
    let recipients = recipients.iter().map(|r| addr(r)).collect();
    OutgoingEnvelope { mail_from: Some(addr("ada@north.example")), recipients }
}

async fn deliver(client: &SmtpClient, targets: &[Target], recipients: &[&str]) -> DeliveryReport {
    deliver_text(client, targets, recipients, MESSAGE).await
}

async fn deliver_text(
    client: &SmtpClient,
    targets: &[Target],
    recipients: &[&str],
    text: &str,
) -> DeliveryReport {
    client.deliver(targets, &envelope(recipients), text.len() as u64, &mut text.as_bytes()).await
}

fn outcomes(report: &DeliveryReport) -> Vec<&RecipientOutcome> {
    report.recipients.iter().map(|(_, outcome)| outcome).collect()
}

/// A server that sends these lines, each after the client's next one, and then hangs up.
async fn scripted(script: &'static [&'static str]) -> SocketAddr {
    scripted_each(vec![script]).await
}

/// The same with one script for each connection, one connection after the other.
async fn scripted_each(scripts: Vec<&'static [&'static str]>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for script in scripts {
            let (stream, _) = listener.accept().await.unwrap();
            follow(script, BufReader::new(stream)).await;
        }
    });
    address
}

async fn follow(script: &[&str], mut stream: BufReader<TcpStream>) {
    for (i, reply) in script.iter().enumerate() {
        let mut line = String::new();
        while i > 0 && !line.ends_with('\n') {
            if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            if script[i - 1].contains("354 ") && line != ".\r\n" {
                line.clear();
            }
        }
        stream.write_all(reply.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn a_message_arrives_byte_for_byte_over_starttls() {
    let listener = listen(settings()).await;
    listener.tls.set(tls_config("mx.south.example").0);
    let report =
        deliver(&client(TlsMode::Opportunistic), &to(&[listener.address]), &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
    assert_eq!((report.tls, report.host.as_deref()), (TlsState::Encrypted, Some("mx.south.example")));
    let mail = &listener.mails()[0];
    assert_eq!(mail.bytes, MESSAGE.as_bytes());
    assert!(mail.envelope.tls);
    assert_eq!(mail.envelope.declared_size, Some(MESSAGE.len() as u64));
    assert_eq!(mail.envelope.helo, "mx.north.example");
}

#[tokio::test]
async fn messages_to_one_server_follow_each_other_on_one_connection() {
    let listener = listen(settings()).await;
    listener.tls.set(tls_config("mx.south.example").0);
    let (client, targets) = (client(TlsMode::Opportunistic), to(&[listener.address]));
    for _ in 0..3 {
        let report = deliver(&client, &targets, &["bob@south.example"]).await;
        assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
        assert_eq!((report.tls, report.size_limit), (TlsState::Encrypted, Some(settings().max_size)));
    }
    let mails = listener.mails();
    assert_eq!(mails.len(), 3);
    assert!(mails.iter().all(|mail| mail.envelope.peer == mails[0].envelope.peer && mail.envelope.tls));
}

#[tokio::test]
async fn a_server_that_never_greets_holds_up_only_a_few_messages_to_its_own_recipients() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nowhere = to(&[silent.local_addr().unwrap()]);
    let client = client(TlsMode::Opportunistic);
    let (mut held, mut connections) = (tokio::task::JoinSet::new(), Vec::new());
    for _ in 0..3 {
        let (client, nowhere) = (client.clone(), nowhere.clone());
        held.spawn(async move { deliver(&client, &nowhere, &["bob@south.example"]).await });
        connections.push(silent.accept().await.unwrap());
    }
    let report = deliver(&client, &nowhere, &["bob@south.example"]).await;
    let [RecipientOutcome::Deferred { text, .. }] = outcomes(&report)[..] else { panic!("{report:?}") };
    assert_eq!(text, "Other messages wait for the mail server to answer.");
    let listener = listen(settings()).await;
    let speaking =
        [Target { host: "mx.east.example".into(), addresses: vec![listener.address], tls: TlsDemand::None }];
    let report = deliver(&client, &speaking, &["eve@east.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
    assert!(held.try_join_next().is_none(), "the others still wait for it");
}

#[tokio::test]
async fn after_a_refused_recipient_the_next_message_gets_a_connection_of_its_own() {
    let listener = listen(settings()).await;
    let (client, targets) = (client(TlsMode::Opportunistic), to(&[listener.address]));
    for recipient in ["bob@south.example", "gone@south.example", "bob@south.example"] {
        deliver(&client, &targets, &[recipient]).await;
    }
    let mails = listener.mails();
    assert_eq!(mails.len(), 2);
    assert_ne!(mails[0].envelope.peer, mails[1].envelope.peer);
}

#[tokio::test]
async fn a_server_that_closed_an_idle_connection_gets_the_next_message_on_a_new_one() {
    const TAKES_ONE: &[&str] =
        &["220 mx\r\n", "250 mx\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", "250 taken\r\n"];
    const SAYS_421: &[&str] = &[
        "220 mx\r\n",
        "250 mx\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "354 go\r\n",
        "250 taken\r\n",
        "421 closing\r\n",
    ];
    let server = scripted_each(vec![TAKES_ONE, SAYS_421, TAKES_ONE]).await;
    let client = client(TlsMode::Never);
    for _ in 0..3 {
        let report = deliver(&client, &to(&[server]), &["bob@south.example"]).await;
        assert_eq!(outcomes(&report), [&RecipientOutcome::Accepted { text: "taken".into() }]);
    }
}

#[tokio::test]
async fn each_recipient_gets_an_outcome_with_the_reply_of_the_server() {
    let listener = listen(settings()).await;
    let recipients = ["bob@south.example", "gone@south.example", "carol@south.example"];
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[listener.address]), &recipients).await;
    let refused = RecipientOutcome::Refused { code: Some(550), text: "5.1.1 No such mailbox here".into() };
    assert!(matches!(outcomes(&report)[0], RecipientOutcome::Accepted { .. }));
    assert_eq!(*outcomes(&report)[1], refused);
    assert!(matches!(outcomes(&report)[2], RecipientOutcome::Accepted { .. }));
    assert_eq!(listener.mails()[0].envelope.recipients, ["bob@south.example", "carol@south.example"]);
    let nobody =
        deliver(&client(TlsMode::Opportunistic), &to(&[listener.address]), &["gone@south.example"]).await;
    assert_eq!(outcomes(&nobody), [&refused]);
    assert_eq!(listener.mails().len(), 1, "without recipients nothing is sent");
}

#[tokio::test]
async fn a_message_larger_than_the_announced_size_is_not_sent() {
    let listener = listen(ServerSettings { max_size: 20, ..settings() }).await;
    let report =
        deliver(&client(TlsMode::Opportunistic), &to(&[listener.address]), &["bob@south.example"]).await;
    assert_eq!(report.size_limit, Some(20));
    match outcomes(&report)[0] {
        RecipientOutcome::Refused { code: None, text } => assert!(text.contains("at most 20"), "{text}"),
        other => panic!("{other:?}"),
    }
    assert!(listener.store.chunks.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failing_commit_of_the_other_side_is_temporary() {
    let listener = listen(settings()).await;
    let report =
        deliver(&client(TlsMode::Opportunistic), &to(&[listener.address]), &["full@south.example"]).await;
    let expected = RecipientOutcome::Deferred { code: Some(452), text: "4.3.1 No space left".into() };
    assert_eq!(outcomes(&report), [&expected]);
}

#[tokio::test]
async fn required_tls_is_never_skipped_and_verified_tls_checks_the_certificate() {
    let listener = listen(settings()).await;
    let targets = to(&[listener.address]);
    for mode in [TlsMode::Required, TlsMode::Verified] {
        let report = deliver(&client(mode), &targets, &["bob@south.example"]).await;
        assert!(
            matches!(outcomes(&report)[..], [RecipientOutcome::Deferred { code: None, .. }]),
            "{report:?}"
        );
    }
    let (config, certificate) = tls_config("mx.south.example");
    listener.tls.set(config);
    let report = deliver(&client(TlsMode::Required), &targets, &["bob@south.example"]).await;
    assert_eq!(report.tls, TlsState::Encrypted);
    let untrusting = deliver(&client(TlsMode::Verified), &targets, &["bob@south.example"]).await;
    assert!(matches!(outcomes(&untrusting)[..], [RecipientOutcome::Deferred { .. }]));
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let report =
        deliver(&client_trusting(TlsMode::Verified, roots.clone()), &targets, &["bob@south.example"]).await;
    assert_eq!(report.tls, TlsState::Verified, "{report:?}");
    let elsewhere = vec![Target {
        host: "other.example".into(),
        addresses: vec![listener.address],
        tls: TlsDemand::None,
    }];
    let report =
        deliver(&client_trusting(TlsMode::Verified, roots), &elsewhere, &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Deferred { .. }]));
    assert_eq!(listener.mails().len(), 2);
}

#[tokio::test]
async fn what_a_host_demands_is_held_to_whatever_the_client_would_do() {
    let listener = listen(settings()).await;
    let kept = client(TlsMode::Opportunistic);
    let send_by = async |client: &SmtpClient, tls: TlsDemand| {
        let targets = [Target { host: "mx.south.example".into(), addresses: vec![listener.address], tls }];
        let report = deliver(client, &targets, &["bob@south.example"]).await;
        let accepted = matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]);
        (accepted, report.tls)
    };
    let send = async |tls: TlsDemand| send_by(&kept, tls).await;
    let certificate_hash = |usage, selector, certificate: &[u8]| {
        let x509 = openssl::x509::X509::from_der(certificate).unwrap();
        let key = x509.public_key().unwrap().public_key_to_der().unwrap();
        let bytes = if selector == 0 { certificate } else { &key };
        let data = openssl::sha::sha256(bytes).to_vec();
        TlsDemand::Dane([Tlsa { usage, selector, matching: 1, data }].into())
    };
    let (config, certificate) = tls_config("mx.south.example");
    let right = certificate_hash(3, 1, &certificate);
    for demand in [TlsDemand::Encrypted, TlsDemand::Verified, right.clone()] {
        assert!(!send(demand.clone()).await.0, "without STARTTLS: {demand:?}");
    }
    assert_eq!(send(TlsDemand::None).await, (true, TlsState::Plain));
    listener.tls.set(config);
    assert_eq!(
        send(TlsDemand::Encrypted).await,
        (true, TlsState::Encrypted),
        "the plain connection is not used"
    );
    assert!(!send(TlsDemand::Verified).await.0, "nobody vouches for the certificate");
    assert_eq!(send(right).await, (true, TlsState::Dane));
    assert_eq!(send(certificate_hash(3, 0, &certificate)).await, (true, TlsState::Dane));
    let (_, other) = tls_config("mx.south.example");
    for wrong in [certificate_hash(3, 1, &other), certificate_hash(2, 0, &other)] {
        assert!(!send_by(&client(TlsMode::Opportunistic), wrong).await.0, "another certificate");
    }
    let unusable = TlsDemand::Dane([Tlsa { usage: 0, selector: 0, matching: 1, data: vec![0; 32] }].into());
    assert_eq!(
        send_by(&client(TlsMode::Opportunistic), unusable).await,
        (true, TlsState::Encrypted),
        "records that cannot be used ask for encryption"
    );
}

#[tokio::test]
async fn opportunistic_tls_falls_back_to_plain_text_when_starttls_fails() {
    let (listener, broken) = (
        listen(settings()).await,
        scripted(&["220 mx\r\n", "250-mx\r\n250 STARTTLS\r\n", "454 TLS not available\r\n"]).await,
    );
    // the second connection of the scripted server is refused: the next address accepts the message
    let targets = to(&[broken, listener.address]);
    let report = deliver(&client(TlsMode::Opportunistic), &targets, &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_or_is_busy_is_passed_over() {
    let gone = SocketAddr::from(([127, 0, 0, 1], testports::free_port()));
    let busy = scripted(&["421 too busy\r\n"]).await;
    let listener = listen(settings()).await;
    let all = to(&[gone, busy, listener.address]);
    let report = deliver(&client(TlsMode::Opportunistic), &all, &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[gone]), &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Deferred { code: None, .. }]), "{report:?}");
    let report = deliver(&client(TlsMode::Opportunistic), &[], &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Deferred { code: None, .. }]), "{report:?}");
}

#[tokio::test]
async fn a_connection_lost_after_the_end_of_data_is_unconfirmed_and_before_it_is_temporary() {
    let after = scripted(&["220 mx\r\n", "250 mx\r\n", "250 ok\r\n", "250 ok\r\n", "354 go\r\n", ""]).await;
    let report = deliver(&client(TlsMode::Never), &to(&[after]), &["bob@south.example"]).await;
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Unconfirmed { .. }]), "{report:?}");
    for script in [
        &["220 mx\r\n", "250 mx\r\n", "250 ok\r\n", "250 ok\r\n"][..],
        &["220 mx\r\n", "250 mx\r\n", "250 ok\r\n"],
        &["220 mx\r\n"],
        &["hello, no mail server here\r\n"],
    ] {
        let report =
            deliver(&client(TlsMode::Never), &to(&[scripted(script).await]), &["bob@south.example"]).await;
        assert!(
            matches!(outcomes(&report)[..], [RecipientOutcome::Deferred { code: None, .. }]),
            "{report:?}"
        );
    }
}

#[tokio::test]
async fn refusals_of_sender_and_message_count_for_every_recipient() {
    let both = ["bob@south.example", "carol@south.example"];
    let sender = scripted(&["220 mx\r\n", "250 mx\r\n", "550-5.7.1 Sender\r\n550 5.7.1 blocked\r\n"]).await;
    let report = deliver(&client(TlsMode::Never), &to(&[sender]), &both).await;
    let blocked = RecipientOutcome::Refused { code: Some(550), text: "5.7.1 Sender 5.7.1 blocked".into() };
    assert_eq!(outcomes(&report), [&blocked, &blocked]);
    let message = scripted(&[
        "220 mx\r\n",
        "250 mx\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "450 later\r\n",
        "354 go\r\n",
        "554 no\r\n",
        "221 bye\r\n",
    ])
    .await;
    let report = deliver(&client(TlsMode::Never), &to(&[message]), &both).await;
    let refused = RecipientOutcome::Refused { code: Some(554), text: "no".into() };
    let later = RecipientOutcome::Deferred { code: Some(450), text: "later".into() };
    assert_eq!(outcomes(&report), [&refused, &later]);
}

#[tokio::test]
async fn a_server_that_takes_commands_in_one_go_gets_data_with_the_envelope() {
    // Nothing is answered before the last of the three.
    let together = "250 ok\r\n250 ok\r\n354 go on\r\n";
    let greeting = ["220 mx\r\n", "250-mx\r\n250 PIPELINING\r\n", "", ""];
    let script: &[&str] = [&greeting[..], &[together, "250 taken\r\n"]].concat().leak();
    let server = scripted(script).await;
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[server]), &["bob@south.example"]).await;
    let taken = RecipientOutcome::Accepted { text: "taken".into() };
    assert_eq!(outcomes(&report), [&taken], "{report:?}");
}

#[tokio::test]
async fn a_server_that_waits_for_a_message_to_nobody_gets_none() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap();
    let more = tokio::spawn(async move {
        let mut stream = BufReader::new(listener.accept().await.unwrap().0);
        for (reply, lines) in [
            ("220 mx\r\n", 1),
            ("250-mx\r\n250 PIPELINING\r\n", 3),
            ("250 ok\r\n550 who?\r\n354 go on\r\n", 0),
        ] {
            stream.write_all(reply.as_bytes()).await.unwrap();
            for _ in 0..lines {
                stream.read_line(&mut String::new()).await.unwrap();
            }
        }
        let mut more = String::new();
        stream.read_to_string(&mut more).await.map(|_| more)
    });
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[server]), &["bob@south.example"]).await;
    let refused = RecipientOutcome::Refused { code: Some(550), text: "who?".into() };
    assert_eq!(outcomes(&report), [&refused], "{report:?}");
    assert_eq!(more.await.unwrap().unwrap(), "");
}

#[tokio::test]
async fn a_server_that_knows_only_helo_gets_its_mail() {
    let old = scripted(&[
        "220 mx\r\n",
        "502 what?\r\n",
        "250 mx\r\n",
        "250 ok\r\n",
        "250 ok\r\n",
        "354 go\r\n",
        "250 taken\r\n",
        "221 bye\r\n",
    ])
    .await;
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[old]), &["bob@south.example"]).await;
    assert_eq!(outcomes(&report), [&RecipientOutcome::Accepted { text: "taken".into() }]);
}

/// Postfix in a separate folder, on a high port, relaying everything to one address. Stopped when dropped.
struct Postfix {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl Postfix {
    fn run(&self, command: &str) -> bool {
        let config = self.folder.path().join("etc");
        let mut postfix = Command::new("postfix");
        postfix.arg("-c").arg(config).arg(command).stdout(Stdio::null()).stderr(Stdio::null());
        postfix.status().expect("Postfix is installed").success()
    }

    /// Starts a Postfix that accepts mail for south.example and passes it to `next`.
    fn start(next: SocketAddr) -> Option<Self> {
        if !is_root() {
            assert!(
                std::env::var("CI").as_deref() != Ok("true"),
                "CI runs as root, so that Postfix can be started"
            );
            eprintln!("skipped: Postfix can be started by root only");
            return None;
        }
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        // Postfix drops its rights and must still be able to access its own folders
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let port = testports::free_port();
        let path = folder.path().display().to_string();
        for name in ["etc", "queue", "data"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let own = Command::new("chown").args(["postfix", &format!("{path}/data")]).status().unwrap();
        assert!(own.success());
        let main = format!(
            "compatibility_level = 3.6\nqueue_directory = {path}/queue\ndata_directory = {path}/data\n\
             maillog_file = {path}/log\nmaillog_file_prefixes = /\nmyhostname = mx.relay.example\n\
             mydestination =\nrelay_domains = south.example\nlocal_recipient_maps =\nalias_maps =\n\
             relayhost = [127.0.0.1]:{}\nsmtp_tls_security_level = may\nsmtp_dns_support_level = disabled\n\
             inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks =\nbounce_queue_lifetime = 0\n\
             smtpd_relay_restrictions = reject_unauth_destination\nmessage_size_limit = 70000000\nmailbox_size_limit = 0\n",
            next.port()
        );
        let services = "pickup unix n - n 60 1 pickup\ncleanup unix n - n - 0 cleanup\nqmgr unix n - n 300 1 qmgr\n\
             rewrite unix - - n - - trivial-rewrite\nbounce unix - - n - 0 bounce\ndefer unix - - n - 0 bounce\n\
             trace unix - - n - 0 bounce\nsmtp unix - - n - - smtp\nrelay unix - - n - - smtp\n\
             error unix - - n - - error\nretry unix - - n - - error\nanvil unix - - n - 1 anvil\n\
             scache unix - - n - 1 scache\ntlsmgr unix - - n 1000? 1 tlsmgr\nproxymap unix - - n - - proxymap\n\
             postlog unix-dgram n - n - 1 postlogd\n";
        std::fs::write(folder.path().join("etc/main.cf"), main).unwrap();
        let master = format!("127.0.0.1:{port} inet n - n - - smtpd\n{services}");
        std::fs::write(folder.path().join("etc/master.cf"), master).unwrap();
        let postfix = Self { folder, address: SocketAddr::from(([127, 0, 0, 1], port)) };
        assert!(postfix.run("start"), "postfix did not start: {}", postfix.log());
        Some(postfix)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        self.run("stop");
    }
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout == b"0\n"
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_passes_from_our_client_through_postfix_into_our_listener_unchanged() {
    let listener = listen(settings()).await;
    listener.tls.set(tls_config("mx.south.example").0);
    let next = listener.address;
    let Some(postfix) = tokio::task::spawn_blocking(move || Postfix::start(next)).await.unwrap() else {
        return;
    };
    let large = format!("Subject: large\r\n\r\n{}", "..dots and a long line of text\r\n".repeat(40_000));
    for text in [MESSAGE, &large] {
        let recipients = ["bob@south.example", "carol@elsewhere.example"];
        let report =
            deliver_text(&client(TlsMode::Opportunistic), &to(&[postfix.address]), &recipients, text).await;
        assert!(matches!(outcomes(&report)[0], RecipientOutcome::Accepted { .. }), "{report:?}");
        match outcomes(&report)[1] {
            RecipientOutcome::Refused { code: Some(554), text } => {
                assert!(text.contains("Relay access denied"))
            }
            other => panic!("{other:?}"),
        }
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    while listener.mails().len() < 2 {
        assert!(Instant::now() < deadline, "Postfix did not deliver: {}", postfix.log());
        tokio::task::yield_now().await;
    }
    let mut mails = listener.mails();
    mails.sort_by_key(|m| m.bytes.len());
    for (mail, text) in mails.iter().zip([MESSAGE, &large]) {
        let arrived = String::from_utf8(mail.bytes.clone()).unwrap();
        let body = text.split_once("\r\n\r\n").unwrap().1;
        assert!(arrived.ends_with(body));
        assert!(mail.envelope.tls, "Postfix used STARTTLS");
    }
    tokio::task::spawn_blocking(move || drop(postfix)).await.unwrap();
}

#[tokio::test]
async fn smtp_sink_of_postfix_takes_what_we_send() {
    let port = testports::free_port();
    let mut arguments = vec![format!("127.0.0.1:{port}"), "10".to_owned()];
    if is_root() {
        arguments.splice(0..0, ["-u".to_owned(), "nobody".to_owned()]);
    }
    let mut sink = Command::new("smtp-sink").args(arguments).stderr(Stdio::null()).spawn().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let deadline = Instant::now() + Duration::from_secs(20);
    while tokio::net::TcpStream::connect(address).await.is_err() {
        assert!(Instant::now() < deadline, "smtp-sink did not start");
        tokio::task::yield_now().await;
    }
    let report = deliver(&client(TlsMode::Opportunistic), &to(&[address]), &["bob@south.example"]).await;
    sink.kill().unwrap();
    sink.wait().unwrap();
    assert!(matches!(outcomes(&report)[..], [RecipientOutcome::Accepted { .. }]), "{report:?}");
}
