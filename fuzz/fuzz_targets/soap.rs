//! Answers over SOAP: the parts, the envelope and the registry response.
#![no_main]

use exchange::{soap, xdr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (content_type, body) = input;
    let judge = |answer: soap::Answer| xdr::judged(answer.content).into_result();
    let _ = soap::answered(&soap::package(content_type, body), uuid::Uuid::nil(), judge);
});
