//! Database access of the members of networks.

use crate::{
    networks::{
        queries::{ROLE_ENDED, locked, record},
        rules,
    },
    organizations::{
        queries::save,
        search::{self, NameSearch},
    },
};
use accounts::organization::locked as locked_organization;
use platform::{
    App, Caller, Error, Result,
    audit::event,
    http::{Page, Paged},
    session,
    sql::{self, begins_with},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Order,
    QueryFilter, QuerySelect,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{app_user, network, organization},
};
use uuid::Uuid;

/// A page of the organizations of a network, by name.
pub async fn organizations(
    db: &impl ConnectionTrait,
    id: Uuid,
    words: &str,
    page: Page,
) -> Result<Paged<organization::Model>> {
    use organization::Column;
    let rows = search::found(db, NameSearch::new(words)).await?.filter(Column::NetworkId.eq(id));
    Ok(sql::page(db, rows, &[(Column::NameKey, Order::Asc), (Column::Id, Order::Asc)], page).await?)
}

/// Adds an organization that has no network. The network is locked first, so that it cannot be deleted meanwhile.
pub async fn add_organization(app: &App, caller: &Caller, id: Uuid, organization_id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, id).await?;
    let refused = |text: String| Error::field("organizationId", text);
    let before = match locked_organization(&txn, organization_id).await {
        Err(Error::NotFound) => return Err(refused(rules::UNKNOWN_ORGANIZATION.into())),
        found => found?,
    };
    match before.network_id {
        Some(present) if present == id => return Err(refused(rules::IS_HERE_ALREADY.into())),
        Some(present) => return Err(refused(is_elsewhere(&txn, present).await?)),
        None => {}
    }
    let mut row = before.into_active_model();
    row.network_id = Set(Some(id));
    save(app, caller, &txn, row, json!({ "networkJoined": id })).await?;
    record(app, &txn, caller, event::CHANGED, id, json!({ "organizationAdded": organization_id })).await?;
    Ok(txn.commit().await?)
}

async fn is_elsewhere(txn: &Transaction, present: Uuid) -> Result<String> {
    let name = network::Entity::find_by_id(present).one(txn).await?.map(|n| n.name).unwrap_or_default();
    Ok(format!("This organization is already in the network {name}. Please remove it there first."))
}

pub async fn remove_organization(app: &App, caller: &Caller, id: Uuid, organization_id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, id).await?;
    let before = locked_organization(&txn, organization_id).await?;
    if before.network_id != Some(id) {
        return Err(Error::NotFound);
    }
    let mut row = before.into_active_model();
    row.network_id = Set(None);
    save(app, caller, &txn, row, json!({ "networkLeft": id })).await?;
    record(app, &txn, caller, event::CHANGED, id, json!({ "organizationRemoved": organization_id })).await?;
    Ok(txn.commit().await?)
}

/// A page of the administrators of a network, by username.
pub async fn admins(
    db: &impl ConnectionTrait,
    id: Uuid,
    begins: &str,
    page: Page,
) -> Result<Paged<app_user::Model>> {
    use app_user::Column;
    let rows = app_user::Entity::find().filter(Column::NetworkAdminOf.eq(id));
    let rows = rows.filter(begins_with(db, Column::UserNameKey, begins));
    Ok(sql::page(db, rows, &[(Column::UserNameKey, Order::Asc)], page).await?)
}

pub async fn add_admin(app: &App, caller: &Caller, id: Uuid, named: &str) -> Result<app_user::Model> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, id).await?;
    let user = find_user(&txn, named).await?;
    let refused = match user.network_admin_of {
        Some(present) if present == id => Some(rules::IS_ADMIN_ALREADY),
        Some(_) => Some(rules::IS_ADMIN_ELSEWHERE),
        None if user.is_disabled => Some(rules::USER_DISABLED),
        None => None,
    };
    if let Some(text) = refused {
        return Err(Error::field("userName", text));
    }
    let user = set_network(app, &txn, user, Some(id)).await?;
    record(app, &txn, caller, event::CHANGED, id, json!({ "administratorAdded": user.id })).await?;
    txn.commit().await?;
    Ok(user)
}

/// A user by username or e-mail address, locked until the transaction ends.
async fn find_user(txn: &Transaction, named: &str) -> Result<app_user::Model> {
    use app_user::Column;
    let refused = |text: &str| Error::field("userName", text);
    let named = named.trim();
    if named.is_empty() {
        return Err(refused(rules::USER_NEEDED));
    }
    let key = sql::key(named);
    let by_name = app_user::Entity::find().filter(Column::UserNameKey.eq(key.as_str())).lock_exclusive();
    if let Some(user) = by_name.one(txn).await? {
        return Ok(user);
    }
    // Addresses never contain control characters, and PostgreSQL refuses them.
    let printable: String = named.chars().filter(|c| !c.is_control()).collect();
    let by_email = app_user::Entity::find().filter(Column::Email.is_in([printable, key])).limit(2);
    match by_email.lock_exclusive().all(txn).await?.as_slice() {
        [user] => Ok(user.clone()),
        [] => Err(refused(rules::UNKNOWN_USER)),
        _ => Err(refused(rules::SEVERAL_USERS)),
    }
}

async fn set_network(
    app: &App,
    txn: &Transaction,
    user: app_user::Model,
    network_id: Option<Uuid>,
) -> Result<app_user::Model> {
    let mut row = user.into_active_model();
    row.network_admin_of = Set(network_id);
    row.modified_at = Set(app.clock.now());
    row.version = Set(row.version.as_ref() + 1);
    Ok(row.update(txn).await?)
}

pub async fn remove_admin(app: &App, caller: &Caller, id: Uuid, user_id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, id).await?;
    let of_network = app_user::Column::NetworkAdminOf.eq(id);
    let user = app_user::Entity::find_by_id(user_id).filter(of_network).lock_exclusive().one(&txn).await?;
    set_network(app, &txn, user.ok_or(Error::NotFound)?, None).await?;
    let mine = (user_id == caller.user_id).then_some(caller.session_id);
    let ended = session::end_all(&txn, app.clock.now(), user_id, mine, ROLE_ENDED).await?;
    let detail = json!({ "administratorRemoved": user_id, "sessions": ended.len() });
    record(app, &txn, caller, event::CHANGED, id, detail).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}
