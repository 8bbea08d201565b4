//! Reports about the whole installation, as CSV.

pub mod http;
mod queries;
