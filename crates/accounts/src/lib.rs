//! People and how they get in: sign-in, sessions, profile, brand and features of the signed-in person.

pub mod branding;
pub mod passwords;
pub mod profile;
pub mod sign_in;

use platform::api::Api;

/// All routes of this area.
pub fn api() -> Api {
    sign_in::http::api().merge(profile::http::api()).merge(branding::http::api())
}
