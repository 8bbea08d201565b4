//! Single sign-on by OpenID Connect: an organization's provider signs its users in.

mod connections;
mod grants;
pub mod http;
mod provider;
mod queries;
mod rules;
pub mod settings;
mod strength;

pub use connections::{FEATURE, end_sessions_of, end_sessions_of_all};
pub use grants::revoke;
