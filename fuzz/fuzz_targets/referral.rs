//! Referrals that come in: the HL7 v2 message, the package around it and its metadata.
#![no_main]

use clinical::referral::{Message, message_of, package, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = Message::parse(bytes) {
        assert!(!message.referral_id.is_empty());
    }
    let _ = read(bytes);
    let _ = message_of(bytes);
    let _ = package::described(bytes);
});
