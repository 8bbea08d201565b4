//! The Intake: arriving messages and their list.

pub mod duplicates;
pub mod filters;
pub mod http;
pub mod queries;
mod reading;
pub mod receive;
pub mod types;
