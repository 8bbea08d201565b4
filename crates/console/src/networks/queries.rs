//! What is read and written about networks.

use super::{
    http::{Network, NetworkForm, NetworkOverview},
    rules,
};
use crate::organizations::queries::open;
use platform::{
    App, Caller, Error, Result, Role,
    audit::{self, Act, Actor, event},
    fields::FieldErrors,
    http::Page,
    session,
    sql::capped_count,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait,
    IntoActiveModel, QueryFilter, QueryOrder, QuerySelect, SelectExt, SqlErr, sea_query::Expr,
};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::{app_user, network, network_feature, organization, service_account},
};
use uuid::Uuid;

/// What an audit entry about a network calls it.
const OBJECT: &str = "network";
/// Why the sessions of those who administered a network have ended.
pub const ROLE_ENDED: &str = "The person administers the network no longer.";

/// A page of networks by name, and how many there are (counted no further than the cap).
pub async fn list(
    app: &App,
    caller: &Caller,
    name_begins: &str,
    page: Page,
) -> Result<(Vec<network::Model>, u64)> {
    use network::Column;
    let db = app.store.db();
    let mut rows = network::Entity::find();
    if !caller.has(Role::SysAdmin) {
        rows = rows.filter(Column::Id.is_in(own(db, caller).await?));
    }
    if !name_begins.is_empty() {
        rows = rows.filter(begins_with(Column::NameKey, name_begins));
    }
    let counted = capped_count(db, rows.clone()).await?;
    let rows = rows.order_by_asc(Column::NameKey).offset(page.offset()).limit(page.size).all(db).await?;
    Ok((rows, counted))
}

/// A range of a column that is sorted by its bytes, so that the index is read from there.
fn begins_with(column: network::Column, prefix: &str) -> Condition {
    Condition::all().add(column.gte(prefix)).add(column.lt(format!("{prefix}{}", char::MAX)))
}

/// The network of the caller and the one of the organization they work in.
async fn own(db: &impl ConnectionTrait, caller: &Caller) -> Result<Vec<Uuid>> {
    let organization = match caller.organization_id {
        Some(id) => organization::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    let joined = organization.and_then(|o| o.network_id);
    Ok(caller.network_id.into_iter().chain(joined).collect())
}

/// Any network for SysAdmin, and for others the one that they administer or work for.
pub fn check_own(caller: &Caller, id: Uuid) -> Result<()> {
    if caller.has(Role::SysAdmin) || caller.network_id == Some(id) { Ok(()) } else { Err(Error::NotFound) }
}

/// A network that the caller may see.
pub async fn find(db: &impl ConnectionTrait, caller: &Caller, id: Uuid) -> Result<network::Model> {
    check_own(caller, id)?;
    network::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)
}

/// A network that the caller may change, locked until the transaction ends.
pub async fn locked(txn: &Transaction, caller: &Caller, id: Uuid) -> Result<network::Model> {
    check_own(caller, id)?;
    network::Entity::find_by_id(id).lock_exclusive().one(txn).await?.ok_or(Error::NotFound)
}

/// Networks belong to the platform, whatever organization the caller works in.
pub fn platform_actor(caller: &Caller) -> Actor {
    Actor { organization_id: None, ..Actor::from(caller) }
}

/// Writes down what was done to a network.
pub async fn record(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    event: &'static str,
    id: Uuid,
    detail: Value,
) -> Result<()> {
    audit::record(app, txn, &platform_actor(caller), Act::new(event, OBJECT, id).detail(detail)).await
}

pub async fn create(app: &App, caller: &Caller, form: &NetworkForm) -> Result<network::Model> {
    let name = name_of(form)?;
    let txn = app.store.begin().await?;
    let row = network::ActiveModel {
        id: Set(Uuid::now_v7()),
        name_key: Set(rules::name_key(&name)),
        name: Set(name),
        version: Set(1),
        created_at: Set(Some(app.clock.now())),
    };
    let created = row.insert(&txn).await.map_err(name_taken)?;
    record(app, &txn, caller, event::CREATED, created.id, Value::Null).await?;
    txn.commit().await?;
    Ok(created)
}

fn name_of(form: &NetworkForm) -> Result<String> {
    let mut errors = FieldErrors::default();
    let name = rules::checked_name(&form.name, &mut errors);
    errors.check()?;
    Ok(name)
}

