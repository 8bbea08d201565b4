//! Database access of organizations' service accounts.

use crate::service_accounts::{
    account::{self, AccountRecord, Owner},
    types::{ServiceAccount, ServiceAccountForm},
};
use accounts::organization::{find_open, locked};
use platform::{
    App, Caller, Error, Result,
    audit::{Actor, event},
    fields::FieldErrors,
    integrations,
    records::{self, Edit},
    security::{ADDRESSES_MAX, read_addresses},
    service,
    settings::{self, Settings},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, Select};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::entities::{
    integration_grant::Integration,
    service_account::{Column, Entity, Model},
};
use uuid::Uuid;

const ACCOUNTS_MAX: u32 = 100;
/// Number of addresses of a new account.
const ADDRESSES_AT_FIRST: i32 = 5;

const TOO_MANY_ACCOUNTS: &str = "An organization has at most 100 service accounts.";
const FEWER_THAN_THERE_ARE: &str =
    "The limit cannot be lower than the organization's number of service accounts.";
const TOO_FEW_ADDRESSES: &str = "The number of Allowed Addresses cannot be lower than the count";
const TOO_MANY_ADDRESSES: &str = "A service account has at most 200 addresses.";
const LIMIT_REACHED: &str =
    "The organization has reached its limit of service accounts. Please raise the limit first.";
const NOT_ALLOWED: &str = "This organization is not on the integrations whitelist for service accounts.";

/// Maximum number of an organization's service accounts.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct AccountLimit {
    count: u32,
    version: i32,
}

impl Default for AccountLimit {
    fn default() -> Self {
        Self { count: 1, version: 0 }
    }
}

impl Settings for AccountLimit {
    const MEMBER: &'static str = "serviceAccounts";
    const EVENT: &'static str = event::CHANGED;

    fn version(&mut self) -> &mut i32 {
        &mut self.version
    }
}

fn accounts(organization_id: Uuid) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization_id))
}

/// The accounts of an organization that the caller manages, by name.
pub async fn list(app: &App, caller: &Caller, organization_id: Uuid) -> Result<Vec<ServiceAccount>> {
    caller.require_manager_of(organization_id)?;
    let db = app.store.db();
    find_open(db, organization_id).await?;
    let rows = accounts(organization_id).order_by_asc(Column::Name).order_by_asc(Column::Id).all(db).await?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub async fn limit(app: &App, caller: &Caller, organization_id: Uuid) -> Result<u32> {
    caller.require_manager_of(organization_id)?;
    Ok(AccountLimit::of(&find_open(app.store.db(), organization_id).await?)?.count)
}

/// Saves the limit while no account can be created, so that it is not lower than the number of accounts.
pub async fn save_limit(app: &App, caller: &Caller, organization_id: Uuid, count: u32) -> Result<()> {
    let txn = app.store.begin().await?;
    let organization = locked(&txn, organization_id).await?;
    let there = accounts(organization_id).count(&txn).await?;
    let mut errors = FieldErrors::default();
    errors.require(count <= ACCOUNTS_MAX, "count", TOO_MANY_ACCOUNTS);
    errors.require(u64::from(count) >= there, "count", FEWER_THAN_THERE_ARE);
    errors.check()?;
    let actor = Actor::in_organization(caller, organization_id);
    let wanted = AccountLimit { count, version: 0 };
    settings::save_in(app, &txn, &actor, organization, wanted).await?;
    Ok(txn.commit().await?)
}

/// Creates an account without addresses, so that nobody can use it yet. The organization is locked, so that
/// concurrent creations are counted one after the other.
pub async fn create(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    name: String,
) -> Result<(Model, String)> {
    caller.require_manager_of(organization_id)?;
    let txn = app.store.begin().await?;
    let organization = locked(&txn, organization_id).await?;
    if !integrations::is_allowed(&txn, Integration::ServiceAccounts, organization_id).await? {
        return Err(Error::Conflict(NOT_ALLOWED.into()));
    }
    let limit = AccountLimit::of(&organization)?.count;
    if accounts(organization_id).count(&txn).await? >= u64::from(limit) {
        return Err(Error::Conflict(LIMIT_REACHED.into()));
    }
    let owner = Owner::Organization { id: organization_id, name };
    let (row, token) = account::new(app.clock.now(), owner, ADDRESSES_AT_FIRST);
    let actor = Actor::in_organization(caller, organization_id);
    let created = records::create_in::<AccountRecord>(app, &txn, &actor, row).await?;
    txn.commit().await?;
    Ok((created, token))
}

/// Locks an account of an organization that the caller manages.
async fn lock<'a>(
    app: &'a App,
    caller: &Caller,
    organization_id: Uuid,
    id: Uuid,
) -> Result<Edit<'a, AccountRecord>> {
    caller.require_manager_of(organization_id)?;
    find_open(app.store.db(), organization_id).await?;
    let actor = Actor::in_organization(caller, organization_id);
    records::lock(app, &actor, accounts(organization_id).filter(Column::Id.eq(id))).await
}

pub async fn save(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    id: Uuid,
    form: ServiceAccountForm,
) -> Result<Model> {
    caller.require_manager_of(organization_id)?;
    find_open(app.store.db(), organization_id).await?;
    let actor = Actor::in_organization(caller, organization_id);
    let found = accounts(organization_id).filter(Column::Id.eq(id));
    let mut edit = records::edit::<AccountRecord>(app, &actor, found, form.version).await?;
    let mut errors = FieldErrors::default();
    let addresses = read_addresses(&form.client_ip_addresses, "clientIpAddresses", &mut errors);
    let allowed = edit.before.allowed_address_count;
    let fit = addresses.len() as i64 <= i64::from(allowed);
    errors.require(
        fit,
        "clientIpAddresses",
        format!("At most {allowed} addresses are allowed for this account."),
    );
    errors.check()?;
    edit.row.name = Set(form.name.into());
    edit.row.is_enabled = Set(form.service_account_enabled);
    edit.row.allowed_addresses = Set(json!(addresses));
    edit.save().await
}

pub async fn save_address_limit(
    app: &App,
    caller: &Caller,
    organization_id: Uuid,
    id: Uuid,
    count: u32,
) -> Result<Model> {
    let mut edit = lock(app, caller, organization_id, id).await?;
    let there = service::allowed_addresses(&edit.before)?.len();
    let mut errors = FieldErrors::default();
    errors.require(count as usize <= ADDRESSES_MAX, "count", TOO_MANY_ADDRESSES);
    errors.require(count as usize >= there, "count", TOO_FEW_ADDRESSES);
    errors.check()?;
    edit.row.allowed_address_count = Set(count as i32);
    edit.save().await
}

/// Gives an account a new token. The old one is refused once this is committed.
pub async fn renew(app: &App, caller: &Caller, organization_id: Uuid, id: Uuid) -> Result<(Model, String)> {
    let mut edit = lock(app, caller, organization_id, id).await?;
    let token = account::renew_token(&mut edit, app.clock.now());
    Ok((edit.save().await?, token))
}

pub async fn delete(app: &App, caller: &Caller, organization_id: Uuid, id: Uuid) -> Result<()> {
    lock(app, caller, organization_id, id).await?.remove().await
}
