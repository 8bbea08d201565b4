//! Reports about the whole installation, as CSV.

mod events;
pub mod http;
mod queries;
pub mod types;
