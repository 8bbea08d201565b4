//! Pending challenges. The client holds a random token, the database only its hash.

use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Result,
    secret::{random_token, token_hash},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter,
    sea_query::SimpleExpr,
};
pub use store::entities::sign_in_challenge::Purpose;
use store::entities::sign_in_challenge::{self, Column, Entity, Model};
use uuid::Uuid;

/// Lifetime of a challenge.
pub const LIFETIME: Duration = Duration::minutes(10);
/// Number of wrong responses after which a challenge ends.
const WRONG_ANSWERS: i32 = 5;

pub const WRONG_CODE: &str = "This code is wrong or was already used.";

/// Minimum time between two e-mailed codes for one sign-in.
pub const RESEND_AFTER: Duration = Duration::seconds(30);
/// Maximum number of e-mailed codes for one person within the lifetime of a challenge.
const CODES_AT_ONCE: i32 = 5;

pub const ENDED: &str = "This sign-in has ended. Please begin again.";

/// Creates a challenge; returns the token needed to respond.
pub async fn begin(
    app: &App,
    db: &impl ConnectionTrait,
    purpose: Purpose,
    user_id: Option<Uuid>,
    state: Option<String>,
) -> Result<String> {
    let token = random_token();
    begin_as(app, db, &token, purpose, user_id, state).await?;
    Ok(token)
}

/// Creates the challenge of a second step; `connection_id` is the user's single sign-on, if any.
pub async fn begin_second_step(
    app: &App,
    db: &impl ConnectionTrait,
    user_id: Uuid,
    connection_id: Option<Uuid>,
) -> Result<String> {
    let token = random_token();
    let row = new(app, &token, Purpose::SecondStep, Some(user_id));
    let row = sign_in_challenge::ActiveModel { connection_id: Set(connection_id), ..row };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(token)
}

/// As [`begin`], with a token made earlier.
pub async fn begin_as(
    app: &App,
    db: &impl ConnectionTrait,
    token: &str,
    purpose: Purpose,
    user_id: Option<Uuid>,
    state: Option<String>,
) -> Result<()> {
    let row = sign_in_challenge::ActiveModel { state: Set(state), ..new(app, token, purpose, user_id) };
    Entity::insert(row).exec_without_returning(db).await?;
    Ok(())
}

fn new(app: &App, token: &str, purpose: Purpose, user_id: Option<Uuid>) -> sign_in_challenge::ActiveModel {
    let now = app.clock.now();
    sign_in_challenge::ActiveModel {
        id: Set(Uuid::now_v7()),
        token_hash: Set(token_hash(token)),
        user_id: Set(user_id),
        purpose: Set(purpose),
        state: Set(None),
        wrong_answers: Set(0),
        sealed_code: Set(None),
        code_sent_at: Set(None),
        codes_sent: Set(0),
        connection_id: Set(None),
        created_at: Set(now),
        expires_at: Set(now + LIFETIME),
    }
}

/// The open challenge of a token and purpose.
pub async fn find(app: &App, db: &impl ConnectionTrait, token: &str, purpose: Purpose) -> Result<Model> {
    let found = Entity::find().filter(Column::TokenHash.eq(token_hash(token))).one(db).await?;
    found
        .filter(|c| c.expires_at > app.clock.now() && c.purpose == purpose)
        .ok_or(Error::SignInRefused(ENDED.into()))
}

/// As [`find`], for a challenge of a signed-in user.
pub async fn find_own(
    app: &App,
    db: &impl ConnectionTrait,
    token: &str,
    purpose: Purpose,
    user_id: Uuid,
) -> Result<Model> {
    let found = Entity::find().filter(Column::TokenHash.eq(token_hash(token))).one(db).await?;
    found
        .filter(|c| c.expires_at > app.clock.now() && c.purpose == purpose && c.user_id == Some(user_id))
        .ok_or(Error::Conflict("This took too long. Please begin again.".into()))
}

/// Ends an answered challenge; `false` if another request did so first.
pub async fn end(db: &impl ConnectionTrait, id: Uuid) -> Result<bool> {
    Ok(Entity::delete_by_id(id).exec(db).await?.rows_affected == 1)
}

/// Counts a wrong response, which may end the challenge.
pub async fn count_wrong(db: &impl ConnectionTrait, challenge: &Model) -> Result<()> {
    let wrong_answers = challenge.wrong_answers + 1;
    if wrong_answers >= WRONG_ANSWERS {
        end(db, challenge.id).await?;
        return Ok(());
    }
    let row = sign_in_challenge::ActiveModel {
        id: Set(challenge.id),
        wrong_answers: Set(wrong_answers),
        ..Default::default()
    };
    row.update(db).await?;
    Ok(())
}

/// Ends all challenges of a user.
pub async fn end_all(db: &impl ConnectionTrait, user_id: Uuid) -> Result<()> {
    Entity::delete_many().filter(Column::UserId.eq(user_id)).exec(db).await?;
    Ok(())
}

/// Ends the pending second steps of sign-ins by the single sign-ons that `which` selects.
pub async fn end_where(db: &impl ConnectionTrait, which: SimpleExpr) -> Result<()> {
    Entity::delete_many().filter(which).exec(db).await?;
    Ok(())
}

/// Deletes expired challenges.
pub async fn purge(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<()> {
    Entity::delete_many().filter(Column::ExpiresAt.lte(now)).exec(db).await?;
    Ok(())
}

/// Refuses another e-mailed code too soon after the last one, or above the limit.
pub async fn may_send(
    db: &impl ConnectionTrait,
    challenge: &sign_in_challenge::Model,
    user_id: Uuid,
    now: DateTime<Utc>,
) -> Result<()> {
    let recent = sign_in_challenge::Entity::find()
        .filter(sign_in_challenge::Column::UserId.eq(user_id))
        .filter(sign_in_challenge::Column::CodeSentAt.gt(now - LIFETIME))
        .all(db)
        .await?;
    let sent: i32 = recent.iter().map(|challenge| challenge.codes_sent).sum();
    let too_soon = challenge.code_sent_at.is_some_and(|at| now - at < RESEND_AFTER);
    if too_soon || sent >= CODES_AT_ONCE {
        return Err(Error::TooMany(
            "A code was just sent. Please wait a moment before you request another.".into(),
        ));
    }
    Ok(())
}
