//! Workflows that send and receive messages, for operators: a list with steps and attempts, steps that are run again
//! by hand, one or many, failures grouped by cause, and the lookup of identifiers.

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
