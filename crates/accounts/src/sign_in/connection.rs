//! The organization's sign-in provider of a session.

use crate::profile::features;
use platform::{Result, integrations};
use sea_orm::{ConnectionTrait, EntityTrait, QuerySelect};
use store::{
    Transaction,
    entities::{integration_grant::Integration, organization, sso_connection},
};
use uuid::Uuid;

/// Locks the organization, before its connection: removing the feature uses the same order.
pub async fn lock_place(txn: &Transaction, organization_id: Uuid) -> Result<()> {
    organization::Entity::find_by_id(organization_id).lock_shared().one(txn).await?;
    Ok(())
}

/// Whether the organization has the feature, and is on the whitelist.
pub async fn is_offered(db: &impl ConnectionTrait, organization_id: Uuid) -> Result<bool> {
    Ok(features::enabled(db, organization_id).await?.contains(features::SINGLE_SIGN_ON)
        && integrations::is_allowed(db, Integration::SingleSignOn, organization_id).await?)
}

/// Whether a connection is still enabled with the same provider and client as when it was read. This stays so until
/// the transaction ends: later changes also end the session that is opened now.
pub async fn is_unchanged(txn: &Transaction, read: &sso_connection::Model) -> Result<bool> {
    lock_place(txn, read.organization_id).await?;
    let Some(now) = sso_connection::Entity::find_by_id(read.id).lock_shared().one(txn).await? else {
        return Ok(false);
    };
    let is_same = now.issuer == read.issuer && now.client_id == read.client_id;
    Ok(is_same && now.is_enabled && is_offered(txn, now.organization_id).await?)
}

/// The user's connection, if it is still enabled; as with [`is_unchanged`], this stays so until the transaction ends.
pub async fn open(txn: &Transaction, id: Uuid) -> Result<Option<sso_connection::Model>> {
    let Some(read) = sso_connection::Entity::find_by_id(id).one(txn).await? else { return Ok(None) };
    Ok(is_unchanged(txn, &read).await?.then_some(read))
}
