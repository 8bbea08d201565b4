//! How people set up their second factors, confirm a change with one, and have them reset.

mod by_mail;
mod confirm;
pub mod http;
mod mail;
mod own;

pub use confirm::{PasswordOrCode, confirm_either};
pub use http::ResetParams;
pub use own::{IdentityProof, reset};
