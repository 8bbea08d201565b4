//! The subscription of an organization: its plan, its end and its return.

pub mod billing;
pub mod chores;
pub mod http;
pub mod queries;
pub mod types;
