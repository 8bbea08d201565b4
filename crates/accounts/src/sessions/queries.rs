//! Listing and ending of sessions.

use crate::{
    lockout::places,
    second_factor::{PasswordOrCode, confirm_either},
};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    session::{self, place},
};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder,
    sea_query::{ExprTrait, SimpleExpr},
};
use serde_json::json;
use store::{Transaction, entities::session as session_row};
use uuid::Uuid;

/// The sessions that the caller may see: all of their own or, after single sign-on, those that came from the same
/// provider.
fn of_caller(caller: &Caller) -> SimpleExpr {
    let own = session_row::Column::UserId.eq(caller.user_id);
    match caller.connection_id {
        Some(id) => own.and(session_row::Column::ConnectionId.eq(id)),
        None => own,
    }
}

/// The valid sessions of the caller, last used first.
pub async fn own(app: &App, caller: &Caller) -> Result<Vec<session_row::Model>> {
    open_where(app, of_caller(caller)).await
}

/// The valid sessions of a user, last used first.
pub async fn open_of(app: &App, user_id: Uuid) -> Result<Vec<session_row::Model>> {
    open_where(app, session_row::Column::UserId.eq(user_id)).await
}

async fn open_where(app: &App, which: SimpleExpr) -> Result<Vec<session_row::Model>> {
    let (db, now) = (app.store.db(), app.clock.now());
    let rows = session_row::Entity::find()
        .filter(which)
        .filter(session_row::Column::RevokedAt.is_null())
        .filter(session_row::Column::ExpiresAt.gt(now))
        .order_by_desc(session_row::Column::LastUsedAt)
        .all(db)
        .await?;
    let mut alive = Vec::new();
    for row in rows {
        let place = match row.organization_id {
            Some(id) => place(db, row.user_id, id).await?,
            None => None,
        };
        let security = place.map(|p| p.security).unwrap_or_default();
        if now - row.last_used_at <= security.idle(app.config.session.idle_minutes) {
            alive.push(row);
        }
    }
    Ok(alive)
}

/// Ends one session of the caller, after asking for the password again; other users' sessions are not found.
pub async fn end_one(app: &App, caller: &Caller, id: Uuid, given: PasswordOrCode) -> Result<()> {
    let own = || session_row::Entity::find_by_id(id).filter(of_caller(caller));
    own().one(app.store.db()).await?.ok_or(Error::NotFound)?;
    confirm_either(app, caller, given).await?;
    let txn = app.store.begin().await?;
    let found = own().one(&txn).await?.ok_or(Error::NotFound)?;
    if found.revoked_at.is_none() {
        session::revoke(&txn, app.clock.now(), id, "Signed out by the user.").await?;
        places::forget(&txn, id).await?;
        audit_ended(app, &txn, caller, 1).await?;
        txn.commit().await?;
        session::tell_ended(app, vec![id]).await;
    }
    Ok(())
}

/// Ends all sessions of the caller, including this one, after asking for the password again.
pub async fn end_every(app: &App, caller: &Caller, given: PasswordOrCode) -> Result<()> {
    confirm_either(app, caller, given).await?;
    let txn = app.store.begin().await?;
    let ended =
        session::end_where(&txn, app.clock.now(), of_caller(caller), "Signed out everywhere.").await?;
    audit_ended(app, &txn, caller, ended.len()).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

async fn audit_ended(app: &App, txn: &Transaction, caller: &Caller, count: usize) -> Result<()> {
    let act = Act::new(event::SESSION_REVOKED, "user", caller.user_id).detail(json!({ "sessions": count }));
    audit::record(app, txn, &Actor::from(caller), act).await
}
