//! An administrator's overview of the organization.

pub mod health;
pub mod http;
mod queries;
pub mod types;
