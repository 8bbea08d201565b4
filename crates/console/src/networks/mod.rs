//! Networks of organizations: their administrators, their features, and the account by which their systems call the API.

pub mod features;
pub mod http;
pub mod members;
mod queries;
pub mod rules;
pub mod service_account;
pub mod types;

use platform::api::Api;

/// All routes of networks.
pub fn api() -> Api {
    http::api().merge(members::http::api()).merge(service_account::http::api()).merge(features::api())
}
