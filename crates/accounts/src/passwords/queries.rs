//! Changes of passwords.

use super::{confirm, locked_with_password, rules};
use crate::{
    access, factors, links,
    person::{self, managed, open_organizations},
};
use chrono::Duration;
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
    fields::user_name_key,
    session,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, brand},
};
use uuid::Uuid;

/// Maximum number of links per hour and account.
const LINKS_AN_HOUR: u64 = 3;
const CHANGED: &str = "Your password was changed";
/// The rules for a user's password: words it must not contain, and its minimum length.
pub async fn owner(app: &App, user: &app_user::Model) -> Result<rules::Owner> {
    let db = app.store.db();
    let mut others = Vec::new();
    for organization in open_organizations(db, user.id).await? {
        others.extend([organization.name, organization.sub_domain]);
    }
    others.extend(brand::Entity::find().all(db).await?.into_iter().map(|b| b.display_name));
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let names = [user.first_name.as_str(), user.last_name.as_str()];
    let has_second_step = factors::is_asked_for(app, db, user).await?;
    Ok(rules::Owner::new(&names, &user.user_name, &others, has_second_step))
}

/// Changes the caller's password and ends their other sessions.
pub async fn change_own(app: &App, caller: &Caller, old: String, new: String) -> Result<()> {
    let user = confirm(app, caller, old.clone(), "oldPassword").await?;
    if old == new {
        return Err(Error::field("password", rules::SAME));
    }
    let hash = accepted(app, &user, new).await?;
    let mail = person::notice(app, &user, CHANGED, &caller.source_ip).await?;
    let txn = app.store.begin().await?;
    let user = locked_with_password(&txn, &user, "oldPassword").await?;
    let ended = set(app, &txn, &user, hash, Some(caller.session_id)).await?;
    let act =
        Act::new(event::PASSWORD_CHANGED, "user", user.id).detail(json!({ "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &Actor::from(caller), act).await?;
    if let Some(mail) = mail {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Sets the password with an e-mailed link.
pub async fn set_by_link(app: &App, token: &str, new: String, source_ip: &str) -> Result<()> {
    let (_, _, user) = links::find(app, app.store.db(), token).await?;
    let hash = accepted(app, &user, new).await?;
    let mail = person::notice(app, &user, CHANGED, source_ip).await?;
    let txn = app.store.begin().await?;
    let user = links::use_up(app, &txn, token).await?;
    let ended = set(app, &txn, &user, hash, None).await?;
    let home = person::home(&txn, &user).await?;
    let act = Act::new(event::PASSWORD_CHANGED, "user", user.id)
        .detail(json!({ "byLink": true, "sessionsEnded": ended.len() }));
    audit::record(app, &txn, &person::actor(&user, home, source_ip), act).await?;
    // No notice is needed for a first password.
    if let Some(mail) = mail.filter(|_| !user.password_hash.is_empty()) {
        mail.enqueue(&txn).await?;
    }
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// The hash of an allowed password; a refusal is an error of `password`.
pub async fn accepted(app: &App, user: &app_user::Model, new: String) -> Result<String> {
    super::accepted(app, new, &owner(app, user).await?).await
}

/// Stores a new hash, unlocks the account, and ends sessions and links.
async fn set(
    app: &App,
    txn: &Transaction,
    user: &app_user::Model,
    hash: String,
    except: Option<Uuid>,
) -> Result<Vec<Uuid>> {
    let now = app.clock.now();
    app_user::ActiveModel {
        id: Set(user.id),
        password_hash: Set(hash),
        password_changed_at: Set(now),
        failed_logins: Set(0),
        locked_until: Set(None),
        modified_at: Set(now),
        version: Set(user.version + 1),
        ..Default::default()
    }
    .update(txn)
    .await?;
    access::end_access(txn, now, user.id, except, "The password was changed.").await
}

/// Sends a link to the user with a name. The caller does not learn whether there is one.
pub async fn forgot(app: &App, user_name: &str, source_ip: &str) -> Result<()> {
    if !email::is_available(app) {
        return Err(Error::Conflict(links::NO_MAIL.into()));
    }
    let key = user_name_key(user_name);
    let db = app.store.db();
    let found = app_user::Entity::find().filter(app_user::Column::UserNameKey.eq(key)).one(db).await?;
    let Some(user) = found.filter(|u| !u.is_disabled && person::recipient(u).is_some()) else {
        return Ok(());
    };
    let hour_ago = app.clock.now() - Duration::hours(1);
    if links::sent_since(db, user.id, hour_ago).await? >= LINKS_AN_HOUR {
        return Ok(());
    }
    let home = person::home(db, &user).await?;
    let actor = Actor { organization_id: home, source_ip: source_ip.to_owned(), ..Actor::default() };
    send(app, &user, &actor).await
}

async fn send(app: &App, user: &app_user::Model, actor: &Actor) -> Result<()> {
    let link = links::prepare(app, user).await?;
    let txn = app.store.begin().await?;
    link.enqueue(&txn, app.clock.now()).await?;
    audit::record(app, &txn, actor, Act::new(event::LINK_SENT, "user", user.id)).await?;
    txn.commit().await?;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Sends a user the link to a new password, requested by an administrator.
pub async fn send_reset(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let user = managed(app, caller, id).await?;
    if user.is_disabled {
        return Err(Error::Conflict("This account is disabled.".into()));
    }
    send(app, &user, &Actor::from(caller)).await
}

/// Sends the invitation again to a user who has not accepted it.
pub async fn resend_invitation(app: &App, caller: &Caller, id: Uuid, user_name: &str) -> Result<()> {
    let user = managed(app, caller, id).await?;
    if user.user_name_key != user_name_key(user_name) {
        return Err(Error::field("userName", "This is not the account's user name."));
    }
    if user.is_disabled {
        return Err(Error::Conflict("This account is disabled.".into()));
    }
    if !user.password_hash.is_empty() {
        return Err(Error::Conflict("This person has already accepted the invitation.".into()));
    }
    send(app, &user, &Actor::from(caller)).await
}
