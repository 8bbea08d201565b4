//! Random secrets and the hashes under which they are kept.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// 256 bits from the operating system, in URL-safe text.
pub fn random_token() -> String {
    let mut bytes = [0u8; 32];
    openssl::rand::rand_bytes(&mut bytes).expect("the operating system gives random bytes");
    token_of(bytes)
}

/// A token made of 32 bytes that nobody can guess.
pub fn token_of(bytes: [u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What the database keeps of a token. The token has 256 random bits, so a plain hash is enough.
pub fn token_hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}
