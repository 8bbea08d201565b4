//! People of all organizations, and the operators themselves, as operators manage them.

mod access;
mod http;
mod list;
mod queries;
mod rules;

pub use http::api;
