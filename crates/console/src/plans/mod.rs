//! Subscription plans, and which organizations may choose them.

pub mod console;
pub mod http;
