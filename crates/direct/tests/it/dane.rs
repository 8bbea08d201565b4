//! DANE (RFC 7672) with bind9 as the name server of a signed root, a signed domain and one without signatures.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aws_lc_rs::digest::{SHA256, digest};
use direct::dns::{DnsClient, DnsSettings};
use direct::smtp::client::{
    ClientTimeouts, OutgoingEnvelope, RecipientOutcome, SmtpClient, Target, TlsDemand, TlsMode, TlsState,
    demand_dane,
};
use rustls::RootCertStore;
use testports::free_port;

use crate::smtp_in::{Listener, listen, settings, tls_config};
use crate::support::*;

const HEAD: &str = "$TTL 300\n@ IN SOA ns.south.example. hostmaster.south.example. 1 3600 600 86400 300\n";
/// The certificate has another name, which DANE ignores.
const NAME: &str = "another.example";

/// The name server and its keys, ended when dropped.
struct SignedDns {
    process: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Drop for SignedDns {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn run(program: &str, args: &[&str]) {
    let done = Command::new(program).args(args).output().expect("bind9 and its tools are installed");
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Writes a zone and signs it with its own key, as `{file}.signed`.
fn sign(folder: &Path, file: &str, origin: &str, records: &str) {
    let at = |name: &str| folder.join(name).display().to_string();
    fs::write(at(file), format!("{HEAD}{records}")).unwrap();
    run("dnssec-keygen", &["-q", "-K", &at(""), "-a", "ECDSAP256SHA256", "-f", "KSK", origin]);
    let signed = format!("{}.signed", at(file));
    run(
        "dnssec-signzone",
        &["-S", "-z", "-K", &at(""), "-d", &at(""), "-o", origin, "-f", &signed, &at(file)],
    );
}

impl SignedDns {
    /// `south` holds records of the signed domain, `east` those of the unsigned one.
    async fn start(south: &str, east: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, port) = (folder.path(), free_port());
        sign(path, "south", "south.example", &format!("@ IN NS ns\nns IN A 127.0.0.1\n{south}"));
        let east = format!("{HEAD}@ IN NS ns.south.example.\n{east}");
        fs::write(path.join("east"), east).unwrap();
        let ds = fs::read_to_string(path.join("dsset-south.example.")).unwrap();
        let delegations = format!(
            "@ IN NS ns.south.example.\nns.south.example. IN A 127.0.0.1\n\
             south.example. IN NS ns.south.example.\n{ds}east.example. IN NS ns.south.example.\n"
        );
        sign(path, "root", ".", &delegations);
        let config = format!(
            "options {{ directory \"{}\"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; \
             recursion no; pid-file none; session-keyfile none; dnssec-validation no; }};\ncontrols {{ }};\n\
             zone \".\" {{ type primary; file \"root.signed\"; }};\n\
             zone \"south.example\" {{ type primary; file \"south.signed\"; }};\n\
             zone \"east.example\" {{ type primary; file \"east\"; }};\n",
            path.display()
        );
        fs::write(path.join("named.conf"), config).unwrap();
        let process = Command::new("named")
            .args(["-g", "-n", "1", "-c", &path.join("named.conf").display().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("bind9 is installed");
        let dns = Self { process, address: SocketAddr::from(([127, 0, 0, 1], port)), folder };
        dns.wait().await;
        dns
    }

    fn client(&self, trust_anchors: Option<std::path::PathBuf>) -> DnsClient {
        let servers = vec![self.address];
        DnsClient::new(&DnsSettings { servers, trust_anchors, ..DnsSettings::default() }).unwrap()
    }

    async fn wait(&self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.client(None).addresses("ns.south.example").await.is_ok_and(|found| !found.is_empty()) {
            assert!(Instant::now() < deadline, "the name server does not answer");
            tokio::task::yield_now().await;
        }
    }

    /// A client that trusts the key of this root alone.
    fn trusting(&self) -> DnsClient {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let key = files
            .filter(|path| path.extension().is_some_and(|e| e == "key"))
            .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("K.+")))
            .unwrap();
        let text = fs::read_to_string(key).unwrap();
        let record = text.lines().find(|line| !line.starts_with(';')).unwrap();
        let file = self.folder.path().join("anchors");
        fs::write(&file, format!("{record}\n")).unwrap();
        self.client(Some(file))
    }
}

fn host(name: &str, listener: &Listener) -> Target {
    Target { host: name.into(), addresses: vec![listener.address], tls: TlsDemand::None }
}

async fn delivered(domain: &str, dns: &DnsClient, target: Target) -> (RecipientOutcome, TlsState) {
    let mut targets = [target];
    demand_dane(domain, dns, &mut targets).await.unwrap();
    let client = SmtpClient::new(
        "mx.north.example",
        TlsMode::Opportunistic,
        ClientTimeouts::default(),
        RootCertStore::empty(),
    );
    let recipients = vec![addr(&format!("bob@{domain}"))];
    let envelope = OutgoingEnvelope { mail_from: Some(addr("ada@north.example")), recipients };
    let text = "Subject: x\r\n\r\nA visit.\r\n";
    let report = client.deliver(&targets, &envelope, text.len() as u64, &mut text.as_bytes()).await;
    (report.recipients[0].1.clone(), report.tls)
}

#[tokio::test]
async fn a_certificate_in_signed_dns_decides_and_one_in_unsigned_dns_does_not_count() {
    let listener = listen(settings()).await;
    let (config, certificate) = tls_config(NAME);
    listener.tls.set(config);
    let hash: String = digest(&SHA256, &certificate).as_ref().iter().map(|b| format!("{b:02x}")).collect();
    let wrong = "00".repeat(32);
    let south = format!(
        "@ IN MX 10 mx\nmx IN A 127.0.0.1\n_25._tcp.mx IN TLSA 3 0 1 {hash}\n\
         other IN A 127.0.0.1\n_25._tcp.other IN TLSA 3 0 1 {wrong}\nbare IN A 127.0.0.1\n"
    );
    let east = format!("@ IN MX 10 mx\nmx IN A 127.0.0.1\n_25._tcp.mx IN TLSA 3 0 1 {wrong}\n");
    let server = SignedDns::start(&south, &east).await;
    let dns = server.trusting();

    let (outcome, tls) = delivered("south.example", &dns, host("mx.south.example", &listener)).await;
    assert!(matches!(outcome, RecipientOutcome::Accepted { .. }), "{outcome:?}");
    assert_eq!(tls, TlsState::Dane);

    let (outcome, _) = delivered("south.example", &dns, host("other.south.example", &listener)).await;
    assert!(matches!(outcome, RecipientOutcome::Deferred { .. }), "{outcome:?}");
    assert_eq!(listener.mails().len(), 1, "a server with another certificate gets nothing");

    let (outcome, tls) = delivered("south.example", &dns, host("bare.south.example", &listener)).await;
    assert!(matches!(outcome, RecipientOutcome::Accepted { .. }), "{outcome:?}");
    assert_eq!(tls, TlsState::Encrypted, "a host without records");

    let (outcome, tls) = delivered("east.example", &dns, host("mx.east.example", &listener)).await;
    assert!(matches!(outcome, RecipientOutcome::Accepted { .. }), "{outcome:?}");
    assert_eq!(tls, TlsState::Encrypted, "nobody signed that record");
    // Signatures without a trusted key prove nothing.
    let elsewhere = server.client(None);
    let (_, tls) = delivered("south.example", &elsewhere, host("other.south.example", &listener)).await;
    assert_eq!(tls, TlsState::Encrypted);
}
