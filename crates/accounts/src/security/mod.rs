//! Sign-in requirements of an organization, set by its administrators.

pub mod http;
mod queries;
mod rules;
pub mod types;
