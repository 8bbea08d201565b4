//! Reference lists and small lookups for the messaging screens.

mod addresses;
mod audit;
mod document_types;
mod fallback;
pub mod interoperability;
pub mod lists;

use platform::api::Api;

pub fn api() -> Api {
    lists::api()
        .merge(document_types::api())
        .merge(interoperability::api())
        .merge(addresses::api())
        .merge(fallback::api())
        .merge(audit::api())
}
