//! Public health emergencies, and the organizations that take part in them.

pub mod http;
pub mod organizations;
pub mod port;

use platform::api::Api;

pub fn api() -> Api {
    http::api().merge(organizations::api())
}
