//! Frames of MLLP and acknowledgements, however they are cut.
#![no_main]

use exchange::{hl7, mllp::Frames};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut frames = Frames::default();
    for piece in bytes.chunks(5) {
        frames.feed(piece);
        while let Ok(Some(frame)) = frames.next(1 << 16) {
            let _ = hl7::ack(&frame);
        }
    }
});
