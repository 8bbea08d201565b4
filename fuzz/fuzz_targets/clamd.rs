//! Answers of the malware scanner.
#![no_main]

use libfuzzer_sys::fuzz_target;
use platform::malware::{Verdict, verdict};

fuzz_target!(|said: &str| {
    if let Ok(Verdict::Infected(name)) = verdict(said) {
        assert!(name.chars().count() <= 200 && !name.contains(char::is_control), "{name:?}");
    }
});
