//! Chains that lead to the anchors of one set, as they were built before.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;

use crate::cert::Certificate;

/// Most chains kept for one set; when it is full it starts anew.
const MAX_CHAINS: usize = 64;

/// A chain does not change as long as all of it is valid, so its signatures are checked once. Whether something in it is
/// revoked is asked each time, elsewhere.
#[derive(Debug, Default)]
pub(super) struct KnownChains(Mutex<HashMap<Parts, Chain>>);

/// The SHA-256 of the certificate and of what it came with.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Parts(Vec<u8>);

impl Parts {
    pub(super) fn of(certificate: &Certificate, helpers: &[Certificate]) -> Result<Self, ErrorStack> {
        let mut digests = Vec::with_capacity(32 * (helpers.len() + 1));
        for part in std::iter::once(certificate).chain(helpers) {
            digests.extend_from_slice(&part.as_x509().digest(MessageDigest::sha256())?);
        }
        Ok(Self(digests))
    }
}

#[derive(Debug)]
struct Chain {
    /// When the last of its certificates becomes valid.
    from: DateTime<Utc>,
    /// When the first of them ends to be.
    until: DateTime<Utc>,
    certificates: Vec<Certificate>,
}

impl KnownChains {
    /// The chain that was built of these, if it is valid at that moment.
    pub(super) fn get(&self, parts: &Parts, at: DateTime<Utc>) -> Option<Vec<Certificate>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let chain = known.get(parts).filter(|chain| chain.from <= at && at <= chain.until)?;
        Some(chain.certificates.clone())
    }

    pub(super) fn put(&self, parts: Parts, certificates: &[Certificate]) {
        let periods = || certificates.iter().map(Certificate::period);
        let (Some(from), Some(until)) =
            (periods().map(|p| p.not_before).max(), periods().map(|p| p.not_after).min())
        else {
            return;
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CHAINS {
            known.clear();
        }
        known.insert(parts, Chain { from, until, certificates: certificates.to_vec() });
    }
}
