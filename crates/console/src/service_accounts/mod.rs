//! Service accounts: tokens for systems of an organization that read the directory and its Intake, and for those of a
//! network. Tokens are checked in [`platform::service`].

mod account;
mod networks;
mod organizations;
pub mod types;

pub(crate) use account::AccountRecord;

use platform::api::Api;

pub fn api() -> Api {
    organizations::http::api().merge(networks::http::api())
}
