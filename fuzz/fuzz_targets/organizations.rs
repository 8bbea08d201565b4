//! Organizations that a directory of the network answers as a FHIR bundle.
#![no_main]

use console::carequality::fhir::found;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let resource = [&br#"{"entry":[{"resource":"#[..], bytes, b"}]}"].concat();
    for bundle in [bytes, &resource[..]] {
        if let Ok(Some(organization)) = found(bundle, "2.16.840.1") {
            assert!(!organization.country.is_empty());
            let _ = organization.responder_type();
        }
    }
});
