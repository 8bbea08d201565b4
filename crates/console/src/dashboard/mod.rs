//! What an administrator sees of the organization at a look.

pub mod health;
pub mod http;
mod queries;
pub mod types;
