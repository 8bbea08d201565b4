//! Signing in to an EHR: SMART App Launch 2.0 with PKCE for people, and SMART Backend Services for the server itself.

mod discovery;
mod secret;
mod token;

pub use discovery::{Discovered, discover};
pub use secret::Secret;
pub use token::{Authorization, Token, authorization, backend_token, redeem, refresh, revoke};
pub(crate) use token::{challenge, random};
