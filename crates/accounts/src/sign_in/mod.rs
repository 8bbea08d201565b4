//! Sign-in, renewal, sign-out and the switch between organizations.

pub mod chores;
pub mod http;
pub mod places;
pub mod queries;
mod rules;

pub use places::Place;
pub use queries::count_failure;
pub use rules::{locked, refused};
