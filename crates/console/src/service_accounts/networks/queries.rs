//! Database access of a network's service account. The version is that of the addresses, which a form saves; acts beside it leave
//! the version unchanged.

use crate::{
    networks::queries::{check_own, locked},
    service_accounts::account::{self, AccountRecord, Owner},
};
use platform::{
    App, Caller, Error, Result,
    audit::Actor,
    fields::FieldErrors,
    records::{self, Edit},
    security::{ADDRESSES_MAX, read_addresses},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, Select, SelectExt};
use serde_json::json;
use store::{
    Transaction,
    entities::service_account::{Column, Entity, Model},
};
use uuid::Uuid;

fn account_of(network_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::NetworkId.eq(network_id))
}

pub async fn find(app: &App, caller: &Caller, network_id: Uuid) -> Result<Model> {
    check_own(caller, network_id)?;
    account_of(network_id).one(app.store.db()).await?.ok_or(Error::NotFound)
}

/// The account of a network that the caller may change; the network is locked first.
async fn lock<'a>(app: &'a App, caller: &Caller, network_id: Uuid) -> Result<Edit<'a, AccountRecord>> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, network_id).await?;
    lock_in(app, txn, caller, network_id).await
}

/// As [`lock`], in a transaction that has already locked the network.
async fn lock_in<'a>(
    app: &'a App,
    txn: Transaction,
    caller: &Caller,
    network_id: Uuid,
) -> Result<Edit<'a, AccountRecord>> {
    let mut edit: Edit<'a, AccountRecord> =
        records::lock_in(app, txn, &Actor::platform(caller), account_of(network_id)).await?;
    edit.detail.insert("networkId".into(), json!(network_id));
    Ok(edit)
}

/// Creates the account, or gives it a new token.
pub async fn renew(app: &App, caller: &Caller, network_id: Uuid) -> Result<(Model, String)> {
    let txn = app.store.begin().await?;
    locked(&txn, caller, network_id).await?;
    if account_of(network_id).exists(&txn).await? {
        let mut edit = lock_in(app, txn, caller, network_id).await?;
        let token = account::renew_token(&mut edit, app.clock.now());
        return Ok((edit.save_act().await?, token));
    }
    let owner = Owner::Network { id: network_id };
    let (row, token) = account::new(app.clock.now(), owner, ADDRESSES_MAX as i32);
    let created = records::create_in::<AccountRecord>(app, &txn, &Actor::platform(caller), row).await?;
    txn.commit().await?;
    Ok((created, token))
}

pub async fn delete(app: &App, caller: &Caller, network_id: Uuid) -> Result<()> {
    lock(app, caller, network_id).await?.remove().await
}

/// Enables or disables the account. Repeating it changes nothing.
pub async fn enable(app: &App, caller: &Caller, network_id: Uuid, enable: bool) -> Result<Model> {
    let mut edit = lock(app, caller, network_id).await?;
    edit.row.is_enabled = Set(enable);
    edit.detail.insert("enabled".into(), enable.into());
    edit.save_act().await
}

/// Saves addresses, if nobody changed them since they were read; without a version, always. Saving the same addresses
/// confirms them, which is recorded too.
pub async fn save_addresses(
    app: &App,
    caller: &Caller,
    network_id: Uuid,
    texts: &[String],
    version: Option<i32>,
) -> Result<Model> {
    let mut edit = lock(app, caller, network_id).await?;
    if version.is_some() {
        Error::unless_current(version, &edit.before.version, "these addresses")?;
    }
    let mut errors = FieldErrors::default();
    let addresses = read_addresses(texts, "clientIpAddresses", &mut errors);
    errors.check()?;
    edit.row.allowed_addresses = Set(json!(addresses));
    edit.touch()?;
    edit.save().await
}
