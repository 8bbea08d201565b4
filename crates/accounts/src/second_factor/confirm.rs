//! Asking a signed-in user for the password again, or for an e-mailed code.

use super::by_mail;
use crate::passwords::{PASSWORD_REQUIRED, confirm};
use platform::{App, Caller, Error, Result, secret::Secret};
use serde::Deserialize;
use store::entities::signature::Confirmation;
use utoipa::ToSchema;

/// The caller's password, asked for again, or the e-mailed code of a user without one.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PasswordOrCode {
    #[serde(default)]
    pub password: Secret,
    /// Sent by `POST /api/users/{id}/sendcode`.
    #[serde(default)]
    pub code: Secret,
}

/// As [`confirm`], but also with an e-mailed code: users who sign in by a provider have no password. Returns which of
/// them it was.
pub async fn confirm_either(app: &App, caller: &Caller, given: PasswordOrCode) -> Result<Confirmation> {
    if !given.password.is_empty() {
        confirm(app, caller, given.password.into(), "password").await?;
        return Ok(Confirmation::Password);
    }
    if given.code.is_empty() {
        return Err(Error::field("password", PASSWORD_REQUIRED));
    }
    by_mail::confirmed(app, caller, &given.code).await?;
    Ok(Confirmation::Code)
}
