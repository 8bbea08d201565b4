//! The operators' whitelist of organizations that may connect outside systems. It is checked with every connection,
//! so that changes take effect at once on every node.

use crate::{Error, Result};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, SelectExt};
use store::entities::integration_grant::{Column, Entity, Integration};
use uuid::Uuid;

/// Error for an organization that is not on the list.
pub const REFUSED: &str =
    "Your organization may not use this integration. Please ask the operator of this installation.";

/// Whether the organization, or all of them, are on the whitelist.
pub async fn is_allowed(
    db: &impl ConnectionTrait,
    integration: Integration,
    organization_id: Uuid,
) -> Result<bool, DbErr> {
    let grants = Entity::find()
        .filter(Column::Integration.eq(integration))
        .filter(Column::Scope.is_in([Uuid::nil(), organization_id]));
    grants.exists(db).await
}

/// Refuses to connect an organization that is not on the list.
pub async fn require(
    db: &impl ConnectionTrait,
    integration: Integration,
    organization_id: Uuid,
) -> Result<()> {
    if is_allowed(db, integration, organization_id).await? {
        return Ok(());
    }
    Err(Error::Conflict(REFUSED.into()))
}
