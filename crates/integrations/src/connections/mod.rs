//! Connections of an organization: settings, keys, tests, and their state.

mod connectivity;
pub(crate) mod health;
pub(crate) mod http;
pub(crate) mod keys;
mod mappings;
mod probes;
pub mod queries;
mod report;
mod rows;
pub mod rules;
pub(crate) mod template;
pub mod types;

use platform::api::Api;

pub fn api() -> Api {
    http::api().merge(connectivity::api()).merge(keys::api()).merge(mappings::api())
}
