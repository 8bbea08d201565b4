//! Assembly of the product's areas. New areas are only added here.

use crate::setup;
use axum::Router;
use platform::{App, api::Api, audit::ObjectKinds};

/// All routes under `/api`.
pub fn api() -> Api {
    accounts::api()
        .merge(messaging::api())
        .merge(directory::api())
        .merge(console::api())
        .merge(webhooks::api())
        .merge(integrations::api())
        .merge(support::api())
        .merge(email::http::api())
        .merge(setup::http::api())
}

/// Object kinds with names in the audit trail.
pub fn audited() -> ObjectKinds {
    accounts::audited()
        .merge(messaging::audited())
        .merge(console::audited())
        .merge(webhooks::audited())
        .merge(integrations::audited())
}

/// Routes that other systems call without signing in, such as revocation lists.
pub fn public_routes() -> Router<App> {
    messaging::public_routes().merge(integrations::public_routes())
}
