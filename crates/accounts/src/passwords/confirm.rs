//! Asking a signed-in user for the password again.

use super::{rules, verify};
use crate::{
    lockout::{self, Place},
    person::locked,
};
use platform::{App, Caller, Error, Result};
use sea_orm::EntityTrait;
use store::{Transaction, entities::app_user};

const WRONG_PASSWORD: &str = "The password is incorrect.";
pub const PASSWORD_REQUIRED: &str = "Please enter your password.";

/// The user, locked as by [`locked`], after a correct password: refused if the password was changed since. An old
/// password then has no effect, and does not count as a guess.
pub async fn locked_with_password(
    txn: &Transaction,
    known: &app_user::Model,
    field: &str,
) -> Result<app_user::Model> {
    let user = locked(txn, known.id).await?.ok_or(Error::Unauthenticated)?;
    if user.password_hash == known.password_hash {
        Ok(user)
    } else {
        Err(Error::field(field, WRONG_PASSWORD))
    }
}

/// Asks a signed-in user for the password again. Wrong ones count towards the lock of the browser. `field` is the
/// field of the error.
pub async fn confirm(app: &App, caller: &Caller, password: String, field: &str) -> Result<app_user::Model> {
    if password.len() > rules::LONGEST {
        return Err(Error::field(field, WRONG_PASSWORD));
    }
    let known = app_user::Entity::find_by_id(caller.user_id).one(app.store.db()).await?;
    let known = known.ok_or(Error::Unauthenticated)?;
    let fits = verify(password, Some(known.password_hash.clone())).await?;
    let txn = app.store.begin().await?;
    let user = locked_with_password(&txn, &known, field).await?;
    let place = Place::of_session(&txn, caller.session_id).await?;
    if place.is_locked(app, &user) {
        return Err(Error::field(field, lockout::locked(&app.config.session)));
    }
    if fits {
        return Ok(user);
    }
    lockout::count_failure(app, &txn, &user, &place, &caller.source_ip).await?;
    txn.commit().await?;
    Err(Error::field(field, WRONG_PASSWORD))
}
