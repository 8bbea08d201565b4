//! Look of the product before and after sign-in.

pub mod http;
pub mod queries;
