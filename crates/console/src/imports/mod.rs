//! Imports of organizations from CSV and Excel files: checked first, then made row by row by a workflow.

pub mod http;
pub mod queries;
pub mod rules;
pub mod steps;
pub mod table;
mod unpacking;

pub use http::api;
pub use steps::registry;
