//! How the product looks before and after sign-in.

pub mod http;
pub mod queries;
