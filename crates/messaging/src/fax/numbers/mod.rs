//! The fax numbers of an organization, as document sources.

pub mod http;
pub mod providers;
pub mod queries;
pub mod types;
