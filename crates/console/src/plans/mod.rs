//! Subscription plans, and who may choose which.

pub mod console;
pub mod http;
