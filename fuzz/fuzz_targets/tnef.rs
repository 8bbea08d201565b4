#![no_main]

#[allow(dead_code)]
#[path = "../../crates/documents/tests/it/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::tnef(data));
