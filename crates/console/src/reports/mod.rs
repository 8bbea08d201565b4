//! Reports about the whole installation, as CSV.

mod chosen;
mod events;
pub mod generated;
pub mod http;
pub mod queries;
pub mod types;
mod usage;
