//! What is read and written about service accounts. How their tokens are taken is in [`platform::service`].

use crate::networks::queries::{check_own, locked};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    fields::FieldErrors,
    secret::token_hash,
    security::{ADDRESSES_MAX, read_addresses},
    service,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use serde_json::{Value, json};
use store::{
    Transaction,
    entities::service_account::{ActiveModel, Column, Entity, Model},
};
use uuid::Uuid;

pub async fn find(app: &App, caller: &Caller, network_id: Uuid) -> Result<Model> {
    check_own(caller, network_id)?;
    let found = Entity::find().filter(Column::NetworkId.eq(network_id)).one(app.store.db()).await?;
    found.ok_or(Error::NotFound)
}

/// The account of a network that the caller may change, with the network locked until the transaction ends.
async fn of_network(txn: &Transaction, caller: &Caller, network_id: Uuid) -> Result<Option<Model>> {
    locked(txn, caller, network_id).await?;
    Ok(Entity::find().filter(Column::NetworkId.eq(network_id)).lock_exclusive().one(txn).await?)
}

/// Creates the account, or gives it a new token. The old token is refused from the commit on.
pub async fn renew(app: &App, caller: &Caller, network_id: Uuid) -> Result<(Model, String)> {
    let (now, token) = (app.clock.now(), service::new_token());
    let txn = app.store.begin().await?;
    let saved = match of_network(&txn, caller, network_id).await? {
        Some(before) => {
            let mut row = before.into_active_model();
            row.token_hash = Set(token_hash(&token));
            row.token_issued_at = Set(now);
            let saved = row.update(&txn).await?;
            record(app, &txn, caller, event::CHANGED, &saved, json!({ "tokenRenewed": true })).await?;
            saved
        }
        None => {
            let row = ActiveModel {
                id: Set(Uuid::now_v7()),
                network_id: Set(Some(network_id)),
                organization_id: Set(None),
                name: Set(String::new()),
                allowed_address_count: Set(ADDRESSES_MAX as i32),
                client_id: Set(Uuid::new_v4().simple().to_string()),
                token_hash: Set(token_hash(&token)),
                is_enabled: Set(true),
                allowed_addresses: Set(json!([])),
                version: Set(1),
                created_at: Set(now),
                token_issued_at: Set(now),
                last_used_at: Set(None),
                last_used_from: Set(None),
                last_refused_at: Set(None),
                last_refused_from: Set(None),
            };
            let saved = row.insert(&txn).await?;
            record(app, &txn, caller, event::CREATED, &saved, json!({})).await?;
            saved
        }
    };
    txn.commit().await?;
    Ok((saved, token))
}

pub async fn delete(app: &App, caller: &Caller, network_id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let account = of_network(&txn, caller, network_id).await?.ok_or(Error::NotFound)?;
    Entity::delete_by_id(account.id).exec(&txn).await?;
    record(app, &txn, caller, event::DELETED, &account, json!({})).await?;
    Ok(txn.commit().await?)
}

/// Doing again what is done already changes nothing.
pub async fn enable(app: &App, caller: &Caller, network_id: Uuid, enable: bool) -> Result<Model> {
    let txn = app.store.begin().await?;
    let before = of_network(&txn, caller, network_id).await?.ok_or(Error::NotFound)?;
    if before.is_enabled == enable {
        return Ok(before);
    }
    let mut row = before.into_active_model();
    row.is_enabled = Set(enable);
    let saved = row.update(&txn).await?;
    record(app, &txn, caller, event::CHANGED, &saved, json!({ "enabled": enable })).await?;
    txn.commit().await?;
    Ok(saved)
}

/// Saves addresses that nobody changed since they were read; without a version, over whatever is there.
pub async fn save_addresses(
    app: &App,
    caller: &Caller,
    network_id: Uuid,
    texts: &[String],
    version: Option<i32>,
) -> Result<Model> {
    let txn = app.store.begin().await?;
    let before = of_network(&txn, caller, network_id).await?.ok_or(Error::NotFound)?;
    if version.is_some_and(|version| version != before.version) {
        return Err(Error::Outdated("these addresses"));
    }
    let mut errors = FieldErrors::default();
    let addresses = read_addresses(texts, "clientIpAddresses", &mut errors);
    errors.check()?;
    let detail = json!({ "before": before.allowed_addresses, "after": addresses });
    let next = before.version + 1;
    let mut row = before.into_active_model();
    row.allowed_addresses = Set(json!(addresses));
    row.version = Set(next);
    let saved = row.update(&txn).await?;
    record(app, &txn, caller, event::CHANGED, &saved, detail).await?;
    txn.commit().await?;
    Ok(saved)
}

async fn record(
    app: &App,
    txn: &Transaction,
    caller: &Caller,
    event: &'static str,
    account: &Model,
    mut detail: Value,
) -> Result<()> {
    detail["networkId"] = json!(account.network_id);
    let act = Act::new(event, service::OBJECT, account.id).detail(detail);
    audit::record(app, txn, &Actor::platform(caller), act).await
}
