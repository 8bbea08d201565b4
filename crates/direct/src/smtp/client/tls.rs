//! TLS of the client: with or without verification of the certificate. The message itself is signed and encrypted, so
//! an unverified connection only hides the envelope from passive observers.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, SignatureScheme, WantsVerifier,
};

use super::dane::DaneVerifier;
use crate::dns::Tlsa;

fn builder() -> ConfigBuilder<ClientConfig, WantsVerifier> {
    ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider has ciphers for TLS 1.2 and 1.3")
}

/// Verifies certificates with these roots, or accepts any.
pub(super) fn tls_config(roots: Option<RootCertStore>) -> ClientConfig {
    match roots {
        Some(roots) => builder().with_root_certificates(roots).with_no_client_auth(),
        None => judged_by(Arc::new(AnyCertificate(Arc::new(aws_lc_rs::default_provider())))),
    }
}

/// Verifies certificates with TLSA records.
pub(super) fn dane_config(records: Arc<[Tlsa]>) -> ClientConfig {
    judged_by(Arc::new(DaneVerifier::new(records, Arc::new(aws_lc_rs::default_provider()))))
}

fn judged_by(judge: Arc<dyn ServerCertVerifier>) -> ClientConfig {
    builder().dangerous().with_custom_certificate_verifier(judge).with_no_client_auth()
}

/// Accepts any certificate; the handshake signature is still checked.
#[derive(Debug)]
pub(super) struct AnyCertificate(pub(super) Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
