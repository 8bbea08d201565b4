//! The terms that an organization accepts before it uses the product, in versions.

pub mod http;
pub mod paper;
pub mod queries;
