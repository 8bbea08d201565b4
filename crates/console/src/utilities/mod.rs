//! What operators look up and put right: identifiers of messages and workflows, and steps that failed.

pub mod causes;
pub mod identifiers;
pub mod lookup;
mod refused;
pub mod retries;
pub mod steps;

use platform::api::Api;

pub use steps::registry;

pub fn api() -> Api {
    lookup::api().merge(causes::api()).merge(retries::api())
}