/// The index on the key decides, so that of two saves at the same moment one is refused.
fn name_taken(error: DbErr) -> Error {
    match error.sql_err() {
        Some(SqlErr::UniqueConstraintViolation(_)) => Error::field("name", rules::NAME_TAKEN),
        _ => error.into(),
    }
}

pub async fn update(app: &App, caller: &Caller, id: Uuid, form: &NetworkForm) -> Result<network::Model> {
    let txn = app.store.begin().await?;
    let before = locked(&txn, caller, id).await?;
    if form.version.is_some_and(|version| version != before.version) {
        return Err(Error::Conflict(rules::STALE.into()));
    }
    let name = name_of(form)?;
    let detail = json!({ "before": { "name": before.name }, "after": { "name": name } });
    let mut row = before.into_active_model();
    row.name_key = Set(rules::name_key(&name));
    row.name = Set(name);
    row.version = Set(row.version.as_ref() + 1);
    let saved = row.update(&txn).await.map_err(name_taken)?;
    record(app, &txn, caller, event::CHANGED, id, detail).await?;
    txn.commit().await?;
    Ok(saved)
}

/// Deletes a network without organizations, with everything that is its own.
pub async fn delete(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, id).await?;
    let members = organization::Column::NetworkId.eq(id);
    if open().filter(members.clone()).exists(&txn).await? {
        return Err(Error::Conflict(rules::HAS_ORGANIZATIONS.into()));
    }
    // Deleted organizations are kept, and need the network no more.
    organization::Entity::update_many()
        .col_expr(organization::Column::NetworkId, Expr::value(None::<Uuid>))
        .filter(members)
        .exec(&txn)
        .await?;
    let ended = dismiss_all(app, &txn, id).await?;
    network_feature::Entity::delete_many()
        .filter(network_feature::Column::NetworkId.eq(id))
        .exec(&txn)
        .await?;
    service_account::Entity::delete_many()
        .filter(service_account::Column::NetworkId.eq(id))
        .exec(&txn)
        .await?;
    network::Entity::delete_by_id(id).exec(&txn).await?;
    record(app, &txn, caller, event::DELETED, id, json!({ "sessions": ended.len() })).await?;
    txn.commit().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Nobody administers the network any more. Returns the sessions that end by it.
async fn dismiss_all(app: &App, txn: &Transaction, id: Uuid) -> Result<Vec<Uuid>> {
    let of_network = app_user::Column::NetworkAdminOf.eq(id);
    let administrators: Vec<Uuid> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(of_network.clone())
        .into_tuple()
        .all(txn)
        .await?;
    let mut ended = Vec::new();
    for user_id in administrators {
        ended.extend(session::end_all(txn, app.clock.now(), user_id, None, ROLE_ENDED).await?);
    }
    app_user::Entity::update_many()
        .col_expr(app_user::Column::NetworkAdminOf, Expr::value(None::<Uuid>))
        .filter(of_network)
        .exec(txn)
        .await?;
    Ok(ended)
}

/// The features of a network, in their order.
pub async fn features(db: &impl ConnectionTrait, id: Uuid) -> Result<Vec<network_feature::Model>> {
    let rows = network_feature::Entity::find()
        .filter(network_feature::Column::NetworkId.eq(id))
        .order_by_asc(network_feature::Column::Position)
        .order_by_asc(network_feature::Column::Name)
        .all(db)
        .await?;
    Ok(rows)
}

pub async fn overview(db: &impl ConnectionTrait, id: Uuid) -> Result<Option<NetworkOverview>> {
    let Some(found) = network::Entity::find_by_id(id).one(db).await? else { return Ok(None) };
    let organizations = open().filter(organization::Column::NetworkId.eq(id));
    let administrators = app_user::Entity::find().filter(app_user::Column::NetworkAdminOf.eq(id));
    let account = service_account::Entity::find().filter(service_account::Column::NetworkId.eq(id));
    let cap = platform::http::COUNT_CAP;
    Ok(Some(NetworkOverview {
        network: Network::from(found),
        organization_count: capped_count(db, organizations).await?.min(cap),
        admin_count: capped_count(db, administrators).await?.min(cap),
        has_service_account: account.exists(db).await?,
    }))
}
