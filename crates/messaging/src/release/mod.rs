//! Sending: drafts, the list of what was sent, and the act of sending.

pub mod drafts;
pub mod http;
pub mod queries;
pub mod rules;
pub mod summary;
