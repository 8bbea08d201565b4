//! The Intake: messages that arrive, and their list.

pub mod arrival;
pub mod duplicates;
pub mod filters;
pub mod http;
pub mod queries;
mod reading;
pub mod receive;
pub mod returning;
pub mod types;
pub mod whose;
