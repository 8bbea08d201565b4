//! Finding the certificates of a recipient (Applicability Statement 5).
//!
//! Order: DNS for the address, DNS for the domain, LDAP for the address, LDAP for the domain. The first step that
//! returns any certificate ends the search, even if none of them is usable; only the usable ones are kept.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::DirectAddress;
use crate::cert::{Binding, Certificate};
use crate::trust::{AnchorSet, TrustEngine, TrustedChain, Untrusted};

/// A source could not answer; a later search may have a different result.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{source_name} could not be asked: {reason}")]
pub struct SourceError {
    /// Name of the source.
    pub source_name: String,
    /// Reason in plain words.
    pub reason: String,
}

/// Certificates as returned by a source, in DER, not yet verified.
pub type FoundCertificates = Result<Vec<Vec<u8>>, SourceError>;

/// A place where certificates are published, with one method per step of the search. An empty list means that none is
/// published, an error that the place could not be asked.
#[async_trait]
pub trait CertificateSource: Send + Sync + Debug {
    /// Short name for reports, such as `DNS`.
    fn name(&self) -> &str;
    /// Whether this source alone answers for the domain. Domains hosted by the installation are looked up internally
    /// only.
    async fn is_authoritative_for(&self, _domain: &str) -> bool {
        false
    }
    /// Certificates published for the address itself (its tag is already removed).
    async fn by_address(&self, address: &DirectAddress) -> FoundCertificates;
    /// Certificates published for the domain.
    async fn by_domain(&self, domain: &str) -> FoundCertificates;
}

/// Where certificates were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name of the source.
    pub source: String,
    /// Whether the address or the domain was looked up.
    pub scope: Binding,
}

/// A certificate to encrypt to.
#[derive(Debug, Clone)]
pub struct UsableCertificate {
    /// The certificate.
    pub certificate: Certificate,
    /// Address-bound or domain-bound.
    pub binding: Binding,
    /// Chain and revocation status.
    pub trust: TrustedChain,
}

/// A successful search.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// Step that returned the certificates.
    pub step: Step,
    /// The usable ones, at least one.
    pub certificates: Vec<UsableCertificate>,
    /// The ones that were skipped.
    pub skipped: Vec<Unusable>,
}

/// A certificate that was found and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The certificate {reason}.")]
pub struct Unusable {
    /// Subject of the certificate, for reports; empty when it could not be read.
    pub subject: String,
    /// SHA-256 fingerprint, hex; empty when it could not be read.
    pub fingerprint: String,
    /// Why.
    pub reason: UnusableReason,
}

/// Why a found certificate cannot be used. The messages continue "The certificate ...".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableReason {
    /// Not a certificate.
    #[error("cannot be read")]
    Unreadable,
    /// Bound neither to the address nor to its domain.
    #[error("belongs to another address or domain")]
    WrongBinding,
    /// Not meant for encryption.
    #[error("is not meant for encryption")]
    NotForEncryption,
    /// Expired, revoked, not trusted, weak ...
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
}

/// Why there is no certificate to encrypt to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCertificate {
    /// No step returned any certificate.
    #[error("No certificate was found for {0}.")]
    NotFound(DirectAddress),
    /// Certificates were found, none of them usable.
    #[error("A certificate was found for {address}, but {}.", reasons(.found))]
    NoneUsable {
        /// The recipient.
        address: DirectAddress,
        /// Step that returned the certificates.
        step: Step,
        /// The certificates with their reasons.
        found: Vec<Unusable>,
    },
    /// Nothing was found, but a source could not be asked: try again later.
    #[error("The certificate of {address} could not be looked up: {reason}.")]
    Unavailable {
        /// The recipient.
        address: DirectAddress,
        /// Reason in plain words.
        reason: String,
    },
}

fn reasons(found: &[Unusable]) -> String {
    let mut words: Vec<_> = found.iter().map(|u| format!("it {}", u.reason)).collect();
    words.dedup();
    words.join("; ")
}

