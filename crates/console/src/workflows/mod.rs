//! Workflows that send and receive messages, as operators see them: a list, each with its steps and what became of every
//! attempt, and steps that are run again by hand, one or many. What failed is grouped by its cause, and identifiers of messages
//! and workflows are looked up.

mod bulk_retry;
pub mod causes;
mod http;
pub mod identifiers;
pub mod lookup;
pub mod queries;
mod refused;
mod rerun;
pub mod retries;
pub mod sweep;
pub mod types;
pub mod view;

use platform::api::Api;

pub use bulk_retry::registry;

pub fn api() -> Api {
    http::api().merge(lookup::api()).merge(causes::api()).merge(retries::api())
}
