//! Private keys with their certificates.

use std::fmt;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeySize};
use chrono::{DateTime, Utc};
use openssl::pkey::{PKey, Private};

use super::{Binding, CertError, Certificate, PeriodStatus};
use crate::DirectAddress;

/// A private key. Its `Debug` form does not reveal it.
#[derive(Clone)]
pub struct PrivateKey(PKey<Private>);

impl PrivateKey {
    /// A new RSA key. Slow: do not call on an async thread. AWS-LC finds its primes in a quarter of OpenSSL's time.
    pub fn generate_rsa(size: KeySize) -> Result<Self, CertError> {
        let pair = KeyPair::generate(size).and_then(|pair| pair.as_der());
        let key: Pkcs8V1Der = pair.map_err(|_| CertError::UnmadeKey)?;
        Ok(Self(PKey::private_key_from_pkcs8(key.as_ref())?))
    }

    /// Reads a PEM key, unencrypted.
    pub fn from_pem(pem: &[u8]) -> Result<Self, CertError> {
        // an empty passphrase prevents a prompt on the terminal
        PKey::private_key_from_pem_passphrase(pem, b"").map(Self).map_err(|_| CertError::UnreadableKey)
    }

    /// Reads a DER key, PKCS#8 or traditional, unencrypted.
    pub fn from_der(der: &[u8]) -> Result<Self, CertError> {
        PKey::private_key_from_der(der).map(Self).map_err(|_| CertError::UnreadableKey)
    }

    /// PKCS#8 DER, unencrypted: the caller must protect it at rest.
    pub fn to_pkcs8(&self) -> Result<Vec<u8>, CertError> {
        Ok(self.0.private_key_to_pkcs8()?)
    }

    /// Whether the certificate contains the public half of this key.
    pub fn belongs_to(&self, certificate: &Certificate) -> bool {
        certificate.x509().public_key().is_ok_and(|public| self.0.public_eq(&public))
    }

    pub(crate) fn pkey(&self) -> &PKey<Private> {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

/// A certificate of ours with its private key and the intermediates that lead to its anchor.
#[derive(Debug, Clone)]
pub struct Identity {
    certificate: Certificate,
    key: PrivateKey,
    chain: Vec<Certificate>,
}

impl Identity {
    /// Combines key and certificate; refuses a pair that does not match.
    pub fn new(
        certificate: Certificate,
        key: PrivateKey,
        chain: Vec<Certificate>,
    ) -> Result<Self, CertError> {
        if !key.belongs_to(&certificate) {
            return Err(CertError::KeyMismatch);
        }
        Ok(Self { certificate, key, chain })
    }

    /// The certificate that partners see.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The private key.
    pub fn key(&self) -> &PrivateKey {
        &self.key
    }

    /// Intermediates, included in each signature.
    pub fn chain(&self) -> &[Certificate] {
        &self.chain
    }

    fn serves(&self, address: &DirectAddress, at: DateTime<Utc>) -> Option<Binding> {
        let usable =
            self.certificate.check_key().is_ok() && self.certificate.status(at) == PeriodStatus::Valid;
        usable.then(|| self.certificate.binding(address)).flatten()
    }
}

/// The identity that signs for an address: valid, strong enough, allowed to sign, bound to the address or otherwise
/// to its domain; of several, the one with the latest end of validity.
pub fn pick_signer<'a>(
    identities: &'a [Identity],
    sender: &DirectAddress,
    at: DateTime<Utc>,
) -> Result<&'a Identity, CertError> {
    let mut fitting: Vec<_> = identities
        .iter()
        .filter(|i| i.certificate.purposes().sign)
        .filter_map(|i| {
            Some((i.serves(sender, at)? == Binding::Address, i.certificate.period().not_after, i))
        })
        .collect();
    fitting.sort_by_key(|(address_bound, until, _)| (*address_bound, *until));
    fitting.last().map(|(.., i)| *i).ok_or_else(|| CertError::NoSigner(sender.clone()))
}

/// The identities to try when decrypting mail for an address, address-bound ones first. Expired ones are included:
/// mail encrypted before the end of validity may still arrive, and the sender chose the certificate.
pub fn pick_decryption_identities<'a>(
    identities: &'a [Identity],
    recipient: &DirectAddress,
) -> Vec<&'a Identity> {
    let bound = |i: &&Identity| i.certificate.binding(recipient);
    let mut fitting: Vec<_> =
        identities.iter().filter(|i| i.certificate.purposes().encrypt && bound(i).is_some()).collect();
    fitting.sort_by_key(|i| bound(i) != Some(Binding::Address));
    fitting
}
