//! Sending: drafts, the list of what was sent, and the act of sending.

pub mod attach;
mod corrections;
pub mod deliver;
pub mod delivery_summary;
pub mod drafts;
pub mod failures;
pub mod fax_pages;
pub mod http;
mod printable;
pub mod queries;
pub mod release_types;
pub mod routing;
pub mod rules;
pub mod summary;
mod undo;
