//! What a domain says in signed DNS about the certificates of its servers.

use aws_lc_rs::digest::{SHA256, SHA512, digest};
use openssl::x509::X509;

/// A TLSA record (RFC 6698 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tlsa {
    /// 2 names an authority, 3 the server's own certificate; others are not used for mail (RFC 7672 3.1.3).
    pub usage: u8,
    /// 0 for the whole certificate, 1 for its public key.
    pub selector: u8,
    /// 0 for the bytes themselves, 1 for their SHA-256, 2 for their SHA-512.
    pub matching: u8,
    /// What is matched.
    pub data: Vec<u8>,
}

impl Tlsa {
    /// Whether the record can be used at all. A host with no other ones is spoken to encrypted, and not judged.
    pub fn is_usable(&self) -> bool {
        matches!(self.usage, 2 | 3) && self.selector <= 1 && self.matching <= 2
    }

    pub(crate) fn fits(&self, certificate: &[u8]) -> bool {
        let key;
        let selected = match self.selector {
            0 => certificate,
            _ => match public_key(certificate) {
                Some(found) => {
                    key = found;
                    &key[..]
                }
                None => return false,
            },
        };
        match self.matching {
            0 => selected == self.data,
            1 => digest(&SHA256, selected).as_ref() == self.data,
            _ => digest(&SHA512, selected).as_ref() == self.data,
        }
    }
}

/// SubjectPublicKeyInfo in DER.
fn public_key(certificate: &[u8]) -> Option<Vec<u8>> {
    X509::from_der(certificate).ok()?.public_key().ok()?.public_key_to_der().ok()
}
