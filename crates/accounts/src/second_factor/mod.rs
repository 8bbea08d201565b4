//! Second factors: setting them up, confirming changes with one, and resets.

mod by_mail;
mod confirm;
pub mod http;
mod mail;
mod own;

pub use confirm::{PasswordOrCode, confirm_either};
pub use http::ResetParams;
pub use own::{IdentityProof, reset};
