use super::{SealError, SealOptions};
use crate::cert::{Certificate, Identity};
/// Wraps the inner message as `message/rfc822`, signs it, encrypts it to all recipients, and returns the
/// outer MIME message with only the headers that may be seen on the way.
pub fn seal(
    _inner: &[u8],
    _signer: &Identity,
    _recipients: &[Certificate],
    _options: SealOptions,
) -> Result<Vec<u8>, SealError> {
    unimplemented!()
}
