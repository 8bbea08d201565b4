//! Locks against guessing: wrong passwords and codes are counted, and too many lock the account for the place of
//! their origin.

pub mod places;
mod rules;

pub use places::Place;
pub use rules::{locked, refused};

use crate::person;
use platform::{
    App, Result,
    audit::{self, Act, event},
};
use store::{Transaction, entities::app_user};

/// Counts and audits a failed attempt of a user whose row is locked; `true` if that locks the account for this place.
pub async fn count_failure(
    app: &App,
    txn: &Transaction,
    user: &app_user::Model,
    place: &Place,
    source_ip: &str,
) -> Result<bool> {
    let is_locked = place.count_failure(app, txn, user).await?;
    let what = if is_locked { event::ACCOUNT_LOCKED } else { event::SIGN_IN_FAILED };
    audit_failure(app, txn, user, source_ip, what).await?;
    Ok(is_locked)
}

/// Audits a failed sign-in.
pub async fn audit_failure(
    app: &App,
    txn: &Transaction,
    user: &app_user::Model,
    source_ip: &str,
    what: &'static str,
) -> Result<()> {
    let actor = person::actor(user, user.last_organization_id, source_ip);
    audit::record(app, txn, &actor, Act::new(what, "user", user.id).failed()).await
}
