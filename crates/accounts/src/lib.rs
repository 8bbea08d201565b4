//! Users and their sign-in: sign-in, sessions, profile, brand and features of the signed-in user. Also the members of
//! an organization, for its administrators.

pub mod access;
mod audited;
pub mod branding;
mod challenges;
pub mod cookies;
pub mod factors;
pub mod links;
pub mod lockout;
pub mod onboarding;
pub mod organization;
pub mod passwords;
pub mod peer;
pub mod people;
pub mod person;
pub mod plan;
pub mod profile;
pub mod reference_items;
pub mod second_factor;
pub mod security;
pub mod sessions;
pub mod sign_in;
pub mod single_sign_on;
pub mod user_name;

pub use audited::audited;
use platform::api::Api;

/// Routes of this area.
pub fn api() -> Api {
    sign_in::http::api()
        .merge(second_factor::http::api())
        .merge(single_sign_on::http::api())
        .merge(passwords::http::api())
        .merge(sessions::http::api())
        .merge(security::http::api())
        .merge(profile::own::api())
        .merge(profile::http::api())
        .merge(profile::upgrade::api())
        .merge(branding::http::api())
        .merge(onboarding::http::api())
        .merge(people::http::api())
}

/// Background tasks that run until the node stops.
pub async fn background(app: platform::App, cancel: tokio_util::sync::CancellationToken) {
    tokio::join!(
        sign_in::chores::purge_forever(app.clone(), cancel.clone()),
        onboarding::chores::forget_forever(app, cancel),
    );
}
