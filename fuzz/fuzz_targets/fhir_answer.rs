#![no_main]

#[allow(dead_code)]
#[path = "../../crates/fhir/tests/it/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::fhir_answer(data));
