//! The service accounts of an organization, up to its limit.

pub mod http;
mod queries;
