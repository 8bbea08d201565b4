//! Disabling and signing out accounts. The last system administrator cannot be locked out.

use super::{
    queries::find,
    types::{RoleType, UserSession},
};
use accounts::{
    access::end_access,
    people::deletion::{NOT_ONESELF, locked},
    person::trail,
    sessions,
};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, event},
    session,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use store::entities::organization;
use uuid::Uuid;

/// Enables or disables an account in all organizations. Does nothing if it is in that state already.
pub async fn set_enabled(app: &App, caller: &Caller, id: Uuid, enable: bool, kind: RoleType) -> Result<()> {
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    let account = locked(&txn, id).await?;
    if account.user.system_role.is_some() != (kind == RoleType::System) {
        return Err(Error::NotFound);
    }
    if account.user.is_disabled != enable {
        return Ok(());
    }
    if !enable {
        if id == caller.user_id {
            return Err(Error::Conflict(NOT_ONESELF.into()));
        }
        account.require_another()?;
    }
    let actor = trail(&txn, caller, &account.user).await?;
    let version = account.user.version;
    let mut row = account.user.into_active_model();
    row.is_disabled = Set(!enable);
    row.disabled_at = Set((!enable).then_some(now));
    row.modified_at = Set(now);
    row.version = Set(version + 1);
    row.update(&txn).await?;
    let ended = if enable {
        Vec::new()
    } else {
        end_access(&txn, now, id, None, "The account was disabled.").await?
    };
    let act = Act::new(event::CHANGED, "user", id)
        .detail(json!({ "enabled": enable, "everywhere": true, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// The open sessions of a user, the most recently used first.
pub async fn sessions(app: &App, id: Uuid) -> Result<Vec<UserSession>> {
    let db = app.store.db();
    find(db, id).await?;
    let open = sessions::open_of(app, id).await?;
    let ids: HashSet<Uuid> = open.iter().filter_map(|session| session.organization_id).collect();
    let names: HashMap<Uuid, String> = organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids))
        .all(db)
        .await?
        .into_iter()
        .map(|organization| (organization.id, organization.name))
        .collect();
    let item = |row: store::entities::session::Model| UserSession {
        id: row.id,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        source_ip: row.source_ip,
        user_agent: row.user_agent,
        organization_name: row.organization_id.and_then(|id| names.get(&id).cloned()),
    };
    Ok(open.into_iter().map(item).collect())
}

/// Ends all sessions of a user. The password and links by e-mail still work.
pub async fn end_sessions(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let user = find(&txn, id).await?;
    let reason = "Signed out by the operator.";
    let ended = session::end_all(&txn, app.clock.now(), id, None, reason).await?;
    let act = Act::new(event::SESSION_REVOKED, "user", id).detail(json!({ "sessions": ended.len() }));
    audit::record(app, &txn, &trail(&txn, caller, &user).await?, act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}
