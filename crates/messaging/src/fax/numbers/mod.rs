//! The fax numbers of an organization, as document sources.

pub mod http;
pub mod queries;
