//! Actions on all matching messages, without limit: a workflow collects them, then processes some at a time. The person
//! who started it sees the progress, may stop it, and sees why messages were refused.

mod http;
mod queries;
pub mod selection;
mod steps;
mod types;

pub use http::api;
pub use queries::{forget, forget_forever};
pub use steps::{ACT, ActOnMessages, COLLECT, CollectMessages};
