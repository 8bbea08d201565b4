//! The subscription of an organization: its plan, cancellation and reactivation.

pub mod billing;
pub mod chores;
pub mod http;
pub mod queries;
pub mod types;
