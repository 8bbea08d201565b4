//! Fax numbers as people and other systems write them.
#![no_main]

use fax::{FaxNumber, Home};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = FaxNumber::from_e164(text);
    let _ = FaxNumber::parse(text, &Home::default());
});
