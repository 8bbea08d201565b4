//! The audit trail of all organizations, for operators: searched, downloaded and verified.

mod http;
mod queries;
mod rules;
mod types;
mod verification;

use platform::api::Api;

pub fn api() -> Api {
    http::api().merge(verification::api())
}
