//! Accounts of all organizations, and of the operators themselves, as operators manage them.

mod access;
pub mod http;
mod list;
mod queries;
mod rules;
mod types;

pub use http::api;
