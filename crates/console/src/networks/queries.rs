//! Database access of networks.

use super::{
    rules,
    types::{Network, NetworkForm, NetworkOverview},
};
use accounts::organization::open;
use platform::{
    App, Caller, Error, Result, Role,
    audit::{self, Act, Actor},
    http::{Page, Paged},
    records::{self, Record},
    session,
    sql::{self, begins_with, capped_count},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    SelectExt, sea_query::Expr,
};
use serde_json::Value;
use store::{
    Transaction,
    entities::{
        app_user,
        network::{self, Column, Model},
        network_feature, organization, service_account,
    },
};
use uuid::Uuid;

/// Name of a network in the audit trail.
const OBJECT: &str = "network";
/// Reason for ending the sessions of a network's former administrators.
pub const ROLE_ENDED: &str = "The person is no longer an administrator of the network.";

pub(crate) struct NetworkRecord;

impl Record for NetworkRecord {
    type Entity = network::Entity;
    const OBJECT: &'static str = OBJECT;
    const NOUN: &'static str = "this network";
    const ID: Column = Column::Id;
    const VERSION: Column = Column::Version;
    const NAME: Option<Column> = Some(Column::Name);
    const AUDITED: &'static [Column] = &[Column::Name];
    const TAKEN: (&'static str, &'static str) = ("name", rules::NAME_TAKEN);
}

/// A page of networks by name.
pub async fn list(app: &App, caller: &Caller, search: &str, page: Page) -> Result<Paged<Model>> {
    let db = app.store.db();
    let mut rows = network::Entity::find().filter(begins_with(db, Column::NameKey, &sql::key(search)));
    if !caller.has(Role::SysAdmin) {
        rows = rows.filter(Column::Id.is_in(own(db, caller).await?));
    }
    Ok(sql::page(db, rows, &[(Column::NameKey, Order::Asc)], page).await?)
}

/// The network that the caller administers, and the one of the caller's organization.
async fn own(db: &impl ConnectionTrait, caller: &Caller) -> Result<Vec<Uuid>> {
    let organization = match caller.organization_id {
        Some(id) => organization::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    let joined = organization.and_then(|o| o.network_id);
    Ok(caller.network_id.into_iter().chain(joined).collect())
}

/// Any network for SysAdmin; for others, the ones that they administer or work for.
pub fn check_own(caller: &Caller, id: Uuid) -> Result<()> {
    if caller.has(Role::SysAdmin) || caller.network_id == Some(id) { Ok(()) } else { Err(Error::NotFound) }
}

/// A network that the caller may see.
pub async fn find(db: &impl ConnectionTrait, caller: &Caller, id: Uuid) -> Result<Model> {
    check_own(caller, id)?;
    network::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)
}

/// A network that the caller may change, locked until the transaction ends.
pub async fn locked(txn: &Transaction, caller: &Caller, id: Uuid) -> Result<Model> {
    check_own(caller, id)?;
    network::Entity::find_by_id(id).lock_exclusive().one(txn).await?.ok_or(Error::NotFound)
}

/// Adds an audit entry about a network.
pub async fn record(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    event: &'static str,
    id: Uuid,
    detail: Value,
) -> Result<()> {
    audit::record(app, txn, &Actor::platform(caller), Act::new(event, OBJECT, id).detail(detail)).await
}

pub async fn create(app: &App, caller: &Caller, form: NetworkForm) -> Result<Model> {
    let row = network::ActiveModel {
        id: Set(Uuid::now_v7()),
        name_key: Set(sql::key(&form.name)),
        name: Set(form.name.into()),
        version: Set(1),
        created_at: Set(Some(app.clock.now())),
    };
    records::create::<NetworkRecord>(app, &Actor::platform(caller), row).await
}

pub async fn update(app: &App, caller: &Caller, id: Uuid, form: NetworkForm) -> Result<Model> {
    check_own(caller, id)?;
    let row = network::Entity::find_by_id(id);
    let mut edit = records::edit::<NetworkRecord>(app, &Actor::platform(caller), row, form.version).await?;
    edit.row.name_key = Set(sql::key(&form.name));
    edit.row.name = Set(form.name.into());
    edit.save().await
}

/// Deletes a network without organizations, with its features and service account.
pub async fn delete(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let mut edit =
        records::lock::<NetworkRecord>(app, &Actor::platform(caller), network::Entity::find_by_id(id))
            .await?;
    let txn = &edit.txn;
    let members = organization::Column::NetworkId.eq(id);
    if open().filter(members.clone()).exists(txn).await? {
        return Err(Error::Conflict(rules::HAS_ORGANIZATIONS.into()));
    }
    // Deleted organizations are kept, and no longer need the network.
    organization::Entity::update_many()
        .col_expr(organization::Column::NetworkId, Expr::value(None::<Uuid>))
        .filter(members)
        .exec(txn)
        .await?;
    let ended = dismiss_all(app, txn, id).await?;
    network_feature::Entity::delete_many()
        .filter(network_feature::Column::NetworkId.eq(id))
        .exec(txn)
        .await?;
    service_account::Entity::delete_many()
        .filter(service_account::Column::NetworkId.eq(id))
        .exec(txn)
        .await?;
    edit.detail.insert("sessions".into(), ended.len().into());
    edit.remove().await?;
    session::tell_ended(app, ended).await;
    Ok(())
}

/// Removes all administrators of a network. Returns the ended sessions.
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

/// The features of a network, in order.
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
