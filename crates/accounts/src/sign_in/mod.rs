//! Sign-in, renewal, sign-out and the switch between organizations.

pub mod chores;
pub mod http;
pub mod queries;
mod rules;

pub use queries::{count_failure, is_locked};
pub use rules::{locked, refused};
