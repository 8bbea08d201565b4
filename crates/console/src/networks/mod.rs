//! Networks of organizations: their administrators and their features.

pub mod features;
pub mod http;
pub mod members;
pub mod queries;
pub mod rules;
pub mod types;

use platform::api::Api;

/// Routes of networks.
pub fn api() -> Api {
    http::api().merge(members::http::api()).merge(features::api())
}
