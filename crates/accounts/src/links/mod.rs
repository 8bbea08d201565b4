//! E-mailed links that open an account once.

mod mail;

use crate::person;
use chrono::{DateTime, Duration, Utc};
use email::Prepared;
use mail::{Invitation, PasswordReset};
use platform::{
    App, Error, Result,
    secret::{random_token, token_hash},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, sea_query::Expr,
};
pub use store::entities::account_link::Purpose;
use store::{
    Transaction,
    entities::{account_link, app_user, organization},
};
use uuid::Uuid;

pub const EXPIRED: &str = "This link has expired.";
pub const USED: &str = "This link was already used, or replaced by a newer one.";
pub const NO_MAIL: &str = "No link can be sent, because this installation has no mail server configured.";
pub const NO_ADDRESS: &str = "No link can be sent, because this account has no e-mail address.";

/// Lifetime of a link.
fn lifetime(purpose: Purpose) -> Duration {
    match purpose {
        Purpose::Reset => Duration::hours(1),
        Purpose::Invitation => Duration::days(7),
    }
}

/// An invitation for users without a password, a reset for others.
pub fn purpose_for(user: &app_user::Model) -> Purpose {
    if user.password_hash.is_empty() { Purpose::Invitation } else { Purpose::Reset }
}

/// A link with its e-mail, ready to be written in a transaction.
pub struct NewLink {
    user_id: Uuid,
    purpose: Purpose,
    token_hash: Vec<u8>,
    mail: Prepared,
}

/// Creates a link for a user to choose the first password or a new one.
pub async fn prepare(app: &App, user: &app_user::Model) -> Result<NewLink> {
    let to = person::recipient(user).ok_or(Error::Conflict(NO_ADDRESS.into()))?;
    if !email::is_available(app) {
        return Err(Error::Conflict(NO_MAIL.into()));
    }
    let (token, purpose) = (random_token(), purpose_for(user));
    let token_hash = token_hash(&token);
    let home = person::home(app.store.db(), user).await?;
    let (first_name, user_name) = (user.first_name.clone(), user.user_name.clone());
    let mail = match purpose {
        Purpose::Reset => {
            email::prepare(app, home, to, &PasswordReset { first_name, user_name, token }).await?
        }
        Purpose::Invitation => {
            let organization = match home {
                Some(id) => organization::Entity::find_by_id(id).one(app.store.db()).await?.map(|o| o.name),
                None => None,
            };
            email::prepare(app, home, to, &Invitation { first_name, user_name, organization, token }).await?
        }
    };
    Ok(NewLink { user_id: user.id, purpose, token_hash, mail })
}

impl NewLink {
    /// After the commit, the link works and earlier ones do not; wake the workers then.
    pub async fn enqueue(self, txn: &Transaction, now: DateTime<Utc>) -> Result<()> {
        end_all(txn, now, self.user_id).await?;
        account_link::Entity::insert(account_link::ActiveModel {
            id: Set(Uuid::now_v7()),
            token_hash: Set(self.token_hash),
            user_id: Set(self.user_id),
            purpose: Set(self.purpose),
            created_at: Set(now),
            expires_at: Set(now + lifetime(self.purpose)),
            ended_at: Set(None),
        })
        .exec_without_returning(txn)
        .await?;
        self.mail.enqueue(txn).await
    }
}

/// Revokes all links of a user.
pub async fn end_all(db: &impl ConnectionTrait, now: DateTime<Utc>, user_id: Uuid) -> Result<()> {
    account_link::Entity::update_many()
        .col_expr(account_link::Column::EndedAt, Expr::value(Some(now)))
        .filter(account_link::Column::UserId.eq(user_id))
        .filter(account_link::Column::EndedAt.is_null())
        .exec(db)
        .await?;
    Ok(())
}

/// Number of links sent to a user since a time.
pub async fn sent_since(db: &impl ConnectionTrait, user_id: Uuid, since: DateTime<Utc>) -> Result<u64> {
    let sent = account_link::Entity::find()
        .filter(account_link::Column::UserId.eq(user_id))
        .filter(account_link::Column::CreatedAt.gt(since));
    Ok(sent.count(db).await?)
}

/// The user and the purpose of a valid link.
pub async fn find(
    app: &App,
    db: &impl ConnectionTrait,
    token: &str,
) -> Result<(account_link::Model, Purpose, app_user::Model)> {
    let of_token = account_link::Column::TokenHash.eq(token_hash(token));
    let link = account_link::Entity::find().filter(of_token).one(db).await?.ok_or(Error::NotFound)?;
    if link.ended_at.is_some() {
        return Err(Error::Conflict(USED.into()));
    }
    if link.expires_at <= app.clock.now() {
        return Err(Error::Conflict(EXPIRED.into()));
    }
    let user = app_user::Entity::find_by_id(link.user_id).one(db).await?;
    let user = user.filter(|u| !u.is_disabled).ok_or(Error::Conflict(USED.into()))?;
    let purpose = link.purpose;
    Ok((link, purpose, user))
}

/// Redeems a link. Only one of two concurrent requests succeeds.
pub async fn use_up(app: &App, txn: &Transaction, token: &str) -> Result<app_user::Model> {
    let (link, _, user) = find(app, txn, token).await?;
    let used = account_link::Entity::update_many()
        .col_expr(account_link::Column::EndedAt, Expr::value(Some(app.clock.now())))
        .filter(account_link::Column::Id.eq(link.id))
        .filter(account_link::Column::EndedAt.is_null())
        .exec(txn)
        .await?;
    if used.rows_affected == 1 { Ok(user) } else { Err(Error::Conflict(USED.into())) }
}
