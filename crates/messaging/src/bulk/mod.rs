//! One act on all messages that match, however many they are: a workflow finds them, then acts on some at a time. Whoever
//! began it sees how far it is, may stop it, and reads why messages were refused.

mod http;
mod queries;
pub mod selection;
mod steps;
mod types;

pub use http::api;
pub use queries::{forget, forget_forever};
pub use steps::{ACT, ActOnMessages, COLLECT, CollectMessages};
