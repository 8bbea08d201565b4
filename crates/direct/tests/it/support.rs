//! Shared by the tests: a small PKI, an invented web, the openssl command line, free ports.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use direct::DirectAddress;
use direct::address::Mailbox;
use direct::cert::{
    AuthorityName, BoundTo, Certificate, CertificateAuthority, CertificateRequest, Identity, KeyPurposes,
    KeySize, PrivateKey, Validity,
};
use direct::mime::OutgoingMessage;
use direct::trust::{AnchorSet, HttpCrlSource, HttpIssuerSource, TrustEngine, UnknownRevocation};
use fetch::{Fetch, FetchError};

/// Time of the tests.
pub fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 2, 9, 30, 0).unwrap()
}

pub fn addr(text: &str) -> DirectAddress {
    DirectAddress::parse(text).unwrap()
}

pub fn validity() -> Validity {
    Validity { from: now() - TimeDelta::days(30), lasting: TimeDelta::days(365) }
}

/// An RSA-2048 key, another one with each call. Made once and kept in the build folder, since making keys is
/// what takes longest in these tests.
pub fn key() -> PrivateKey {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("test-key-{number}.der"));
    if let Ok(der) = std::fs::read(&file) {
        return PrivateKey::from_der(&der).unwrap();
    }
    let key = PrivateKey::generate_rsa(KeySize::Rsa2048).unwrap();
    let mut fresh = tempfile::NamedTempFile::new_in(folder).unwrap();
    fresh.write_all(&key.to_pkcs8().unwrap()).unwrap();
    fresh.persist(file).unwrap();
    key
}

pub fn authority(name: &str) -> CertificateAuthority {
    let name = AuthorityName { common_name: name.into(), organization: "Test Trust Community".into() };
    let validity = Validity { from: now() - TimeDelta::days(365), lasting: TimeDelta::days(3650) };
    CertificateAuthority::create(&name, validity, key()).unwrap()
}

pub fn request(bound_to: BoundTo) -> CertificateRequest {
    CertificateRequest {
        organization: "Northside Clinic".into(),
        bound_to,
        purposes: KeyPurposes::BOTH,
        validity: validity(),
        crl_url: None,
        issuer_url: None,
    }
}

pub fn for_domain(ca: &CertificateAuthority, domain: &str) -> Identity {
    ca.issue_for_key(&request(BoundTo::Domain(domain.into())), key()).unwrap()
}

pub fn for_address(ca: &CertificateAuthority, address: &str) -> Identity {
    ca.issue_for_key(&request(BoundTo::Address(addr(address))), key()).unwrap()
}

pub fn anchors(of: &[&CertificateAuthority]) -> AnchorSet {
    of.iter().map(|ca| ca.certificate().clone()).collect()
}

/// A web of invented addresses; other addresses are unreachable.
#[derive(Debug, Default)]
pub struct Web {
    pages: Mutex<HashMap<String, Vec<u8>>>,
    pub asked: Mutex<Vec<String>>,
}

impl Web {
    pub fn put(&self, url: &str, bytes: Vec<u8>) {
        self.pages.lock().unwrap().insert(url.into(), bytes);
    }

    pub fn times_asked(&self, url: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == url).count()
    }
}

#[async_trait]
impl Fetch for Web {
    async fn get(&self, url: &str, limit: usize) -> Result<Vec<u8>, FetchError> {
        self.asked.lock().unwrap().push(url.into());
        let page = self.pages.lock().unwrap().get(url).cloned().ok_or(FetchError::Unreachable)?;
        if page.len() > limit { Err(FetchError::TooLarge) } else { Ok(page) }
    }
}

pub fn engine(web: &Arc<Web>) -> TrustEngine {
    engine_with(web, UnknownRevocation::Accept)
}

pub fn engine_with(web: &Arc<Web>, unknown: UnknownRevocation) -> TrustEngine {
    let (crls, issuers) = (HttpCrlSource::new(web.clone()), HttpIssuerSource::new(web.clone()));
    TrustEngine::new(Arc::new(crls), Arc::new(issuers), unknown)
}

/// A message as a person writes it.
pub fn message(from: &str, to: &[&str]) -> OutgoingMessage {
    let to = to.iter().map(|t| Mailbox::from(addr(t))).collect();
    let mut message =
        OutgoingMessage::new(addr(from).into(), to, now(), format!("m1@{}", addr(from).domain()));
    message.subject = "Referral of a patient with Ménière's disease".into();
    message.text = "Please see the attached note.\n.\nA line with one dot stands above.\n".into();
    message
}

/// Runs openssl; a failure shows its output.
pub fn openssl(args: &[&str], input: &[u8]) -> Vec<u8> {
    let output = try_openssl(args, input);
    assert!(output.status.success(), "openssl {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

pub fn try_openssl(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new("openssl")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the openssl command line is installed");
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Writes certificate and key of an identity as PEM files `<name>.crt` and `<name>.key`.
pub fn write_pem(folder: &Path, name: &str, identity: &Identity) -> (String, String) {
    let (crt, key) = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
    std::fs::write(&crt, identity.certificate().to_pem()).unwrap();
    let pkcs8 = identity.key().to_pkcs8().unwrap();
    std::fs::write(&key, openssl(&["pkey", "-inform", "DER"], &pkcs8)).unwrap();
    (crt.to_str().unwrap().into(), key.to_str().unwrap().into())
}

/// A self-signed certificate made by the openssl command line, with these extra arguments.
pub fn self_signed(args: &[&str]) -> Identity {
    let folder = tempfile::tempdir().unwrap();
    let (crt, key) = (folder.path().join("c"), folder.path().join("k"));
    let mut all =
        vec!["req", "-x509", "-nodes", "-days", "36500", "-sha256", "-keyout", key.to_str().unwrap()];
    all.extend(["-out", crt.to_str().unwrap()]);
    all.extend_from_slice(args);
    openssl(&all, b"");
    let certificate = Certificate::from_pem(&std::fs::read(crt).unwrap()).unwrap();
    Identity::new(certificate, PrivateKey::from_pem(&std::fs::read(key).unwrap()).unwrap(), vec![]).unwrap()
}
