//! Finding certificates: the order of the steps, what ends the search, and DNS with an outside server.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine;
use chrono::TimeDelta;
use direct::DirectAddress;
use direct::cert::{Binding, BoundTo, CertificateAuthority, Identity, KeyPurposes, RevokedSerial};
use direct::discovery::{
    CertificateSource, Discovered, Discovery, FoundCertificates, NoCertificate, SourceError, UnusableReason,
};
use direct::dns::{
    CertRecord, DnsClient, DnsError, DnsResponder, DnsSettings, DnsSource, HostedZone, MailHosts,
    PublishedZones, ZonesUnreadable,
};
use direct::smtp::client::{Route, RouteError, Target, TlsDemand, resolve};
use direct::trust::{AnchorSet, Untrusted};
use fetch::AddressGuard;
use testports::free_port;
use tokio_util::sync::CancellationToken;

use crate::support::*;

const BOB: &str = "bob@south.example";

/// A source of invented certificates that records its queries.
#[derive(Debug, Default)]
struct Source {
    name: &'static str,
    certificates: HashMap<&'static str, Vec<Vec<u8>>>,
    broken: bool,
    alone: bool,
    asked: Mutex<Vec<String>>,
}

impl Source {
    fn named(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    fn with(mut self, at: &'static str, of: &[&Identity]) -> Self {
        self.certificates.insert(at, of.iter().map(|i| i.certificate().to_der()).collect());
        self
    }

    fn answer(&self, at: &str) -> FoundCertificates {
        self.asked.lock().unwrap().push(at.to_owned());
        match self.broken {
            true => Err(SourceError { source_name: self.name.into(), reason: "no answer".into() }),
            false => Ok(self.certificates.get(at).cloned().unwrap_or_default()),
        }
    }
}

#[async_trait]
impl CertificateSource for Source {
    fn name(&self) -> &str {
        self.name
    }
    async fn is_authoritative_for(&self, domain: &str) -> bool {
        self.alone && domain == "south.example"
    }
    async fn by_address(&self, address: &DirectAddress) -> FoundCertificates {
        self.answer(address.as_str())
    }
    async fn by_domain(&self, domain: &str) -> FoundCertificates {
        self.answer(domain)
    }
}

struct Search {
    dns: Arc<Source>,
    ldap: Arc<Source>,
}

impl Search {
    async fn find(&self, address: &str, anchors: &AnchorSet) -> Result<Discovered, NoCertificate> {
        let web = Arc::new(Web::default());
        let discovery = Discovery::new(vec![self.dns.clone(), self.ldap.clone()]);
        discovery.find(&addr(address), anchors, &engine(&web), now()).await
    }
}

fn search(dns: Source, ldap: Source) -> Search {
    Search { dns: Arc::new(dns), ldap: Arc::new(ldap) }
}

fn expired(ca: &CertificateAuthority, bound_to: BoundTo) -> Identity {
    let mut wanted = request(bound_to);
    wanted.validity.lasting = TimeDelta::days(3);
    ca.issue_for_key(&wanted, key()).unwrap()
}

fn domain(name: &str) -> BoundTo {
    BoundTo::Domain(name.into())
}

#[tokio::test]
async fn discovery_asks_for_the_address_before_the_domain_and_dns_before_ldap() {
    let ca = authority("CA");
    let in_ldap = for_domain(&ca, "south.example");
    let search = search(Source::named("DNS"), Source::named("LDAP").with("south.example", &[&in_ldap]));
    let found = search.find("Bob+lab@South.example", &anchors(&[&ca])).await.unwrap();
    assert_eq!(found.certificates[0].certificate, *in_ldap.certificate());
    assert_eq!((found.step.source.as_str(), found.step.scope), ("LDAP", Binding::Domain));
    for source in [&search.dns, &search.ldap] {
        assert_eq!(*source.asked.lock().unwrap(), [BOB, "south.example"]);
    }
}

#[tokio::test]
async fn an_address_bound_certificate_wins_and_ends_the_search() {
    let ca = authority("CA");
    let (bob, all) = (for_address(&ca, BOB), for_domain(&ca, "south.example"));
    let dns = Source::named("DNS").with(BOB, &[&bob]).with("south.example", &[&all]);
    let search = search(dns, Source::named("LDAP").with(BOB, &[&all]));
    let found = search.find(BOB, &anchors(&[&ca])).await.unwrap();
    assert_eq!(found.certificates.len(), 1);
    assert_eq!(found.certificates[0].certificate, *bob.certificate());
    assert_eq!(*search.dns.asked.lock().unwrap(), [BOB]);
    assert!(search.ldap.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_first_step_with_any_certificate_ends_the_search_even_when_none_is_usable() {
    let ca = authority("CA");
    let good = for_domain(&ca, "south.example");
    for bad in [expired(&ca, domain("south.example")), for_domain(&authority("Other"), "south.example")] {
        let dns = Source::named("DNS").with(BOB, &[&bad]).with("south.example", &[&good]);
        let search = search(dns, Source::named("LDAP").with(BOB, &[&good]));
        let refused = search.find(BOB, &anchors(&[&ca])).await.unwrap_err();
        assert!(matches!(&refused, NoCertificate::NoneUsable { .. }) && !refused.is_temporary());
        assert_eq!(*search.dns.asked.lock().unwrap(), [BOB]);
        assert!(search.ldap.asked.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn usable_certificates_are_taken_and_each_skipped_one_is_reported_with_its_reason() {
    let ca = authority("CA");
    let mut signing = request(domain("south.example"));
    signing.purposes = KeyPurposes::SIGN;
    let good = [for_domain(&ca, "south.example"), for_address(&ca, BOB)];
    let bad = [
        expired(&ca, domain("south.example")),
        for_domain(&authority("Other"), "south.example"),
        for_domain(&ca, "else.example"),
        ca.issue_for_key(&signing, key()).unwrap(),
    ];
    let all: Vec<_> = bad.iter().chain(&good).collect();
    let found = search(Source::named("DNS").with(BOB, &all), Source::named("LDAP"));
    let found = found.find(BOB, &anchors(&[&ca])).await.unwrap();
    let taken: Vec<_> = found.certificates.iter().map(|c| &c.certificate).collect();
    assert_eq!(taken, [good[0].certificate(), good[1].certificate()]);
    let reasons: Vec<_> = found.skipped.into_iter().map(|s| s.reason).collect();
    let expected = [
        UnusableReason::Untrusted(Untrusted::Expired),
        UnusableReason::Untrusted(Untrusted::NoAnchor),
        UnusableReason::WrongBinding,
        UnusableReason::NotForEncryption,
    ];
    assert_eq!(reasons, expected);
}

#[tokio::test]
async fn a_revoked_certificate_cannot_be_sent_to() {
    let (ca, web) = (authority("CA"), Arc::new(Web::default()));
    let mut wanted = request(domain("south.example"));
    wanted.crl_url = Some("http://pki.example/ca.crl".into());
    let revoked = ca.issue_for_key(&wanted, key()).unwrap();
    let entry = RevokedSerial { serial: revoked.certificate().serial(), at: now() };
    web.put("http://pki.example/ca.crl", ca.crl(1, now(), now() + TimeDelta::days(1), &[entry]).unwrap());
    let source: Arc<dyn CertificateSource> = Arc::new(Source::named("DNS").with(BOB, &[&revoked]));
    let found = Discovery::new(vec![source]).find(&addr(BOB), &anchors(&[&ca]), &engine(&web), now()).await;
    let words = found.unwrap_err().to_string();
    assert_eq!(words, "A certificate was found for bob@south.example, but it was revoked on 2026-03-02.");
}

#[tokio::test]
async fn finding_nothing_differs_from_not_being_able_to_ask() {
    let set = anchors(&[&authority("CA")]);
    let nothing = search(Source::named("DNS"), Source::named("LDAP")).find(BOB, &set).await.unwrap_err();
    assert_eq!(nothing.to_string(), "No certificate was found for bob@south.example.");
    assert!(!nothing.is_temporary());
    let broken = Source { broken: true, ..Source::named("DNS") };
    let unknown = search(broken, Source::named("LDAP")).find(BOB, &set).await.unwrap_err();
    assert!(unknown.is_temporary(), "{unknown}");
}

#[tokio::test]
async fn a_hosted_domain_is_never_looked_up_outside() {
    let ca = authority("CA");
    let (own, outside) = (for_domain(&ca, "south.example"), for_domain(&ca, "south.example"));
    let hosted = Source { alone: true, ..Source::named("hosted").with("south.example", &[&own]) };
    let with_own = search(hosted, Source::named("DNS").with(BOB, &[&outside]));
    let found = with_own.find(BOB, &anchors(&[&ca])).await.unwrap();
    assert_eq!(found.certificates[0].certificate, *own.certificate());
    let empty = Source { alone: true, ..Source::named("hosted") };
    let without = search(empty, Source::named("DNS").with(BOB, &[&outside]));
    assert!(matches!(without.find(BOB, &anchors(&[&ca])).await, Err(NoCertificate::NotFound(_))));
    assert!(without.ldap.asked.lock().unwrap().is_empty());
}

/// An outside name server, ended when dropped.
struct NameServer {
    process: Child,
    address: SocketAddr,
    _folder: tempfile::TempDir,
}

impl Drop for NameServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// bind9 with one zone `south.example` of these records.
fn bind9(records: &str) -> NameServer {
    let folder = tempfile::tempdir().unwrap();
    let (path, port) = (folder.path().display().to_string(), free_port());
    let head = "$TTL 300\n@ IN SOA ns hostmaster 1 3600 600 86400 300\n@ IN NS ns\nns IN A 127.0.0.1\n";
    std::fs::write(folder.path().join("zone"), format!("{head}{records}")).unwrap();
    let config = format!(
        "options {{ directory \"{path}\"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; \
         recursion no; pid-file none; session-keyfile none; dnssec-validation no; }};\n\
         controls {{ }};\nzone \"south.example\" {{ type primary; file \"zone\"; }};\n"
    );
    std::fs::write(folder.path().join("named.conf"), config).unwrap();
    let process = Command::new("named")
        .args(["-g", "-n", "1", "-c", &format!("{path}/named.conf")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("bind9 is installed");
    NameServer { process, address: SocketAddr::from(([127, 0, 0, 1], port)), _folder: folder }
}

/// knot with one zone `south.example` of these records.
fn knot(records: &str) -> NameServer {
    let folder = tempfile::tempdir().unwrap();
    let (path, port) = (folder.path().display().to_string(), free_port());
    let head = "$ORIGIN south.example.\n$TTL 300\n@ IN SOA ns hostmaster 1 3600 600 86400 300\n@ IN NS ns\nns IN A 127.0.0.1\n";
    std::fs::write(folder.path().join("zone"), format!("{head}{records}")).unwrap();
    let config = format!(
        "server:\n    rundir: \"{path}\"\n    listen: 127.0.0.1@{port}\n    udp-workers: 1\n    tcp-workers: 1\n\
         database:\n    storage: \"{path}\"\ncontrol:\n    listen: \"{path}/knot.sock\"\n\
         zone:\n  - domain: south.example\n    file: \"{path}/zone\"\n"
    );
    std::fs::write(folder.path().join("knot.conf"), config).unwrap();
    let process = Command::new("knotd")
        .args(["-c", &format!("{path}/knot.conf")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("knot is installed");
    NameServer { process, address: SocketAddr::from(([127, 0, 0, 1], port)), _folder: folder }
}

fn client(server: SocketAddr) -> DnsClient {
    DnsClient::new(&DnsSettings { servers: vec![server], ..DnsSettings::default() }).unwrap()
}

/// Repeats a query until the new server answers; each attempt uses a client without a cache.
async fn ready(server: &NameServer) -> DnsClient {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let client = client(server.address);
        match client.addresses("ns.south.example").await {
            Ok(found) if !found.is_empty() => return client,
            _ if Instant::now() > deadline => panic!("the name server does not answer"),
            _ => tokio::task::yield_now().await,
        }
    }
}

fn b64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[tokio::test]
async fn bind_and_knot_give_us_certificates_of_the_address_and_of_the_domain() {
    let ca = authority("CA");
    let (bob, all) = (for_address(&ca, BOB), for_domain(&ca, "south.example"));
    let (bob_der, all_der) = (bob.certificate().to_der(), all.certificate().to_der());
    // the domain's certificate in the form for unknown types (RFC 3597)
    let generic = [&[0, 1, 0, 0, 8][..], &all_der].concat();
    let records = format!(
        "bob IN CERT PKIX 0 8 {}\n@ IN TYPE37 \\# {} {}\n",
        b64(&bob_der),
        generic.len(),
        hex(&generic)
    );
    for server in [bind9(&records), knot(&records)] {
        let source: Arc<dyn CertificateSource> =
            Arc::new(DnsSource::new(ready(&server).await, Arc::new(Web::default())));
        let discovery = Discovery::new(vec![source]);
        let web = Arc::new(Web::default());
        let find = async |address: &str| {
            discovery.find(&addr(address), &anchors(&[&ca]), &engine(&web), now()).await.unwrap().certificates
        };
        assert_eq!(find(BOB).await[0].certificate, *bob.certificate());
        assert_eq!(find("carol@south.example").await[0].certificate, *all.certificate());
    }
}

#[tokio::test]
async fn an_answer_truncated_over_udp_is_asked_for_again_over_tcp() {
    let large: Vec<Vec<u8>> = (0..6u8).map(|n| vec![n; 1500]).collect();
    let records: String = large.iter().map(|der| format!("bob IN CERT PKIX 0 8 {}\n", b64(der))).collect();
    for server in [bind9(&records), knot(&records)] {
        let mut found = ready(&server).await.cert_records("bob.south.example").await.unwrap();
        found.sort_by_key(|r| {
            matches!(r, CertRecord::Certificate(der) if !der.is_empty()).then(|| format!("{r:?}"))
        });
        let mut expected: Vec<_> = large.iter().cloned().map(CertRecord::Certificate).collect();
        expected.sort_by_key(|r| Some(format!("{r:?}")));
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn a_certificate_behind_an_address_is_fetched_and_other_record_kinds_are_passed_over() {
    let ca = authority("CA");
    let (bob, web) = (for_address(&ca, BOB), Arc::new(Web::default()));
    let url = "http://pki.example/bob.cer";
    web.put(url, bob.certificate().to_der());
    let server = bind9(&format!(
        "bob IN CERT IPKIX 0 0 {}\nbob IN CERT PGP 0 0 {}\n",
        b64(url.as_bytes()),
        b64(b"pgp")
    ));
    let source: Arc<dyn CertificateSource> = Arc::new(DnsSource::new(ready(&server).await, web.clone()));
    let found =
        Discovery::new(vec![source]).find(&addr(BOB), &anchors(&[&ca]), &engine(&web), now()).await.unwrap();
    assert_eq!(found.certificates[0].certificate, *bob.certificate());
    assert_eq!(web.times_asked(url), 1);
}

#[tokio::test]
async fn odd_characters_of_an_address_do_not_stop_the_search_at_its_domain() {
    let ca = authority("CA");
    let all = for_domain(&ca, "south.example");
    let server = bind9(&format!("@ IN CERT PKIX 0 8 {}\n", b64(&all.certificate().to_der())));
    let source: Arc<dyn CertificateSource> =
        Arc::new(DnsSource::new(ready(&server).await, Arc::new(Web::default())));
    let (discovery, web) = (Discovery::new(vec![source]), Arc::new(Web::default()));
    let long = format!("{}@south.example", "x".repeat(64));
    for address in ["o'brien_#1!@south.example", "a/b%c|{}=?*^~`$&@south.example", &long] {
        let found = discovery.find(&addr(address), &anchors(&[&ca]), &engine(&web), now()).await;
        assert_eq!(found.unwrap().certificates[0].certificate, *all.certificate(), "{address}");
    }
}

#[tokio::test]
async fn answers_are_kept_and_served_after_the_server_has_gone() {
    let server = bind9(&format!("bob IN CERT PKIX 0 8 {}\n", b64(b"certificate")));
    let client = ready(&server).await;
    let first = client.cert_records("bob.south.example").await.unwrap();
    drop(server);
    assert_eq!(client.cert_records("bob.south.example").await.unwrap(), first);
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_an_empty_answer_and_a_silent_server_is_an_error() {
    let server = bind9("");
    assert_eq!(ready(&server).await.cert_records("nobody.south.example").await, Ok(vec![]));
    let silent = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let settings = DnsSettings {
        servers: vec![silent.local_addr().unwrap()],
        timeout: Duration::from_millis(50),
        retries: 1,
        ..DnsSettings::default()
    };
    let client = DnsClient::new(&settings).unwrap();
    assert_eq!(client.cert_records("bob.south.example").await, Err(DnsError::Unanswered));
}

#[tokio::test]
async fn mail_routes_follow_preference_fall_back_to_the_domain_and_respect_a_null_mx() {
    let server = bind9(
        "@ IN MX 20 second\n@ IN MX 10 first\nfirst IN A 192.0.2.1\nsecond IN A 10.0.0.1\n\
         plain IN A 192.0.2.9\nnomail IN MX 0 .\ninner IN A 127.0.0.1\n",
    );
    let client = ready(&server).await;
    let hosts = |names: &[&str]| Ok(MailHosts::Hosts(names.iter().map(|n| (*n).to_owned()).collect()));
    assert_eq!(
        client.mail_hosts("south.example").await,
        hosts(&["first.south.example", "second.south.example"])
    );
    assert_eq!(client.mail_hosts("plain.south.example").await, hosts(&["plain.south.example"]));
    assert_eq!(client.mail_hosts("nomail.south.example").await, Ok(MailHosts::NoMail));
    assert_eq!(client.mail_hosts("missing.south.example").await, Ok(MailHosts::None));

    let guard = AddressGuard::public_only().allowing("192.0.2.0".parse().unwrap(), 24);
    let route = |domain: &str| Route::MailExchangers(domain.to_owned());
    let targets = resolve(&route("south.example"), &client, &guard).await.unwrap();
    let first = Target {
        host: "first.south.example".into(),
        addresses: vec!["192.0.2.1:25".parse().unwrap()],
        tls: TlsDemand::None,
    };
    assert_eq!(targets, [first], "an exchanger in a private network is left out");
    let refused = async |domain: &str| resolve(&route(domain), &client, &guard).await.unwrap_err();
    assert_eq!(refused("inner.south.example").await, RouteError::Forbidden("inner.south.example".into()));
    assert_eq!(
        refused("nomail.south.example").await,
        RouteError::NoMailServer("nomail.south.example".into())
    );
    let fixed = Route::Host { host: "127.0.0.1".into(), port: 2525 };
    let targets = resolve(&fixed, &client, &guard).await.unwrap();
    assert_eq!(targets[0].addresses, ["127.0.0.1:2525".parse().unwrap()]);
}

struct Published(Vec<(&'static str, Vec<Vec<u8>>)>);

#[async_trait]
impl PublishedZones for Published {
    async fn zone_of(&self, name: &str) -> Result<Option<HostedZone>, ZonesUnreadable> {
        Ok((name == "south.example" || name.ends_with(".south.example")).then(|| HostedZone {
            domain: "south.example".into(),
            name_server: "ns.host.example".into(),
            mail_server: Some("mx.host.example".into()),
            serial: 7,
            ttl: 60,
        }))
    }
    async fn certificates(
        &self,
        _zone: &HostedZone,
        name: &str,
    ) -> Result<Option<Vec<Vec<u8>>>, ZonesUnreadable> {
        if name == "broken.south.example" {
            return Err(ZonesUnreadable);
        }
        Ok(self.0.iter().find(|(n, _)| *n == name).map(|(_, c)| c.clone()))
    }
}

#[tokio::test]
async fn a_zone_that_cannot_be_read_is_not_reported_as_missing() {
    let (server, _running) = responder(Published(Vec::new())).await;
    let text = dig(server, &["broken.south.example", "TYPE37", "+tries=1"]).await;
    assert!(text.contains("status: SERVFAIL"), "{text}");
    let failed = client(server).cert_records("broken.south.example").await.unwrap_err();
    assert_eq!(failed, DnsError::Unanswered);
}

#[tokio::test]
async fn whoever_asks_too_often_is_told_to_come_by_tcp() {
    let (server, _running) = responder(Published(Vec::new())).await;
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.connect(server).await.unwrap();
    // One question for south.example, MX.
    let question =
        b"\x00\x07\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05south\x07example\x00\x00\x0f\x00\x01";
    let mut truncated = 0;
    for _ in 0..1200 {
        socket.send(question).await.unwrap();
        let mut answer = [0; 512];
        let length = socket.recv(&mut answer).await.unwrap();
        assert!(length >= 12 && answer[..2] == question[..2]);
        truncated += usize::from(answer[2] & 0x02 != 0);
    }
    assert!((1..=200).contains(&truncated), "{truncated}");
}

/// Our responder; its port, and the token that stops it.
async fn responder(zones: Published) -> (SocketAddr, tokio_util::sync::DropGuard) {
    let responder = DnsResponder::bind("127.0.0.1:0".parse().unwrap(), Arc::new(zones)).await.unwrap();
    let (address, shutdown) = (responder.local_addr().unwrap(), CancellationToken::new());
    tokio::spawn(responder.run(shutdown.clone()));
    (address, shutdown.drop_guard())
}

async fn dig(server: SocketAddr, args: &'static [&'static str]) -> String {
    let ask = move || {
        let port = server.port().to_string();
        let output = Command::new("dig").args(["@127.0.0.1", "-p", &port]).args(args).output();
        String::from_utf8(output.expect("dig is installed").stdout).unwrap()
    };
    tokio::task::spawn_blocking(ask).await.unwrap()
}

#[tokio::test]
async fn hosted_domains_are_published_to_our_client_and_to_dig() {
    let (bob, all) = (vec![vec![7; 900], vec![9; 900]], vec![vec![8; 700]]);
    let zones = Published(vec![("bob.south.example", bob.clone()), ("south.example", all.clone())]);
    let (server, _running) = responder(zones).await;
    let found = client(server).cert_records("Bob.South.Example").await.unwrap();
    assert_eq!(found, bob.into_iter().map(CertRecord::Certificate).collect::<Vec<_>>());
    let text = dig(server, &["south.example", "TYPE37"]).await;
    assert!(text.contains("PKIX 0 RSASHA256") && text.contains("flags: qr aa"), "{text}");
    let text = dig(server, &["+ignore", "+bufsize=1232", "bob.south.example", "TYPE37"]).await;
    assert!(text.contains(" tc"), "a large answer is marked as truncated over UDP: {text}");
    let text = dig(server, &["south.example", "MX", "+short"]).await;
    assert_eq!(text.trim(), "10 mx.host.example.");
    let text = dig(server, &["south.example", "SOA", "+short"]).await;
    assert!(text.starts_with("ns.host.example. hostmaster.south.example. 7 "), "{text}");
    let text = dig(server, &["nobody.south.example", "TYPE37"]).await;
    assert!(text.contains("NXDOMAIN") && text.contains("SOA"), "{text}");
    let text = dig(server, &["elsewhere.example", "TYPE37"]).await;
    assert!(text.contains("REFUSED"), "{text}");
}

#[test]
fn the_external_programs_are_installed() {
    for program in ["/usr/sbin/named", "/usr/sbin/knotd"] {
        assert!(Path::new(program).exists(), "{program} is missing");
    }
}
