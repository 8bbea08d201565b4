//! A user's row, for several features of this area.

use chrono::{DateTime, Utc};
use email::{Email, Prepared, Recipient};
use platform::{
    App, Caller, Error, Result, Role,
    audit::Actor,
    session::{ROLE_SYSADMIN, full_name},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, SelectExt,
    sea_query::LockType,
};
use serde::Serialize;
use store::{
    Transaction,
    entities::{app_user, membership, organization},
};
use uuid::Uuid;

/// For accounts of operators: resetting one would give access to it.
const OF_THE_OPERATOR: &str = "This account is managed by the operator of this installation.";
const CONFINED: &str = "This applies in all your organizations. To change it, sign in with your password instead of single sign-on.";

/// A user, locked until the transaction ends, so that counts there are updated one after the other. The key is not
/// locked, so that rows that refer to it can be written meanwhile without waiting.
pub async fn locked(txn: &Transaction, id: Uuid) -> Result<Option<app_user::Model>> {
    let query = app_user::Entity::find_by_id(id).lock(LockType::NoKeyUpdate);
    Ok(query.one(txn).await?)
}

/// The user as the actor of an audit entry, in the trail of their organization.
pub fn actor(user: &app_user::Model, organization_id: Option<Uuid>, source_ip: &str) -> Actor {
    Actor { id: Some(user.id), name: full_name(user), organization_id, source_ip: source_ip.to_owned() }
}

/// The audit trail for an entry about a user: that of their organization, where its administrators see it, or that of
/// the platform.
pub async fn trail(db: &impl ConnectionTrait, caller: &Caller, user: &app_user::Model) -> Result<Actor> {
    Ok(match home(db, user).await? {
        Some(id) => Actor::in_organization(caller, id),
        None => Actor::platform(caller),
    })
}

/// The user as an e-mail recipient; `None` without an address.
pub fn recipient(user: &app_user::Model) -> Option<Recipient> {
    let address = user.email.trim();
    (!address.is_empty()).then(|| Recipient { name: full_name(user), address: address.to_owned() })
}

/// Maximum number of people to notify.
const TOLD_MAX: u64 = 20;

/// The system administrators who can be reached by e-mail.
pub async fn operators(app: &App) -> Result<Vec<app_user::Model>> {
    Ok(app_user::Entity::find()
        .filter(app_user::Column::SystemRole.eq(ROLE_SYSADMIN))
        .filter(app_user::Column::IsDisabled.eq(false))
        .filter(app_user::Column::Email.ne(""))
        .order_by_asc(app_user::Column::Id)
        .limit(TOLD_MAX)
        .all(app.store.db())
        .await?)
}

/// The organization whose brand the user knows: the last used one, or their first.
pub async fn home(db: &impl ConnectionTrait, user: &app_user::Model) -> Result<Option<Uuid>> {
    if user.last_organization_id.is_some() {
        return Ok(user.last_organization_id);
    }
    let first = membership::Entity::find()
        .filter(membership::Column::UserId.eq(user.id))
        .order_by_asc(membership::Column::OrganizationId)
        .one(db)
        .await?;
    Ok(first.map(|m| m.organization_id))
}

/// Whether a user also has a role in another organization, or in the installation.
pub async fn is_elsewhere(
    db: &impl ConnectionTrait,
    user: &app_user::Model,
    organization_id: Uuid,
) -> Result<bool> {
    if user.system_role.is_some() || user.network_admin_of.is_some() {
        return Ok(true);
    }
    let others = membership::Entity::find()
        .filter(membership::Column::UserId.eq(user.id))
        .filter(membership::Column::OrganizationId.ne(organization_id));
    Ok(others.exists(db).await?)
}

/// Refuses changes that apply elsewhere too if the caller came by single sign-on: an organization's provider has no
/// say there.
pub async fn refuse_confined(
    db: &impl ConnectionTrait,
    caller: &Caller,
    user: &app_user::Model,
) -> Result<()> {
    if let (Some(_), Some(here)) = (caller.connection_id, caller.organization_id)
        && is_elsewhere(db, user, here).await?
    {
        return Err(Error::Conflict(CONFINED.into()));
    }
    Ok(())
}

/// The organizations in which a user may work, by name.
pub async fn open_organizations(
    db: &impl ConnectionTrait,
    user_id: Uuid,
) -> Result<Vec<organization::Model>> {
    let ids: Vec<Uuid> = membership::Entity::find()
        .filter(membership::Column::UserId.eq(user_id))
        .filter(membership::Column::IsDisabled.eq(false))
        .all(db)
        .await?
        .into_iter()
        .map(|m| m.organization_id)
        .collect();
    Ok(organization::Entity::find()
        .filter(organization::Column::Id.is_in(ids))
        .filter(organization::Column::IsEnabled.eq(true))
        .filter(organization::Column::DeletedAt.is_null())
        .order_by_asc(organization::Column::NameKey)
        .all(db)
        .await?)
}

/// A user that the caller may manage: anybody for a system administrator, members of their own organization for its
/// administrators. Others are not found.
pub async fn managed(app: &App, caller: &Caller, id: Uuid) -> Result<app_user::Model> {
    let db = app.store.db();
    let user = app_user::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    if caller.has(Role::SysAdmin) {
        return Ok(user);
    }
    let organization_id =
        caller.organization_id.filter(|_| caller.has(Role::Admin)).ok_or(Error::NotFound)?;
    let member = membership::Entity::find_by_id((id, organization_id)).one(db).await?;
    let member = member.ok_or(Error::NotFound)?;
    if user.system_role.is_some() {
        return Err(Error::Conflict(OF_THE_OPERATOR.into()));
    }
    Ok(app_user::Model { is_disabled: user.is_disabled || member.is_disabled, ..user })
}

/// Tells a user that their account was changed.
#[derive(Serialize)]
struct AccountChanged {
    first_name: String,
    user_name: String,
    what: &'static str,
    at: String,
    source_ip: String,
}

impl Email for AccountChanged {
    const TEMPLATE: &'static str = "account_changed";
}

/// The e-mail that tells a user of a change; `None` if they cannot be reached by e-mail. `what` is a sentence without
/// its full stop.
pub async fn notice(
    app: &App,
    user: &app_user::Model,
    what: &'static str,
    source_ip: &str,
) -> Result<Option<Prepared>> {
    let Some(to) = recipient(user).filter(|_| email::is_available(app)) else { return Ok(None) };
    let mail = AccountChanged {
        first_name: user.first_name.clone(),
        user_name: user.user_name.clone(),
        what,
        at: time_text(app.clock.now()),
        source_ip: source_ip.to_owned(),
    };
    let home = home(app.store.db(), user).await?;
    Ok(Some(email::prepare(app, home, to, &mail).await?))
}

fn time_text(at: DateTime<Utc>) -> String {
    at.format("%b %-d, %Y at %-I:%M %p UTC").to_string()
}
