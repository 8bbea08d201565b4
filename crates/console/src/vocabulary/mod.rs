//! The lists for all organizations that operators maintain and forms choose from.

pub mod application_types;
pub mod document_types;
pub mod items;
pub mod lists;
pub mod release_types;
pub mod specialties;

use platform::api::Api;

pub fn api() -> Api {
    lists::api().merge(specialties::api()).merge(document_types::api()).merge(release_types::api())
}
