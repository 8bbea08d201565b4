//! Deleting an account. The last system administrator cannot be locked out.

use crate::{access::end_access, person};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, event},
    session::{self, ROLE_SYSADMIN},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, sea_query::LockType,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        app_user, document_source_reader, intake_rule_user, known_browser, membership, notification, passkey,
        recovery_code, second_factor, sso_identity, user_document_source,
    },
};
use uuid::Uuid;

pub const NOT_ONESELF: &str = "You cannot disable or delete your own account.";
pub const LAST_OPERATOR: &str =
    "This installation needs a system administrator who can sign in, and this is the last one.";

/// An account that is not deleted, locked until the transaction ends.
pub struct Locked {
    pub user: app_user::Model,
    /// Whether there is another system administrator who can sign in.
    others: bool,
}

impl Locked {
    /// An error for the last system administrator.
    pub fn require_another(&self) -> Result<()> {
        let is_needed = self.user.system_role.as_deref() == Some(ROLE_SYSADMIN);
        if is_needed && !self.others { Err(Error::Conflict(LAST_OPERATOR.into())) } else { Ok(()) }
    }
}

/// Locks all system administrators in a fixed order before the account itself, so that two who disable each other
/// cannot both succeed.
pub async fn locked(txn: &Transaction, id: Uuid) -> Result<Locked> {
    let operators = app_user::Entity::find()
        .filter(app_user::Column::SystemRole.eq(ROLE_SYSADMIN))
        .order_by_asc(app_user::Column::Id)
        .lock(LockType::NoKeyUpdate)
        .all(txn)
        .await?;
    let others =
        operators.iter().any(|user| user.id != id && !user.is_disabled && !user.password_hash.is_empty());
    let user = person::locked(txn, id).await?.filter(|user| user.deleted_at.is_none());
    Ok(Locked { user: user.ok_or(Error::NotFound)?, others })
}

/// Deletes an account. The row stays for the audit trail, disabled and with a key that no user name can have.
pub async fn delete(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    if id == caller.user_id {
        return Err(Error::Conflict(NOT_ONESELF.into()));
    }
    let (txn, now) = (app.store.begin().await?, app.clock.now());
    let account = locked(&txn, id).await?;
    account.require_another()?;
    let actor = person::trail(&txn, caller, &account.user).await?;
    let ended = end_access(&txn, now, id, None, "The account was deleted.").await?;
    remove_belongings(&txn, id).await?;
    let key = format!("{} {}", account.user.user_name_key, id.simple());
    let version = account.user.version;
    let mut row = account.user.into_active_model();
    row.user_name_key = Set(key);
    row.email = Set(String::new());
    row.password_hash = Set(String::new());
    row.system_role = Set(None);
    row.network_admin_of = Set(None);
    row.last_organization_id = Set(None);
    row.is_disabled = Set(true);
    row.disabled_at = Set(Some(now));
    row.deleted_at = Set(Some(now));
    row.modified_at = Set(now);
    row.version = Set(version + 1);
    row.update(&txn).await?;
    let act = Act::new(event::DELETED, "user", id).detail(json!({ "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &actor, act).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Deletes memberships, credentials and notifications.
async fn remove_belongings(txn: &Transaction, id: Uuid) -> Result<()> {
    macro_rules! remove {
        ($($table:ident),+) => { $(
            $table::Entity::delete_many().filter($table::Column::UserId.eq(id)).exec(txn).await?;
        )+ };
    }
    remove!(
        intake_rule_user,
        known_browser,
        user_document_source,
        document_source_reader,
        membership,
        notification,
        passkey,
        recovery_code,
        second_factor,
        sso_identity
    );
    Ok(())
}
