//! Base64 files inside messages and documents of any standard: HL7 v2, CDA, FHIR, ITI-41.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Padding is optional, and trailing bits are ignored.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes Base64 as written by senders: with line breaks and spaces, with or without padding, also in the URL
/// alphabet. `None` if any part is invalid, since half a file is worse than none.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && !byte.is_ascii_control())
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            byte => byte,
        })
        .collect();
    while digits.last() == Some(&b'=') {
        digits.pop();
    }
    LENIENT.decode(digits).ok()
}
