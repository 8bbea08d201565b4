//! Workflows that send and receive messages, as operators see them: a list, each with its steps and what became of every
//! attempt, and steps that are run again by hand.

mod http;
pub mod queries;
mod rerun;
pub mod sweep;
pub mod types;
pub mod view;

pub use http::api;
