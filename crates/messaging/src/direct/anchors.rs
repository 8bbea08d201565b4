//! Which certificates end a trusted chain, per organization and direction.

use ::direct::{cert::Certificate, trust::AnchorSet};
use platform::{App, Error, Result};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use store::entities::trust_anchor;
use uuid::Uuid;

/// Anchors for messages that come in.
pub async fn incoming(app: &App, organization_id: Uuid) -> Result<AnchorSet> {
    load(app, organization_id, trust_anchor::Column::Incoming).await
}

/// Anchors for recipients of messages that go out.
pub async fn outgoing(app: &App, organization_id: Uuid) -> Result<AnchorSet> {
    load(app, organization_id, trust_anchor::Column::Outgoing).await
}

async fn load(app: &App, organization_id: Uuid, direction: trust_anchor::Column) -> Result<AnchorSet> {
    let of_all_or_own = Condition::any()
        .add(trust_anchor::Column::OrganizationId.is_null())
        .add(trust_anchor::Column::OrganizationId.eq(organization_id));
    let rows = trust_anchor::Entity::find()
        .filter(of_all_or_own)
        .filter(direction.eq(true))
        .all(app.store.db())
        .await?;
    rows.iter()
        .map(|row| Certificate::from_pem(row.certificate_pem.as_bytes()).map_err(Error::internal))
        .collect()
}
