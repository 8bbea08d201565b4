//! The console of the system administrators: organizations and the lists their forms choose from.

pub mod customer_messaging;
pub mod lookups;
pub mod npi;
pub mod organizations;
pub mod plans;

use platform::api::Api;

/// All routes of this area.
pub fn api() -> Api {
    organizations::http::api().merge(lookups::http::api()).merge(plans::http::api()).merge(npi::http::api())
}
