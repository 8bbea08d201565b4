//! What fax servers and services say of calls and of faxes that came in.
#![no_main]

use fax::providers::{efax, hylafax, westfax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    hylafax::read_as_each(text);
    if let Ok(answer) = serde_json::from_str::<serde_json::Value>(text) {
        let _ = efax::reception(&answer);
        let _ = westfax::reception(&answer);
    }
});
