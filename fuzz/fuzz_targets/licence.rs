//! Licences of connectors: none is taken that the key did not sign.
#![no_main]

use console::licences::format::{Refusal, verify};
use libfuzzer_sys::fuzz_target;
use openssl::pkey::{Id, PKey};

fuzz_target!(|text: &str| {
    // The base point of the curve is a key that nobody signs with.
    let mut point = [0x66; 32];
    point[0] = 0x58;
    let key = PKey::public_key_from_raw_bytes(&point, Id::ED25519).expect("a public key");
    for text in [text.to_owned(), format!("CPL1.{text}")] {
        let refusal = verify(&text, &key, None).expect_err("nobody signed it");
        assert!(matches!(refusal, Refusal::Malformed | Refusal::Forged));
    }
});
