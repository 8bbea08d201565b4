//! The sessions of a person.

pub mod http;
pub mod queries;

pub use queries::open_of;
