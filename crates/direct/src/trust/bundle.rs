//! Trust bundles: a PKCS#7 file of anchors.

use openssl::cms::{CMSOptions, CmsContentInfo};
use openssl::pkcs7::{Pkcs7, Pkcs7Flags};
use openssl::stack::Stack;
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509VerifyFlags;

use crate::ber;
use crate::cert::Certificate;

/// Largest bundle read, in bytes.
pub const MAX_BUNDLE: usize = 8 << 20;

/// How a bundle is protected.
#[derive(Debug, Clone)]
pub enum BundleSignature {
    /// `.p7b`: not at all.
    Unsigned,
    /// `.p7m`: signed by the holder of this pinned certificate.
    PinnedTo(Certificate),
}

/// The anchors of a bundle.
#[derive(Debug, Clone)]
pub struct TrustBundle {
    /// Anchors in the order of the file, each once.
    pub anchors: Vec<Certificate>,
}

/// Why a bundle is not accepted; the last valid one stays in force.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// Not PKCS#7, or too large.
    #[error("The trust bundle cannot be read.")]
    Unreadable,
    /// No certificate in it.
    #[error("The trust bundle is empty.")]
    Empty,
    /// Not signed although a signer is pinned, or signed by someone else, or changed.
    #[error("The trust bundle is not signed by the pinned signer.")]
    WrongSignature,
    /// Signed, but no signer is configured: the certificates in it are the signer's, not anchors.
    #[error("The trust bundle is signed: the certificate of its signer is needed.")]
    SignerUnknown,
}

/// Reads a trust bundle, DER or PEM.
pub fn parse_bundle(bytes: &[u8], signature: &BundleSignature) -> Result<TrustBundle, BundleError> {
    if bytes.len() > MAX_BUNDLE {
        return Err(BundleError::Unreadable);
    }
    let der = match bytes.starts_with(b"-----BEGIN") {
        true => Pkcs7::from_pem(bytes).and_then(|p| p.to_der()).map_err(|_| BundleError::Unreadable)?,
        false => bytes.to_vec(),
    };
    if !ber::is_within_limits(&der) {
        return Err(BundleError::Unreadable);
    }
    match signature {
        BundleSignature::Unsigned if is_signed(&der) => Err(BundleError::SignerUnknown),
        BundleSignature::Unsigned => certificates(&der),
        BundleSignature::PinnedTo(signer) => certificates(&verified_content(&der, signer)?),
    }
}

fn is_signed(der: &[u8]) -> bool {
    let signers = || {
        let none = Stack::<X509>::new()?;
        Pkcs7::from_der(der)?.signers(&none, Pkcs7Flags::empty())
    };
    signers().is_ok_and(|signers: Stack<X509>| !signers.is_empty())
}

/// The content of a signed bundle, which is itself a `.p7b`.
fn verified_content(der: &[u8], signer: &Certificate) -> Result<Vec<u8>, BundleError> {
    let mut signed = CmsContentInfo::from_der(der).map_err(|_| BundleError::Unreadable)?;
    let mut verify = || -> Result<Vec<u8>, openssl::error::ErrorStack> {
        let mut store = X509StoreBuilder::new()?;
        store.add_cert(signer.x509().clone())?;
        store.set_flags(X509VerifyFlags::PARTIAL_CHAIN)?;
        let mut pinned = Stack::<X509>::new()?;
        pinned.push(signer.x509().clone())?;
        let mut content = Vec::new();
        // only the pinned certificate may be the signer: those in the file are ignored, and no chain is built,
        // because the pin itself is the trust
        let options = CMSOptions::BINARY | CMSOptions::NOINTERN | CMSOptions::NO_SIGNER_CERT_VERIFY;
        signed.verify(Some(&pinned), Some(&store.build()), None, Some(&mut content), options)?;
        Ok(content)
    };
    let content = verify().map_err(|_| BundleError::WrongSignature)?;
    if content.is_empty() { Err(BundleError::WrongSignature) } else { Ok(content) }
}

fn certificates(der: &[u8]) -> Result<TrustBundle, BundleError> {
    let parsed = Pkcs7::from_der(der).map_err(|_| BundleError::Unreadable)?;
    let found = parsed.signed().and_then(|s| s.certificates()).ok_or(BundleError::Empty)?;
    let mut anchors: Vec<Certificate> = Vec::new();
    for certificate in found.iter().map(|c| Certificate::from(c.to_owned())) {
        if !anchors.contains(&certificate) {
            anchors.push(certificate);
        }
    }
    if anchors.is_empty() { Err(BundleError::Empty) } else { Ok(TrustBundle { anchors }) }
}
