use super::{AskedNotices, Notice};
use crate::mime::ParsedMessage;
/// Reads a notice; none when the message is no notice.
pub fn read_notice(_message: &ParsedMessage) -> Option<Notice> {
    unimplemented!()
}
/// Which notices a received message is owed.
pub fn asked_notices(_message: &ParsedMessage) -> AskedNotices {
    unimplemented!()
}
