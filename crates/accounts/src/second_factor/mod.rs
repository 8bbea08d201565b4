//! The second step of a sign-in: authenticator app, passkey, code by e-mail, recovery code.

mod by_mail;
pub mod challenges;
mod codes;
mod factors;
pub mod http;
mod mail;
mod own;
mod passkeys;
pub mod queries;
mod totp;

pub use by_mail::confirmed as confirm_by_mail;
pub use factors::{Factors, Method, is_asked_for, methods};
pub use http::ResetParams;
pub use own::{IdentityProof, reset};
pub use totp::reseal;
