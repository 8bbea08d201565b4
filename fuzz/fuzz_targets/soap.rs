//! Answers over SOAP: the parts, the envelope and the registry response.
#![no_main]

use exchange::{soap, xdr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (content_type, body) = input;
    let _ = soap::read(soap::root_part(content_type, body), uuid::Uuid::nil(), xdr::judged);
});
