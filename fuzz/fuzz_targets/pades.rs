#![no_main]

#[allow(dead_code)]
#[path = "../../crates/pades/tests/it/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| _ = targets::prepare(data));
