//! The Intake list.

pub mod http;
pub mod queries;
