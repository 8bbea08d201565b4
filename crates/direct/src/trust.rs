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

/// A set of trust anchors; an anchor may be a root, an intermediate or the verified certificate itself. A tenant has
/// separate incoming and outgoing sets, kept by the caller.
#[derive(Debug, Clone, Default)]
pub struct AnchorSet {
    anchors: Arc<Vec<Certificate>>,
    policies: Arc<PolicyRequirements>,
    /// Fingerprints of anchors that require a revocation check.
    strict: Arc<BTreeSet<String>>,
    /// Chains already found to lead to these anchors.
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

    /// The same anchors. Certificates below the anchors with these fingerprints are refused while a revocation list
    /// is unavailable, regardless of [`UnknownRevocation`].
    pub fn requiring_revocation(self, fingerprints: impl IntoIterator<Item = String>) -> Self {
        Self { strict: Arc::new(fingerprints.into_iter().collect()), known: Arc::default(), ..self }
    }

    fn requires_revocation(&self, anchor: &Certificate) -> bool {
        !self.strict.is_empty() && self.strict.contains(&anchor.fingerprint())
    }

    /// Whether both are the identical set, not just sets with equal anchors.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// The anchors.
    pub fn anchors(&self) -> &[Certificate] {
        &self.anchors
    }
}

/// Required certificate policies of a chain (RFC 5280 6.1.1 c to f), in addition to the requirements in the
/// certificates of the chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyRequirements {
    /// Object identifiers of the accepted policies, dotted; empty accepts any policy.
    pub accepted: Vec<String>,
    /// Every certificate of the chain must assert an accepted policy (initial-explicit-policy).
    pub explicit: bool,
    /// An issuer may not map its own policy to an accepted one (initial-policy-mapping-inhibit).
    pub inhibit_mapping: bool,
    /// anyPolicy in a certificate is ignored (initial-any-policy-inhibit).
    pub inhibit_any: bool,
}

impl FromIterator<Certificate> for AnchorSet {
    fn from_iter<I: IntoIterator<Item = Certificate>>(anchors: I) -> Self {
        Self::new(anchors.into_iter().collect())
    }
}

/// Policy for a certificate whose CRL is unavailable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownRevocation {
    /// Treat the certificate as not revoked (as Direct agents commonly do) and report it in the verdict.
    #[default]
    Accept,
    /// Do not use the certificate: [`Untrusted::RevocationUnknown`]; try again later.
    Refuse,
}

/// Result of the revocation check of a trusted certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevocationStatus {
    /// Every certificate of the chain with a CRL was checked.
    Checked,
    /// No certificate of the chain names a CRL.
    NotPublished,
    /// A CRL was unavailable; the reason in plain words.
    Unavailable(String),
}

/// A certificate that leads to an anchor.
#[derive(Debug, Clone)]
pub struct TrustedChain {
    /// From the certificate itself to the anchor.
    pub chain: Vec<Certificate>,
    /// Result of the revocation check.
    pub revocation: RevocationStatus,
}

impl TrustedChain {
    /// The anchor that the chain ended in.
    pub fn anchor(&self) -> Option<&Certificate> {
        self.chain.last()
    }
}

/// Why a certificate is not trusted. The messages continue "The certificate ...".
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
    /// The chain is invalid for another reason.
    #[error("is not acceptable: {0}")]
    Invalid(String),
    /// The revocation list is unavailable and the setting requires it.
    #[error("could not be checked for revocation")]
    RevocationUnknown,
}

impl Untrusted {
    /// Whether a later attempt may have a different result.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::RevocationUnknown)
    }
}
