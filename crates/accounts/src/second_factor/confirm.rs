//! A signed-in person is asked for their password again, or for a code by e-mail.

use super::by_mail;
use crate::passwords::{PASSWORD_REQUIRED, confirm};
use platform::{App, Caller, Error, Result, secret::Secret};
use serde::Deserialize;
use store::entities::signature::Confirmation;
use utoipa::ToSchema;

/// The caller's password, asked for again, or the code by e-mail of who has none.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct PasswordOrCode {
    #[serde(default)]
    pub password: Secret,
    /// Sent by `POST /api/users/{id}/sendcode`.
    #[serde(default)]
    pub code: Secret,
}

/// As [`confirm`], also with a code by e-mail: who signs in by a provider has no password. Answers which of them it was.
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
