//! Codes that people type: e-mailed codes and recovery codes.

use platform::{App, Error, Result};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Number of recovery codes in a set.
pub const RECOVERY_CODES: usize = 10;
/// Length of a recovery code in characters: 140 random bits, so that stored hashes do not reveal the codes.
const RECOVERY_LENGTH: usize = 28;
/// Without letters and digits that look alike.
const ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// Six random digits.
pub fn email_code() -> Result<String> {
    const VALUES: u32 = 1_000_000;
    // Values above the last multiple of a million would make some codes more likely than others.
    const FAIR: u32 = u32::MAX - u32::MAX % VALUES;
    loop {
        let mut bytes = [0; 4];
        openssl::rand::rand_bytes(&mut bytes).map_err(Error::internal)?;
        let number = u32::from_be_bytes(bytes);
        if number < FAIR {
            return Ok(format!("{:06}", number % VALUES));
        }
    }
}

/// The stored form of an e-mailed code. A million codes are quickly tried, so the hash is sealed too.
pub fn seal_email_code(app: &App, challenge_id: Uuid, code: &str) -> Vec<u8> {
    app.keys.master().seal(&context(challenge_id), &Sha256::digest(code))
}

pub fn is_email_code(app: &App, challenge_id: Uuid, sealed: &[u8], given: &str) -> Result<bool> {
    use subtle::ConstantTimeEq;
    let hash = app.keys.open_secret(&context(challenge_id), sealed)?;
    Ok(hash.ct_eq(&Sha256::digest(given)).into())
}

fn context(challenge_id: Uuid) -> String {
    format!("sign_in_challenge.code:{challenge_id}")
}

/// Ten new recovery codes as displayed.
pub fn recovery_codes() -> Result<Vec<String>> {
    (0..RECOVERY_CODES).map(|_| recovery_code()).collect()
}

fn recovery_code() -> Result<String> {
    let mut bytes = [0; RECOVERY_LENGTH];
    openssl::rand::rand_bytes(&mut bytes).map_err(Error::internal)?;
    let letters: Vec<u8> = bytes.iter().map(|b| ALPHABET[usize::from(b % 32)]).collect();
    let groups: Vec<&str> =
        letters.chunks(4).map(|group| std::str::from_utf8(group).expect("ASCII")).collect();
    Ok(groups.join("-"))
}

/// The stored form of a recovery code. With 140 random bits, a plain hash cannot be reversed.
pub fn recovery_hash(user_id: Uuid, given: &str) -> Vec<u8> {
    let plain: String = given.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    Sha256::new().chain_update(user_id.as_bytes()).chain_update(plain).finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn recovery_codes_differ_and_are_known_however_they_are_typed() {
        let codes = recovery_codes().expect("codes");
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 10);
        let (me, other) = (Uuid::now_v7(), Uuid::now_v7());
        let typed = format!(" {} ", codes[0].replace('-', " ").to_uppercase());
        assert_eq!(recovery_hash(me, &codes[0]), recovery_hash(me, &typed));
        assert_ne!(recovery_hash(me, &codes[0]), recovery_hash(other, &codes[0]));
    }

    #[test]
    fn a_code_by_e_mail_has_six_digits() {
        for _ in 0..100 {
            let code = email_code().expect("a code");
            assert!(code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit()), "{code}");
        }
    }
}
