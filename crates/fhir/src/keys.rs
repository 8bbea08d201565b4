//! Keys of SMART Backend Services: EC P-384 with ES384 (RFC 7518), published as JWKs (RFC 7517).

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use std::fmt;

/// Bytes of one coordinate of P-384.
const COORDINATE: usize = 48;

/// Not an EC P-384 key in PKCS#8, or no key could be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a key for ES384")]
pub struct BadKey;

/// A private key for ES384.
pub struct SigningKey {
    pair: EcdsaKeyPair,
    pkcs8: Vec<u8>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("key_id", &self.key_id()).finish_non_exhaustive()
    }
}

impl SigningKey {
    /// A new key.
    pub fn generate() -> Result<Self, BadKey> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &SystemRandom::new());
        Self::from_pkcs8(made.map_err(|_| BadKey)?.as_ref())
    }

    /// The key of [`Self::pkcs8`].
    pub fn from_pkcs8(pkcs8: &[u8]) -> Result<Self, BadKey> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, pkcs8).map_err(|_| BadKey)?;
        Ok(Self { pair, pkcs8: pkcs8.to_vec() })
    }

    /// The private key in PKCS#8, to be kept sealed.
    pub fn pkcs8(&self) -> Vec<u8> {
        self.pkcs8.clone()
    }

    /// Thumbprint of the public key (RFC 7638).
    pub fn key_id(&self) -> String {
        let (x, y) = self.coordinates();
        // The members of RFC 7638, in the order of their names and without blanks.
        let members = format!(r#"{{"crv":"P-384","kty":"EC","x":"{x}","y":"{y}"}}"#);
        URL_SAFE_NO_PAD.encode(digest(&SHA256, members.as_bytes()))
    }

    /// The public key as a JWK.
    pub fn public_jwk(&self) -> Value {
        let (x, y) = self.coordinates();
        json!({
            "kty": "EC", "crv": "P-384", "x": x, "y": y,
            "kid": self.key_id(), "use": "sig", "alg": "ES384", "key_ops": ["verify"],
        })
    }

    fn coordinates(&self) -> (String, String) {
        // An uncompressed point: 04, x, y.
        let point = self.pair.public_key().as_ref();
        let (x, y) = point.get(1..).unwrap_or_default().split_at_checked(COORDINATE).unwrap_or_default();
        (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y))
    }

    /// The claims as a signed token (RFC 7519).
    pub(crate) fn sign(&self, claims: &Value) -> Result<String, BadKey> {
        let header = json!({"alg": "ES384", "kid": self.key_id(), "typ": "JWT"});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).map_err(|_| BadKey)?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// A key set (RFC 7517) of the public keys: the current one, and the next or the previous one while keys change.
pub fn jwks(keys: &[&SigningKey]) -> Value {
    json!({"keys": keys.iter().map(|key| key.public_jwk()).collect::<Vec<_>>()})
}
