use super::{MimeError, OutgoingMessage};
pub(super) fn build(_message: &OutgoingMessage) -> Result<Vec<u8>, MimeError> {
    unimplemented!()
}
