//! Password hashes (Argon2id, with the library's recommended cost). Hashing takes tens of milliseconds of CPU and 19
//! MiB, so it runs outside the request threads, and at most once per core at a time.

use argon2::{Argon2, PasswordHasher, PasswordVerifier, password_hash::phc::PasswordHash};
use platform::{Error, Result};
use std::{num::NonZero, sync::OnceLock, thread};
use tokio::sync::Semaphore;

/// Hashes a password for storage.
pub async fn hash(password: String) -> Result<String> {
    blocking(move || hash_now(&password)).await?
}

/// Verifies a password. Without a hash it takes the same time and fails, so that the response time does not reveal
/// whether an account exists.
pub async fn verify(password: String, hash: Option<String>) -> Result<bool> {
    blocking(move || {
        // Invited users who have not chosen a password yet have an empty hash.
        let hash = hash.filter(|text| !text.is_empty());
        let fits = PasswordHash::new(hash.as_deref().unwrap_or(nobody()))
            .is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok());
        fits && hash.is_some()
    })
    .await
}

fn hash_now(password: &str) -> Result<String> {
    Argon2::default().hash_password(password.as_bytes()).map(|h| h.to_string()).map_err(Error::internal)
}

fn nobody() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| hash_now(&platform::secret::random_token()).unwrap_or_default())
}

/// One permit per core. More would not be faster, and would need unlimited memory.
fn turns() -> &'static Semaphore {
    static TURNS: OnceLock<Semaphore> = OnceLock::new();
    TURNS.get_or_init(|| Semaphore::new(cores()))
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let turn = turns().acquire().await.map_err(Error::internal)?;
    let work = move || {
        // Held until the work is done, even if the caller stops waiting.
        let _turn = turn;
        work()
    };
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn as_many_passwords_are_hashed_at_once_as_there_are_cores() {
        let left = blocking(|| turns().available_permits()).await.expect("an answer");
        assert_eq!(left, cores() - 1, "whatever is at work holds a turn");
        assert_eq!(turns().available_permits(), cores(), "and gives it back");
    }
}
