use super::{MimeError, MimeLimits, ParsedMessage};
/// Parses a message within the limits.
pub fn parse(_raw: &[u8], _limits: &MimeLimits) -> Result<ParsedMessage, MimeError> {
    unimplemented!()
}
