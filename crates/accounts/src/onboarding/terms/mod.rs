//! Versioned terms that an organization accepts before it uses the product.

pub mod http;
pub mod paper;
pub mod queries;
pub mod types;
