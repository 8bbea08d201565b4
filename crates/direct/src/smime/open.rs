use super::{OpenError, Opened};
use crate::cert::Identity;
/// Decrypts a message with the first of our identities it is encrypted to, and inspects every signer.
pub fn open(_raw: &[u8], _identities: &[Identity]) -> Result<Opened, OpenError> {
    unimplemented!()
}
