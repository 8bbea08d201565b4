//! The sessions of a person.

pub mod http;
pub mod queries;

pub use queries::{end_access, open_of};