impl NoCertificate {
    /// Whether a later attempt may have a different result.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::NotFound(_) => false,
            Self::Unavailable { .. } => true,
            Self::NoneUsable { found, .. } => found
                .iter()
                .any(|u| matches!(&u.reason, UnusableReason::Untrusted(reason) if reason.is_temporary())),
        }
    }
}

/// The search over sources in order: internal ones, then DNS, then LDAP.
#[derive(Debug, Clone)]
pub struct Discovery {
    sources: Vec<Arc<dyn CertificateSource>>,
}

impl Discovery {
    /// A search over these sources, asked in this order, each for the address and then for the domain.
    pub fn new(sources: Vec<Arc<dyn CertificateSource>>) -> Self {
        Self { sources }
    }

    /// Finds the certificates to encrypt to for one recipient, trusted by the given (outgoing) anchors.
    pub async fn find(
        &self,
        recipient: &DirectAddress,
        anchors: &AnchorSet,
        trust: &TrustEngine,
        at: DateTime<Utc>,
    ) -> Result<Discovered, NoCertificate> {
        let address = recipient.mailbox();
        match self.search(&address).await? {
            None => Err(NoCertificate::NotFound(address)),
            Some((step, found)) => judge(address, step, found, anchors, trust, at).await,
        }
    }

    /// The first step that returns anything, with what it returned.
    async fn search(&self, address: &DirectAddress) -> Result<Option<(Step, Vec<Vec<u8>>)>, NoCertificate> {
        let mut failure = None;
        for source in &self.sources {
            let alone = source.is_authoritative_for(address.domain()).await;
            for scope in [Binding::Address, Binding::Domain] {
                let answer = match scope {
                    Binding::Address => source.by_address(address).await,
                    Binding::Domain => source.by_domain(address.domain()).await,
                };
                match answer {
                    Ok(found) if found.is_empty() => {}
                    Ok(found) => return Ok(Some((Step { source: source.name().to_owned(), scope }, found))),
                    Err(error) => failure = Some(error.to_string()),
                }
            }
            if alone {
                break;
            }
        }
        match failure {
            None => Ok(None),
            Some(reason) => Err(NoCertificate::Unavailable { address: address.clone(), reason }),
        }
    }
}

async fn judge(
    address: DirectAddress,
    step: Step,
    found: Vec<Vec<u8>>,
    anchors: &AnchorSet,
    trust: &TrustEngine,
    at: DateTime<Utc>,
) -> Result<Discovered, NoCertificate> {
    let (mut certificates, mut skipped) = (Vec::new(), Vec::new());
    for der in found {
        let Ok(certificate) = Certificate::from_der(&der) else {
            skipped.push(Unusable {
                subject: String::new(),
                fingerprint: String::new(),
                reason: UnusableReason::Unreadable,
            });
            continue;
        };
        match usable(&address, &certificate, anchors, trust, at).await {
            Ok(usable) => certificates.push(usable),
            Err(reason) => skipped.push(Unusable {
                subject: certificate.subject(),
                fingerprint: certificate.fingerprint(),
                reason,
            }),
        }
    }
    if certificates.is_empty() {
        return Err(NoCertificate::NoneUsable { address, step, found: skipped });
    }
    Ok(Discovered { step, certificates, skipped })
}

async fn usable(
    address: &DirectAddress,
    certificate: &Certificate,
    anchors: &AnchorSet,
    trust: &TrustEngine,
    at: DateTime<Utc>,
) -> Result<UsableCertificate, UnusableReason> {
    let binding = certificate.binding(address).ok_or(UnusableReason::WrongBinding)?;
    if !certificate.purposes().encrypt {
        return Err(UnusableReason::NotForEncryption);
    }
    let trust = trust.evaluate(certificate, &[], anchors, at).await?;
    Ok(UsableCertificate { certificate: certificate.clone(), binding, trust })
}
