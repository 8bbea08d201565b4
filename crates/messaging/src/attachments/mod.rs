//! Files of messages: upload, download, previews, what can be read from them.

pub mod http;
pub mod preview;
pub mod queries;
pub mod sweep;
mod upload;
