//! Setting up second factors with an e-mailed code instead of the password, for users who sign in by an
//! organization's provider and have none.

use super::{
    mail::ConfirmationCode,
    own::{self, NO_MAIL},
};
use crate::{
    challenges::{self, Purpose, WRONG_CODE, may_send},
    factors::{Factors, codes, totp},
    person,
};
use platform::{App, Caller, Error, Result, bus::Event};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::{Set, Unchanged},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};
use store::{
    Transaction,
    entities::{app_user, sign_in_challenge},
};
use uuid::Uuid;

const PROTECTED: &str = "Your sign-in already has a second step. Change it with your password in your security settings, or ask your administrator to reset it.";

/// The caller's valid code, if any.
async fn open(
    app: &App,
    db: &impl ConnectionTrait,
    user_id: Uuid,
) -> Result<Option<sign_in_challenge::Model>> {
    Ok(sign_in_challenge::Entity::find()
        .filter(sign_in_challenge::Column::UserId.eq(user_id))
        .filter(sign_in_challenge::Column::Purpose.eq(Purpose::Confirm))
        .filter(sign_in_challenge::Column::ExpiresAt.gt(app.clock.now()))
        .order_by_desc(sign_in_challenge::Column::CreatedAt)
        .one(db)
        .await?)
}

/// Sends the caller a code.
pub async fn send(app: &App, caller: &Caller) -> Result<()> {
    let db = app.store.db();
    let user = user_of(app, caller).await?;
    let to = person::recipient(&user).filter(|_| email::is_available(app));
    let to = to.ok_or(Error::Conflict(NO_MAIL.into()))?;
    let now = app.clock.now();
    let code = codes::email_code()?;
    let minutes = challenges::LIFETIME.num_minutes();
    let mail = ConfirmationCode { first_name: user.first_name.clone(), code: code.clone(), minutes };
    let mail = email::prepare(app, person::home(db, &user).await?, to, &mail).await?;
    let txn = app.store.begin().await?;
    person::locked(&txn, user.id).await?;
    let challenge = match open(app, &txn, user.id).await? {
        Some(challenge) => challenge,
        None => {
            let token = challenges::begin(app, &txn, Purpose::Confirm, Some(user.id), None).await?;
            challenges::find_own(app, &txn, &token, Purpose::Confirm, user.id).await?
        }
    };
    may_send(&txn, &challenge, user.id, now).await?;
    let sent = sign_in_challenge::ActiveModel {
        id: Unchanged(challenge.id),
        sealed_code: Set(Some(codes::seal_email_code(app, challenge.id, &code))),
        code_sent_at: Set(Some(now)),
        codes_sent: Set(challenge.codes_sent + 1),
        expires_at: Set(now + challenges::LIFETIME),
        ..Default::default()
    };
    sent.update(&txn).await?;
    mail.enqueue(&txn).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

async fn user_of(app: &App, caller: &Caller) -> Result<app_user::Model> {
    let user = app_user::Entity::find_by_id(caller.user_id).one(app.store.db()).await?;
    user.ok_or(Error::Unauthenticated)
}

/// Checks a code. A correct one stays valid until it is used.
pub async fn check(app: &App, caller: &Caller, code: &str) -> Result<()> {
    let (txn, _) = right(app, caller, code).await?;
    Ok(txn.commit().await?)
}

/// Switches e-mailed codes on for the sign-in. Returns recovery codes if the user has none yet.
pub async fn enable_codes(app: &App, caller: &Caller, code: &str) -> Result<Vec<String>> {
    refuse_where_protected(app, caller).await?;
    let user = confirmed(app, caller, code).await?;
    own::switch_email_codes(app, caller, &user, true).await
}

/// The secret of a new authenticator app, which becomes active with its first code.
pub async fn start_app(app: &App, caller: &Caller, code: &str) -> Result<(String, totp::Setup)> {
    refuse_where_protected(app, caller).await?;
    let user = confirmed(app, caller, code).await?;
    own::begin_app(app, &user).await
}

/// Refuses unless it is the first second step: with access to a user's mail, an attacker could otherwise get past an
/// app or passkey. Also refused if the second step would apply elsewhere too.
async fn refuse_where_protected(app: &App, caller: &Caller) -> Result<()> {
    let db = app.store.db();
    person::refuse_confined(db, caller, &user_of(app, caller).await?).await?;
    let factors = Factors::of(db, caller.user_id).await?;
    match factors.app.is_some() || !factors.passkeys.is_empty() {
        true => Err(Error::Conflict(PROTECTED.into())),
        false => Ok(()),
    }
}

/// Redeems the correct code, once.
pub async fn confirmed(app: &App, caller: &Caller, code: &str) -> Result<app_user::Model> {
    let user = user_of(app, caller).await?;
    let (txn, challenge) = right(app, caller, code).await?;
    challenges::end(&txn, challenge.id).await?;
    txn.commit().await?;
    Ok(user)
}

/// The challenge of a code. Wrong codes are counted. Concurrent answers are checked one after the other.
async fn right(app: &App, caller: &Caller, code: &str) -> Result<(Transaction, sign_in_challenge::Model)> {
    let txn = app.store.begin().await?;
    person::locked(&txn, caller.user_id).await?;
    if let Some(challenge) = open(app, &txn, caller.user_id).await? {
        let sealed = challenge.sealed_code.as_deref().unwrap_or_default();
        if codes::is_email_code(app, challenge.id, sealed, code.trim())? {
            return Ok((txn, challenge));
        }
        challenges::count_wrong(&txn, &challenge).await?;
    }
    txn.commit().await?;
    Err(Error::field("code", WRONG_CODE))
}
