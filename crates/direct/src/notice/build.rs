use super::{DsnDraft, MdnDraft};
use crate::mime::MimeError;
pub(super) fn mdn(_draft: &MdnDraft) -> Result<Vec<u8>, MimeError> {
    unimplemented!()
}
pub(super) fn dsn(_draft: &DsnDraft) -> Result<Vec<u8>, MimeError> {
    unimplemented!()
}
