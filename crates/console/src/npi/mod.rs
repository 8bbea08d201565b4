//! Looking up National Provider Identifiers.

pub mod http;
pub mod registry;
