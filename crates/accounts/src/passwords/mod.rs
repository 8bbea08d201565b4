//! Passwords: hashes, what a new one must be, and how a person gets another.

mod breached;
mod confirm;
mod hashes;
pub mod http;
pub mod queries;
pub mod rules;

use platform::{App, Error, Result};
use rules::Owner;

pub use confirm::{PASSWORD_REQUIRED, confirm, locked_with_password};
pub use hashes::{hash, verify};

/// Found in a list of passwords that became known elsewhere.
const BREACHED: &str =
    "This password became known when another service was broken into. Please choose another one.";

/// The hash of a new password. One that its owner may not have is refused under `password`.
pub async fn accepted(app: &App, password: String, owner: &Owner) -> Result<String> {
    if let Some(text) = rules::refusal(&password, owner) {
        return Err(Error::field("password", text));
    }
    if let Some(list) = app.config.session.breached_passwords.clone() {
        let asked = password.clone();
        let holds = tokio::task::spawn_blocking(move || breached::holds(&list, &asked));
        if holds.await.map_err(Error::internal)?.map_err(Error::internal)? {
            return Err(Error::field("password", BREACHED));
        }
    }
    hash(password).await
}
