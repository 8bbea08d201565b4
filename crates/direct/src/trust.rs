//! Trust: chains that end in an anchor, revocation, missing intermediates, trust bundles.

mod budget;
mod bundle;
mod chain;
mod known;
mod revocation;
mod verify;

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};

pub use budget::{FetchBudget, MAX_FETCH_TIME, MAX_FETCHES, Unavailable};
pub use bundle::{BundleError, BundleSignature, MAX_BUNDLE, TrustBundle, parse_bundle};
pub use chain::{MissingIssuers, TrustEngine};
pub use revocation::{
    Crl, HostedCrls, HttpCrlSource, HttpIssuerSource, IssuerSource, LayeredRevocation, RevocationSource,
};

use crate::cert::Certificate;
use known::KnownChains;

/// A set of trust anchors; an anchor may be a root, an intermediate or the very certificate judged. Incoming
/// and outgoing sets of a tenant are two sets, kept by the caller.
#[derive(Debug, Clone, Default)]
pub struct AnchorSet {
    anchors: Arc<Vec<Certificate>>,
    policies: Arc<PolicyRequirements>,
    /// Fingerprints of anchors below which revocation must be known.
    strict: Arc<BTreeSet<String>>,
    /// What was found to lead to these anchors.
    known: Arc<KnownChains>,
}

impl AnchorSet {
    /// A set of these anchors.
    pub fn new(anchors: Vec<Certificate>) -> Self {
        Self { anchors: Arc::new(anchors), ..Self::default() }
    }

    /// The same anchors, for chains that meet these requirements.
    pub fn requiring(self, policies: PolicyRequirements) -> Self {
        Self { policies: Arc::new(policies), known: Arc::default(), ..self }
    }

    /// The same anchors. Certificates below those with these fingerprints are refused while a revocation list cannot be had,
    /// whatever [`UnknownRevocation`] says.
    pub fn requiring_revocation(self, fingerprints: impl IntoIterator<Item = String>) -> Self {
        Self { strict: Arc::new(fingerprints.into_iter().collect()), known: Arc::default(), ..self }
    }

    fn requires_revocation(&self, anchor: &Certificate) -> bool {
        !self.strict.is_empty() && self.strict.contains(&anchor.fingerprint())
    }

    /// Whether both are the very same set, not only of equal anchors.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// The anchors.
    pub fn anchors(&self) -> &[Certificate] {
        &self.anchors
    }
}

/// What is asked of the certificate policies of a chain (RFC 5280 6.1.1 c to f). What the certificates of the chain ask
/// for themselves holds in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyRequirements {
    /// Object identifiers of the policies that are accepted, dotted; any policy when there are none.
    pub accepted: Vec<String>,
    /// Every certificate of the chain must assert an accepted policy (initial-explicit-policy).
    pub explicit: bool,
    /// An issuer may not call a policy of its own equal to an accepted one (initial-policy-mapping-inhibit).
    pub inhibit_mapping: bool,
    /// anyPolicy in a certificate stands for nothing (initial-any-policy-inhibit).
    pub inhibit_any: bool,
}

impl FromIterator<Certificate> for AnchorSet {
    fn from_iter<I: IntoIterator<Item = Certificate>>(anchors: I) -> Self {
        Self::new(anchors.into_iter().collect())
    }
}

/// What to do when a certificate names a CRL that cannot be had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownRevocation {
    /// Take the certificate as not revoked (what Direct agents commonly do) and say so in the verdict.
    #[default]
    Accept,
    /// Do not use the certificate: [`Untrusted::RevocationUnknown`], worth another try later.
    Refuse,
}

/// How far revocation was checked for a trusted certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevocationStatus {
    /// Every certificate of the chain that names a CRL was looked up in it.
    Checked,
    /// No certificate of the chain names a CRL.
    NotPublished,
    /// A CRL could not be had; the reason, in plain words.
    Unavailable(String),
}

/// A certificate that leads to an anchor.
#[derive(Debug, Clone)]
pub struct TrustedChain {
    /// From the certificate itself to the anchor.
    pub chain: Vec<Certificate>,
    /// How far revocation was checked.
    pub revocation: RevocationStatus,
}

impl TrustedChain {
    /// The anchor that the chain ended in.
    pub fn anchor(&self) -> Option<&Certificate> {
        self.chain.last()
    }
}

/// Why a certificate is not trusted. The sentences continue "The certificate ...".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// Before its first day, or a certificate of its chain is.
    #[error("is not yet valid")]
    NotYetValid,
    /// After its last day, or a certificate of its chain is.
    #[error("has expired")]
    Expired,
    /// On the revocation list of its issuer since then, or a certificate of its chain is.
    #[error("was revoked on {}", .0.format("%Y-%m-%d"))]
    Revoked(DateTime<Utc>),
    /// No chain leads to an anchor of the set.
    #[error("does not lead to a trusted anchor")]
    NoAnchor,
    /// A key or signature of the chain is too weak.
    #[error("has a key or signature that is too weak")]
    Weak,
    /// The chain is broken otherwise.
    #[error("is not acceptable: {0}")]
    Invalid(String),
    /// The revocation list could not be had and the setting says to refuse then.
    #[error("could not be checked for revocation")]
    RevocationUnknown,
}

impl Untrusted {
    /// Whether trying again later may end otherwise.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::RevocationUnknown)
    }
}
