//! Rich text of Outlook: what is packed, and the words of what is not.
#![no_main]

use outlook::rtf;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(unpacked) = rtf::unpack(data) {
        let _ = rtf::text(&unpacked);
    }
    assert!(rtf::text(data).len() <= data.len() * 4);
});
