//! Requests to provide documents: parts, envelope, metadata, documents.
#![no_main]

use exchange::receive::provide;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (content_type, body) = input;
    let body = bytes::Bytes::copy_from_slice(body);
    for kind in [content_type, "application/soap+xml", "multipart/related; boundary=b"] {
        let (asked, provided) = provide::read(kind, &body);
        if let Err(refusal) = provided {
            assert!(!asked.refused(&refusal).body.is_empty());
        }
    }
});
