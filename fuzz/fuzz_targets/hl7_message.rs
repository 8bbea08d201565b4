//! HL7 messages that come in: character set, separators, header, documents, and the answers to them.
#![no_main]

use clinical::hl7::Message;
use exchange::receive::{
    ack::{self, Problem},
    message::{Content, Header},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut frame = b"MSH|^~\\&|".to_vec();
    frame.extend_from_slice(bytes);
    for frame in [bytes, &frame[..]] {
        let Ok(message) = Message::read(frame) else { continue };
        let (_, verdict) = Header::read(&message);
        let _ = Content::read(&message);
        for verdict in [verdict, Ok(()), Err(Problem::ours("x"))] {
            assert!(ack::answers(&message, verdict, Default::default(), "A").len() <= 2);
        }
    }
});
