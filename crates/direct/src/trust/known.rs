//! Cache of verified chains to the anchors of one set.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use chrono::{DateTime, Utc};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;

use super::Crl;
use crate::cert::Certificate;

/// Most cached chains of one set; a full cache is cleared.
const MAX_CHAINS: usize = 64;

/// Cache of chains. A chain stays the same while all of it is valid, so its signatures are checked once. A
/// certificate found unrevoked in the same lists is not checked again while they are in force.
#[derive(Debug, Default)]
pub(super) struct KnownChains {
    chains: Mutex<HashMap<Parts, Chain>>,
    unrevoked: Mutex<HashMap<Parts, Unrevoked>>,
}

/// Lists that do not contain a certificate.
#[derive(Debug)]
struct Unrevoked {
    lists: Vec<Weak<Crl>>,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

/// SHA-256 of the certificate and its helpers.
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
    /// Latest start of validity of its certificates.
    from: DateTime<Utc>,
    /// Earliest end of validity of its certificates.
    until: DateTime<Utc>,
    certificates: Vec<Certificate>,
}

impl KnownChains {
    /// The cached chain, if it is valid at that moment.
    pub(super) fn get(&self, parts: &Parts, at: DateTime<Utc>) -> Option<Vec<Certificate>> {
        let known = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut known = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CHAINS {
            known.clear();
        }
        known.insert(parts, Chain { from, until, certificates: certificates.to_vec() });
    }

    /// Whether the certificate was found unrevoked in exactly these lists, which are in force at that moment.
    pub(super) fn is_unrevoked(&self, parts: &Parts, lists: &[Arc<Crl>], at: DateTime<Utc>) -> bool {
        let known = self.unrevoked.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(parts).is_some_and(|known| {
            let same = |(known, list): (&Weak<Crl>, &Arc<Crl>)| known.as_ptr() == Arc::as_ptr(list);
            known.from <= at
                && at <= known.until
                && known.lists.len() == lists.len()
                && known.lists.iter().zip(lists).all(same)
        })
    }

    pub(super) fn put_unrevoked(&self, parts: Parts, lists: &[Arc<Crl>], at: DateTime<Utc>) {
        let until = lists.iter().map(|list| list.next_update()).min().unwrap_or(at);
        let mut known = self.unrevoked.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CHAINS {
            known.clear();
        }
        let lists = lists.iter().map(Arc::downgrade).collect();
        known.insert(parts, Unrevoked { lists, from: at, until });
    }
}
