//! Messages that are unsent or failed, by recipient, and how to resolve them.

pub mod http;
mod queries;
pub mod types;
