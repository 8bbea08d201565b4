//! Imports of organizations from CSV and Excel files: a check first, then a workflow that creates them row by row.

pub mod http;
pub mod queries;
pub mod rules;
pub mod steps;
pub mod table;
pub mod types;
mod unpacking;

pub use http::api;
pub use steps::registry;
