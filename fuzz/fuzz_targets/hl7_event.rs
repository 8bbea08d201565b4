//! Events of an EHR about its patients, visits and orders.
#![no_main]

use clinical::hl7::Message;
use exchange::receive::hospital::Told;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for kind in ["ADT^A01", "ADT^A08", "ADT^A40", "ADT^A47", "SIU^S12", "OMG^O19"] {
        let mut frame = format!("MSH|^~\\&|||||||{kind}|1|P|2.5.1\r").into_bytes();
        frame.extend_from_slice(bytes);
        let Ok(message) = Message::read(&frame) else { continue };
        if let Ok(told) = Told::read(&message) {
            assert!(!told.patient.record_number().number.is_empty());
        }
    }
});
