//! Files that stand as Base64 inside of messages and documents, whatever the standard around them: HL7 v2, CDA, FHIR, ITI-41.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Senders pad, or do not, and some leave bits behind.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The bytes of Base64 as senders write it: with line breaks and blanks, with or without padding, in the alphabet of URLs too.
/// `None` for what is none, for half a file is worse than no file.
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
