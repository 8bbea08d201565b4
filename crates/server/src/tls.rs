//! Certificates of the listeners.

use anyhow::{Context, Result, anyhow};
use messaging::interfaces::listener::AnyClientCertificate;
use openssl::{
    asn1::Asn1Time,
    bn::{BigNum, MsbOption},
    ec::{EcGroup, EcKey},
    hash::MessageDigest,
    nid::Nid,
    pkey::PKey,
    x509::{X509, X509NameBuilder, extension::SubjectAlternativeName},
};
use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject},
};
use std::{net::IpAddr, path::Path, sync::Arc};

/// Validity of a self-signed certificate, which the listener creates at each start.
const SELF_SIGNED_DAYS: u32 = 397;

/// Protocols that the web server speaks over TLS.
pub const ALPN_HTTP: &[&str] = &["h2", "http/1.1"];

/// Reads a certificate chain and its key from PEM files.
pub fn from_files(certificate: &Path, key: &Path, alpn: &[&str]) -> Result<Arc<ServerConfig>> {
    let (chain, key) = read(certificate, key)?;
    config(chain, key, alpn)
}

type Pair = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn read(certificate: &Path, key: &Path) -> Result<Pair> {
    let unreadable = |path: &Path| format!("{} cannot be read as PEM", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(|| unreadable(certificate))?;
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| unreadable(key))?;
    Ok((chain, key))
}

/// As [`from_files`], for a listener that requests client certificates. The receiver checks their owner.
pub fn asking_clients(certificate: &Path, key: &Path, alpn: &[&str]) -> Result<Arc<ServerConfig>> {
    let (chain, key) = read(certificate, key)?;
    let builder = ServerConfig::builder().with_client_cert_verifier(AnyClientCertificate::verifier());
    finished(builder.with_single_cert(chain, key), alpn)
}

/// A certificate for opportunistic STARTTLS, which nobody verifies.
pub fn self_signed(host_name: &str) -> Result<Arc<ServerConfig>> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
    let key = PKey::from_ec_key(EcKey::generate(&group)?)?;
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_nid(Nid::COMMONNAME, &host_name.chars().take(64).collect::<String>())?;
    let name = name.build();
    let mut serial = BigNum::new()?;
    serial.rand(127, MsbOption::MAYBE_ZERO, false)?;
    let mut certificate = X509::builder()?;
    certificate.set_version(2)?;
    certificate.set_serial_number(&*serial.to_asn1_integer()?)?;
    certificate.set_subject_name(&name)?;
    certificate.set_issuer_name(&name)?;
    certificate.set_pubkey(&key)?;
    certificate.set_not_before(&*Asn1Time::days_from_now(0)?)?;
    certificate.set_not_after(&*Asn1Time::days_from_now(SELF_SIGNED_DAYS)?)?;
    let mut names = SubjectAlternativeName::new();
    match host_name.parse::<IpAddr>() {
        Ok(_) => names.ip(host_name),
        Err(_) => names.dns(host_name),
    };
    let names = names.build(&certificate.x509v3_context(None, None))?;
    certificate.append_extension(names)?;
    certificate.sign(&key, MessageDigest::sha256())?;
    let der = CertificateDer::from(certificate.build().to_der()?);
    let key = PrivatePkcs8KeyDer::from(key.private_key_to_pkcs8()?);
    config(vec![der], key.into(), &[])
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    alpn: &[&str],
) -> Result<Arc<ServerConfig>> {
    finished(ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key), alpn)
}

fn finished(config: Result<ServerConfig, rustls::Error>, alpn: &[&str]) -> Result<Arc<ServerConfig>> {
    let mut config = config.map_err(|error| anyhow!("the certificate does not match the key: {error}"))?;
    config.alpn_protocols = alpn.iter().map(|name| name.as_bytes().to_vec()).collect();
    Ok(Arc::new(config))
}
