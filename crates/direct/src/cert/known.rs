//! A cache of parsed certificates.
//!
//! Parsing a certificate costs OpenSSL about as much as verifying a signature with its key, and every message has the
//! same few (anchors, our own, those of partners). The key is the encoding itself, so entries cannot be outdated.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use openssl::error::ErrorStack;
use openssl::x509::X509;

/// Most entries; a full cache is cleared.
const MAX_ENTRIES: usize = 1000;
/// Longest cached encoding, in bytes.
const MAX_SIZE: usize = 8 << 10;

/// Certificates by one of their encodings.
pub(super) struct Known(LazyLock<Mutex<HashMap<Box<[u8]>, X509>>>);

pub(super) static FROM_DER: Known = Known(LazyLock::new(Mutex::default));
pub(super) static FROM_PEM: Known = Known(LazyLock::new(Mutex::default));

impl Known {
    /// The certificate of these bytes, parsed only if it is not cached.
    pub(super) fn read(
        &self,
        encoded: &[u8],
        read: fn(&[u8]) -> Result<X509, ErrorStack>,
    ) -> Result<X509, ErrorStack> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(encoded) {
            return Ok(found.clone());
        }
        let x509 = read(encoded)?;
        if encoded.len() <= MAX_SIZE {
            let mut known = known();
            if known.len() >= MAX_ENTRIES {
                known.clear();
            }
            known.insert(encoded.into(), x509.clone());
        }
        Ok(x509)
    }
}
