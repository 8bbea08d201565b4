//! DANE for SMTP (RFC 7672): the domain publishes in signed DNS the certificates or authorities of its mail servers.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme};

use super::tls::AnyCertificate;
use crate::dns::Tlsa;

/// Verifies the certificate of a mail server with the records of its name.
#[derive(Debug)]
pub(super) struct DaneVerifier {
    records: Arc<[Tlsa]>,
    provider: Arc<CryptoProvider>,
    signatures: AnyCertificate,
}

impl DaneVerifier {
    pub(super) fn new(records: Arc<[Tlsa]>, provider: Arc<CryptoProvider>) -> Self {
        Self { records, signatures: AnyCertificate(provider.clone()), provider }
    }

    fn of_usage(&self, usage: u8) -> impl Iterator<Item = &Tlsa> {
        self.records.iter().filter(move |record| record.usage == usage && record.is_usable())
    }

    /// The authority in the chain that matches a record.
    fn authority<'c>(&self, chain: &'c [CertificateDer<'c>]) -> Option<&'c CertificateDer<'c>> {
        chain.iter().find(|c| self.of_usage(2).any(|record| record.fits(c)))
    }
}

impl ServerCertVerifier for DaneVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // Name and validity of a directly named certificate are not checked (RFC 7672 3.1.1).
        if self.of_usage(3).any(|record| record.fits(end_entity)) {
            return Ok(ServerCertVerified::assertion());
        }
        let Some(authority) = self.authority(intermediates) else {
            return Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
        };
        let mut roots = RootCertStore::empty();
        roots.add(authority.clone().into_owned())?;
        let judge =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), self.provider.clone()).build();
        let judge = judge.map_err(|error| Error::Other(OtherError(Arc::new(error))))?;
        judge.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signatures.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signatures.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signatures.supported_verify_schemes()
    }
}
