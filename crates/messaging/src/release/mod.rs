//! Sending: drafts, the list of what was sent, and the act of sending.

mod attach;
pub mod deliver;
pub mod delivery_summary;
pub mod drafts;
pub mod failures;
pub mod http;
mod printable;
pub mod queries;
pub mod release_types;
pub mod rules;
pub mod summary;
