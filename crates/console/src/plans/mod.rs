//! Subscription plans, and who may choose which.

pub mod http;
pub mod rules;
