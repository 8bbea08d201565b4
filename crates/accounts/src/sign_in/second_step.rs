//! Answering the second step of a sign-in, and signing in with a passkey alone.

use super::{
    connection,
    mail::SignInCode,
    queries::{Browser, FirstFactor, Shown, Tokens, finish},
};
use crate::{
    challenges::{self, ENDED, Purpose, WRONG_CODE, may_send},
    factors::{Factors, Method, codes, methods, passkeys, totp},
    lockout::{self, Place},
    person,
};
use platform::{
    App, Error, Result,
    audit::{self, Act, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter,
    sea_query::Expr,
};
use serde_json::Value;
use store::{
    Transaction,
    entities::{app_user, passkey, recovery_code, second_factor, sign_in_challenge, sso_connection},
};
use uuid::Uuid;

const WRONG_PASSKEY: &str = "This passkey did not work. Please try again, or use another method.";
const UNKNOWN_PASSKEY: &str = "This passkey is unknown here. Please sign in with your password.";
const NOT_THIS_WAY: &str = "This method is not available for this account.";

/// Longer than any code.
const CODE_MAX: usize = 64;

const RECOVERY_USED: &str = "A recovery code was used to sign in";

/// Answers the second step with a code.
pub async fn answer_code(
    app: &App,
    token: &str,
    method: Method,
    code: &str,
    browser: Browser,
) -> Result<Tokens> {
    if code.trim().is_empty() || code.len() > CODE_MAX {
        return Err(Error::field("code", "Please enter the code."));
    }
    let (challenge, user) = asked(app, app.store.db(), token).await?;
    let notice = match method {
        Method::Recovery => person::notice(app, &user, RECOVERY_USED, &browser.source_ip).await?,
        _ => None,
    };
    let step = begin(app, token, challenge.id, &user, &browser, Proof::Code).await?;
    let Step { txn, challenge, user, .. } = &step;
    let open = methods(app, txn, user).await?.unwrap_or_default();
    let right = open.contains(&method) && is_right(app, txn, challenge, user, method, code.trim()).await?;
    if !right {
        return Err(wrong(app, step, &browser, "code", WRONG_CODE).await?);
    }
    if let Some(notice) = notice {
        notice.enqueue(txn).await?;
    }
    let tokens = step.finish(app, method, browser).await?;
    app.bus.publish(Event::Work).await;
    Ok(tokens)
}

async fn asked(
    app: &App,
    db: &impl ConnectionTrait,
    token: &str,
) -> Result<(sign_in_challenge::Model, app_user::Model)> {
    let ended = || Error::SignInRefused(ENDED.into());
    let challenge = challenges::find(app, db, token, Purpose::SecondStep).await?;
    let user_id = challenge.user_id.ok_or_else(ended)?;
    let user = app_user::Entity::find_by_id(user_id).one(db).await?.ok_or_else(ended)?;
    Ok((challenge, user))
}

/// Means for answering a second step.
#[derive(PartialEq, Eq)]
enum Proof {
    Code,
    /// Cannot be guessed, so the lock of the account does not apply.
    Passkey,
}

/// A second step during its answer.
struct Step {
    txn: Transaction,
    challenge: sign_in_challenge::Model,
    user: app_user::Model,
    /// The user's single sign-on, if any.
    connection: Option<sso_connection::Model>,
}

impl Step {
    /// Opens the session after a correct answer.
    async fn finish(self, app: &App, method: Method, browser: Browser) -> Result<Tokens> {
        challenges::end(&self.txn, self.challenge.id).await?;
        let first = self.connection.as_ref().map_or(FirstFactor::Password, FirstFactor::Provider);
        finish(app, self.txn, &self.user, browser, Shown { first, second: Some(method) }).await
    }
}

/// Locks the user and reads the challenge again, so that concurrent answers are checked one after the other. The
/// single sign-on is locked before the user, in the same order as in its changes.
async fn begin(
    app: &App,
    token: &str,
    challenge_id: Uuid,
    user: &app_user::Model,
    browser: &Browser,
    proof: Proof,
) -> Result<Step> {
    let ended = || Error::SignInRefused(ENDED.into());
    let txn = app.store.begin().await?;
    let known = challenges::find(app, &txn, token, Purpose::SecondStep).await?;
    let connection = match known.connection_id {
        Some(id) => Some(connection::open(&txn, id).await?.ok_or_else(ended)?),
        None => None,
    };
    let user = person::locked(&txn, user.id).await?.ok_or_else(ended)?;
    let place = Place::of(&txn, user.id, browser.token.as_deref()).await?;
    let is_held_up = proof == Proof::Code && place.is_locked(app, &user);
    if user.is_disabled || is_held_up {
        challenges::end(&txn, challenge_id).await?;
        let act = Act::new(event::SIGN_IN_FAILED, "user", user.id).failed();
        let actor = person::actor(&user, user.last_organization_id, &browser.source_ip);
        audit::record(app, &txn, &actor, act).await?;
        txn.commit().await?;
        let text = if user.is_disabled { ENDED.into() } else { lockout::locked(&app.config.session).into() };
        return Err(Error::SignInRefused(text));
    }
    let challenge = challenges::find(app, &txn, token, Purpose::SecondStep).await?;
    Ok(Step { txn, challenge, user, connection })
}

async fn is_right(
    app: &App,
    txn: &Transaction,
    challenge: &sign_in_challenge::Model,
    user: &app_user::Model,
    method: Method,
    code: &str,
) -> Result<bool> {
    match method {
        Method::App => use_app_code(app, txn, user.id, code).await,
        Method::Email => match &challenge.sealed_code {
            Some(sealed) => codes::is_email_code(app, challenge.id, sealed, code),
            None => Ok(false),
        },
        Method::Recovery => use_recovery_code(app, txn, user.id, code).await,
        Method::Passkey => Ok(false),
    }
}

/// Accepts the code of an app once: its time step and all earlier ones are then used.
async fn use_app_code(app: &App, txn: &Transaction, user_id: Uuid, code: &str) -> Result<bool> {
    let Some(row) = Factors::of(txn, user_id).await?.app else { return Ok(false) };
    let Some(sealed) = &row.sealed_secret else { return Ok(false) };
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(step) = totp::step(&totp::open(app, user_id, sealed)?, &code, app.clock.now())? else {
        return Ok(false);
    };
    let used = second_factor::Entity::update_many()
        .col_expr(second_factor::Column::LastStep, Expr::value(step))
        .filter(second_factor::Column::UserId.eq(user_id))
        .filter(second_factor::Column::LastStep.lt(step))
        .exec(txn)
        .await?;
    Ok(used.rows_affected == 1)
}

async fn use_recovery_code(app: &App, txn: &Transaction, user_id: Uuid, code: &str) -> Result<bool> {
    let used = recovery_code::Entity::update_many()
        .col_expr(recovery_code::Column::UsedAt, Expr::value(Some(app.clock.now())))
        .filter(recovery_code::Column::UserId.eq(user_id))
        .filter(recovery_code::Column::Hash.eq(codes::recovery_hash(user_id, code)))
        .filter(recovery_code::Column::UsedAt.is_null())
        .exec(txn)
        .await?;
    Ok(used.rows_affected == 1)
}

/// Counts a wrong answer for the challenge and for the lock of the account; returns the error.
async fn wrong(app: &App, step: Step, browser: &Browser, field: &str, text: &'static str) -> Result<Error> {
    let Step { txn, challenge, user, .. } = step;
    challenges::count_wrong(&txn, &challenge).await?;
    let place = Place::of(&txn, user.id, browser.token.as_deref()).await?;
    let is_locked = lockout::count_failure(app, &txn, &user, &place, &browser.source_ip).await?;
    if is_locked {
        challenges::end_all(&txn, user.id).await?;
    }
    let goes_on = sign_in_challenge::Entity::find_by_id(challenge.id).one(&txn).await?.is_some();
    txn.commit().await?;
    Ok(match (is_locked, goes_on) {
        (true, _) => Error::SignInRefused(lockout::locked(&app.config.session).into()),
        (_, false) => Error::SignInRefused(ENDED.into()),
        (_, true) => Error::field(field, text),
    })
}

/// Sends a code for the second step by e-mail.
pub async fn send_code(app: &App, token: &str) -> Result<()> {
    let db = app.store.db();
    let (challenge, user) = asked(app, db, token).await?;
    let open = methods(app, db, &user).await?.unwrap_or_default();
    let to = person::recipient(&user).filter(|_| open.contains(&Method::Email));
    let to = to.ok_or(Error::Conflict(NOT_THIS_WAY.into()))?;
    let now = app.clock.now();
    may_send(db, &challenge, user.id, now).await?;
    let code = codes::email_code()?;
    let sealed = codes::seal_email_code(app, challenge.id, &code);
    let minutes = (challenge.expires_at - now).num_minutes().max(1);
    let mail = SignInCode { first_name: user.first_name.clone(), code, minutes };
    let mail = email::prepare(app, person::home(db, &user).await?, to, &mail).await?;
    let txn = app.store.begin().await?;
    // Checked again under the lock, so that concurrent requests are counted one after the other.
    person::locked(&txn, user.id).await?;
    let challenge = challenges::find(app, &txn, token, Purpose::SecondStep).await?;
    may_send(&txn, &challenge, user.id, now).await?;
    let changed = sign_in_challenge::Entity::update_many()
        .col_expr(sign_in_challenge::Column::SealedCode, Expr::value(Some(sealed)))
        .col_expr(sign_in_challenge::Column::CodeSentAt, Expr::value(Some(now)))
        .col_expr(sign_in_challenge::Column::CodesSent, Expr::value(challenge.codes_sent + 1))
        .filter(sign_in_challenge::Column::Id.eq(challenge.id))
        .exec(&txn)
        .await?;
    if changed.rows_affected == 0 {
        return Err(Error::SignInRefused(ENDED.into()));
    }
    mail.enqueue(&txn).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Options for the browser's passkey: one of a known user for the second step, or any for signing in with it alone.
/// Returns the token of the answer.
pub async fn ask_passkey(app: &App, token: Option<String>) -> Result<(String, Value)> {
    let db = app.store.db();
    let Some(token) = token else {
        let question = passkeys::ask_for_any(app)?;
        let token = challenges::begin(app, db, Purpose::Passkey, None, Some(question.state)).await?;
        return Ok((token, question.options));
    };
    let (challenge, user) = asked(app, db, &token).await?;
    let keys = Factors::of(db, user.id).await?.passkeys;
    if keys.is_empty() {
        return Err(Error::Conflict(NOT_THIS_WAY.into()));
    }
    let question = passkeys::ask_for(app, &keys)?;
    sign_in_challenge::Entity::update_many()
        .col_expr(sign_in_challenge::Column::State, Expr::value(Some(question.state)))
        .filter(sign_in_challenge::Column::Id.eq(challenge.id))
        .exec(db)
        .await?;
    Ok((token, question.options))
}

/// Answers with a passkey.
pub async fn answer_passkey(app: &App, token: &str, answer: &Value, browser: Browser) -> Result<Tokens> {
    match challenges::find(app, app.store.db(), token, Purpose::Passkey).await {
        Ok(challenge) => alone(app, &challenge, answer, browser).await,
        Err(_) => second_step(app, token, answer, browser).await,
    }
}

async fn second_step(app: &App, token: &str, answer: &Value, browser: Browser) -> Result<Tokens> {
    let (challenge, user) = asked(app, app.store.db(), token).await?;
    let step = begin(app, token, challenge.id, &user, &browser, Proof::Passkey).await?;
    let keys = Factors::of(&step.txn, step.user.id).await?.passkeys;
    let Some(key) = passkeys::answered(app, step.challenge.state.as_deref(), answer, &keys)? else {
        return Err(wrong(app, step, &browser, "passkey", WRONG_PASSKEY).await?);
    };
    touch(app, &step.txn, key).await?;
    step.finish(app, Method::Passkey, browser).await
}

/// A passkey with user verification combines knowledge or biometry with possession: no second step is needed.
async fn alone(
    app: &App,
    challenge: &sign_in_challenge::Model,
    answer: &Value,
    browser: Browser,
) -> Result<Tokens> {
    let refused = |text: &'static str| Error::SignInRefused(text.into());
    let db = app.store.db();
    // One answer per challenge; a failed one needs a new challenge.
    if !challenges::end(db, challenge.id).await? {
        return Err(refused(ENDED));
    }
    let Some((user_id, credential_id)) = passkeys::claimed(app, answer)? else {
        return Err(refused(UNKNOWN_PASSKEY));
    };
    let row = passkey::Entity::find()
        .filter(passkey::Column::CredentialId.eq(credential_id))
        .filter(passkey::Column::UserId.eq(user_id))
        .one(db)
        .await?
        .ok_or(refused(UNKNOWN_PASSKEY))?;
    let key = passkeys::answered_alone(app, challenge.state.as_deref(), answer, row)?;
    let txn = app.store.begin().await?;
    let user = person::locked(&txn, user_id).await?.ok_or(refused(UNKNOWN_PASSKEY))?;
    let Some(key) = key.filter(|_| !user.is_disabled) else {
        // Signatures cannot be guessed: they do not count towards a lock, and a lock does not stop them.
        let act = Act::new(event::SIGN_IN_FAILED, "user", user.id).failed();
        let actor = person::actor(&user, user.last_organization_id, &browser.source_ip);
        audit::record(app, &txn, &actor, act).await?;
        txn.commit().await?;
        if user.is_disabled {
            return Err(Error::SignInRefused(lockout::refused(&app.config.session).into()));
        }
        return Err(refused(WRONG_PASSKEY));
    };
    touch(app, &txn, key).await?;
    finish(app, txn, &user, browser, Shown::only(FirstFactor::Passkey)).await
}

async fn touch(app: &App, txn: &Transaction, key: passkey::Model) -> Result<()> {
    let row = passkey::ActiveModel {
        id: Set(key.id),
        credential: Set(key.credential),
        last_used_at: Set(Some(app.clock.now())),
        ..Default::default()
    };
    row.update(txn).await?;
    Ok(())
}
