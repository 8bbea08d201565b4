//! Service accounts: systems of an organization that read the directory and its Intake, and those of a network, with a token.
//! How tokens are taken is in [`platform::service`].

mod account;
mod networks;
mod organizations;
pub mod types;

pub(crate) use account::AccountRecord;

use platform::api::Api;

pub fn api() -> Api {
    organizations::http::api().merge(networks::http::api())
}
