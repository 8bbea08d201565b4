//! Passwords: hashes, what a new one must be, and how a person gets another.

mod hashes;
pub mod http;
pub mod links;
mod mail;
pub mod queries;
pub mod rules;

pub use hashes::{hash, verify};
