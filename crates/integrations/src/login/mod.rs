//! Sign-ins of people at their EHR, in a window of its own.

pub mod callback;
pub mod http;
pub mod tokens;

pub use http::api;
