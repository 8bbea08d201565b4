//! Support tickets: requests of people to the operators of the installation. A ticket is stored, mailed to the
//! configured address if there is one, and handled in the console.

mod http;
mod mail;
mod operators;
mod types;

use platform::api::Api;

/// All routes of this area.
pub fn api() -> Api {
    http::api().merge(operators::api())
}
