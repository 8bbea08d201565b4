//! Licences for connectors: issued by operators, signed so that a connector can check one without a network.

pub mod format;
mod http;
mod odata;
mod queries;
pub mod signing;
mod types;

pub use http::api;
