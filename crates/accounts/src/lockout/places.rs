//! Places from which people sign in. Wrong passwords from unknown browsers lock an account only for these: a browser
//! that the user has signed in with before has its own count.

use super::rules::{self, Failure};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    secret::{random_token, token_hash},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, SelectExt, sea_query::OnConflict,
};
use store::{
    Transaction,
    entities::{
        app_user,
        known_browser::{ActiveModel, Column, Entity, Model},
    },
};
use uuid::Uuid;

/// Maximum number of known browsers per user; the least recently used one is replaced.
const REMEMBERED: u64 = 10;
/// Lifetime of the cookie and its row after the last sign-in.
pub const LIFETIME: Duration = Duration::days(365);

pub enum Place {
    /// A browser with which the user has signed in before.
    Known(Model),
    Elsewhere,
}

impl From<Option<Model>> for Place {
    fn from(known: Option<Model>) -> Self {
        known.map_or(Self::Elsewhere, Self::Known)
    }
}

impl Place {
    /// `token` is the value of the browser's cookie. Read it while the user's row is locked, since the count is
    /// updated there.
    pub async fn of(txn: &Transaction, user_id: Uuid, token: Option<&str>) -> Result<Self> {
        let Some(token) = token else { return Ok(Self::Elsewhere) };
        Ok(Entity::find_by_id((user_id, token_hash(token))).one(txn).await?.into())
    }

    /// The browser of an open session.
    pub async fn of_session(txn: &Transaction, session_id: Uuid) -> Result<Self> {
        Ok(Entity::find().filter(Column::SessionId.eq(session_id)).one(txn).await?.into())
    }

    /// Whether there were too many wrong passwords from here.
    pub fn is_locked(&self, app: &App, user: &app_user::Model) -> bool {
        let until = match self {
            Self::Known(browser) => browser.locked_until,
            Self::Elsewhere => user.locked_until,
        };
        until.is_some_and(|until| until > app.clock.now())
    }

    /// Counts a wrong password or code; `true` if that locks the account for this place.
    pub async fn count_failure(&self, app: &App, txn: &Transaction, user: &app_user::Model) -> Result<bool> {
        if self.is_locked(app, user) {
            return Ok(false);
        }
        let settings = &app.config.session;
        let lock = Duration::minutes(settings.lockout_minutes.into());
        let before = match self {
            Self::Known(browser) => browser.failed_logins,
            Self::Elsewhere => user.failed_logins,
        };
        let (failed, until) =
            match rules::count_failure(before, settings.lockout_after, lock, app.clock.now()) {
                Failure::Counted(n) => (n, None),
                Failure::Locked { until } => (0, Some(until)),
            };
        match self {
            Self::Known(browser) => {
                let row = ActiveModel {
                    user_id: Set(user.id),
                    hash: Set(browser.hash.clone()),
                    failed_logins: Set(failed),
                    locked_until: Set(until),
                    ..Default::default()
                };
                row.update(txn).await?;
            }
            Self::Elsewhere => {
                let row = app_user::ActiveModel {
                    id: Set(user.id),
                    failed_logins: Set(failed),
                    locked_until: Set(until),
                    ..Default::default()
                };
                row.update(txn).await?;
            }
        }
        Ok(until.is_some())
    }
}

/// Remembers the browser after a sign-in, and resets its count of wrong passwords. Returns the value of its cookie;
/// users who share a browser share the cookie.
pub async fn remember(
    app: &App,
    txn: &Transaction,
    user_id: Uuid,
    token: Option<&str>,
    session_id: Uuid,
) -> Result<String> {
    let token = match token {
        Some(token) if is_ours(txn, token).await? => token.to_owned(),
        _ => random_token(),
    };
    let row = ActiveModel {
        user_id: Set(user_id),
        hash: Set(token_hash(&token)),
        session_id: Set(session_id),
        failed_logins: Set(0),
        locked_until: Set(None),
        last_used_at: Set(app.clock.now()),
    };
    let again = OnConflict::columns([Column::UserId, Column::Hash])
        .update_columns([Column::SessionId, Column::FailedLogins, Column::LockedUntil, Column::LastUsedAt])
        .to_owned();
    Entity::insert(row).on_conflict(again).exec_without_returning(txn).await?;
    let surplus: Vec<Vec<u8>> = Entity::find()
        .select_only()
        .column(Column::Hash)
        .filter(Column::UserId.eq(user_id))
        .order_by_desc(Column::LastUsedAt)
        .offset(REMEMBERED)
        .limit(REMEMBERED)
        .into_tuple()
        .all(txn)
        .await?;
    if !surplus.is_empty() {
        let rows =
            Entity::delete_many().filter(Column::UserId.eq(user_id)).filter(Column::Hash.is_in(surplus));
        rows.exec(txn).await?;
    }
    Ok(token)
}

/// Whether this installation created the token. One from elsewhere may be known to somebody else.
async fn is_ours(db: &impl ConnectionTrait, token: &str) -> Result<bool> {
    Ok(Entity::find().filter(Column::Hash.eq(token_hash(token))).exists(db).await?)
}

/// Forgets the browser of a session that was ended because it may be compromised.
pub async fn forget(txn: &Transaction, session_id: Uuid) -> Result<()> {
    Entity::delete_many().filter(Column::SessionId.eq(session_id)).exec(txn).await?;
    Ok(())
}

/// Forgets browsers that were not used for a long time.
pub async fn purge(db: &impl ConnectionTrait, now: DateTime<Utc>) -> Result<()> {
    Entity::delete_many().filter(Column::LastUsedAt.lte(now - LIFETIME)).exec(db).await?;
    Ok(())
}
