//! Files of messages: upload, download, previews, malware scan, conversions and reading.

pub(crate) mod answers;
pub mod convert;
pub(crate) mod describe;
mod explorer;
pub mod extract;
pub mod form;
pub(crate) mod held;
pub mod http;
pub(crate) mod opening;
pub mod parts;
pub mod preview;
pub mod queries;
pub mod scan;
pub(crate) mod upload;
pub mod view;
