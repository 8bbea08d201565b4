//! Passwords: hashes, rules for new ones, and resets.

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

/// For passwords in a list of breached ones.
const BREACHED: &str =
    "This password was exposed in a data breach of another service. Please choose another one.";

/// The hash of a new password. A refused password is an error of `password`.
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
