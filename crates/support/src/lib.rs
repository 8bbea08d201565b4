//! Support tickets: what people ask the operators of the installation for. A ticket is kept, mailed to the configured
//! address if there is one, and worked off in the console.

mod http;
mod mail;
mod operators;
mod types;

use platform::api::Api;

/// All routes of this area.
pub fn api() -> Api {
    http::api().merge(operators::api())
}
