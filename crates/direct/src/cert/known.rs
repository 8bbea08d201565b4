//! Certificates that were read before.
//!
//! Reading one costs OpenSSL about as much as checking a signature with its key, and the same few (anchors, our own,
//! those of partners) are met with every message. They are found by their very bytes, so nothing can be out of date.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use openssl::error::ErrorStack;
use openssl::x509::X509;

/// Most that are kept; the collection starts anew then.
const MOST: usize = 1000;
/// Longer ones are not kept, in bytes.
const LARGEST: usize = 8 << 10;

/// Those read from one encoding.
pub(super) struct Known(LazyLock<Mutex<HashMap<Box<[u8]>, X509>>>);

pub(super) static FROM_DER: Known = Known(LazyLock::new(Mutex::default));
pub(super) static FROM_PEM: Known = Known(LazyLock::new(Mutex::default));

impl Known {
    /// The certificate of these bytes, read only when they are new.
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
        if encoded.len() <= LARGEST {
            let mut known = known();
            if known.len() >= MOST {
                known.clear();
            }
            known.insert(encoded.into(), x509.clone());
        }
        Ok(x509)
    }
}
