//! Signatures according to Standard Webhooks: HMAC-SHA-256 over id, time and body, so that an endpoint can verify the
//! sender and detect replays.

use aws_lc_rs::{hmac, rand};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use platform::{Error, Result};

/// Prefix of a key shown to administrators.
const PREFIX: &str = "whsec_";
/// Bytes of a key.
const KEY: usize = 32;

/// A new key.
pub fn new_key() -> Result<Vec<u8>> {
    let mut key = vec![0; KEY];
    rand::fill(&mut key).map_err(|_| Error::internal("no random bytes are available"))?;
    Ok(key)
}

/// A key in its displayed form.
pub fn text_of(key: &[u8]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(key))
}

/// The header `webhook-signature`.
pub fn signature(key: &[u8], id: &str, at: DateTime<Utc>, body: &[u8]) -> String {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    context.update(format!("{id}.{}.", at.timestamp()).as_bytes());
    context.update(body);
    format!("v1,{}", STANDARD.encode(context.sign().as_ref()))
}
