//! What systems outside can connect, which organizations use it, and the whitelist of those that may.

mod overview;
mod whitelist;

use platform::api::Api;
use store::entities::integration_grant::Integration;

pub fn api() -> Api {
    overview::api().merge(whitelist::api())
}

/// As people call it.
fn name_of(integration: Integration) -> &'static str {
    match integration {
        Integration::ServiceAccounts => "Service accounts",
        Integration::Webhooks => "Webhooks",
        Integration::SingleSignOn => "Single sign-on",
        Integration::FaxAccounts => "Fax services",
    }
}
