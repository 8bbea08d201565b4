//! Random secrets, their stored hashes, and the type for secrets in requests and answers.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{fmt, ops::Deref};
use utoipa::ToSchema;

/// A password, code or token in a request or an answer. It is hidden in logs, and capture does not store bodies of
/// operations with this type: the API description marks it with the format `password`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = Password, max_length = 4096)]
pub struct Secret(String);

impl Deref for Secret {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Secret> for String {
    fn from(secret: Secret) -> Self {
        secret.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// 256 bits from the operating system, in URL-safe text.
pub fn random_token() -> String {
    let mut bytes = [0u8; 32];
    openssl::rand::rand_bytes(&mut bytes).expect("the operating system gives random bytes");
    token_of(bytes)
}

/// A token of 32 random bytes.
pub fn token_of(bytes: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The stored form of a token. The token has 256 random bits, so a plain hash is enough.
pub fn token_hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}
