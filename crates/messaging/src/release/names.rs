//! Names of recipients that this installation knows.

use crate::model::SourceStatus;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use std::collections::HashMap;
use store::entities::{document_source, organization};
use uuid::Uuid;

/// The organizations of this installation with these addresses, by address key.
pub async fn organizations_of(
    db: &impl ConnectionTrait,
    keys: impl IntoIterator<Item = String>,
) -> Result<HashMap<String, String>, DbErr> {
    let sources = document_source::Entity::find()
        .filter(document_source::Column::AddressKey.is_in(keys))
        .filter(document_source::Column::Status.eq(SourceStatus::Activated))
        .all(db)
        .await?;
    let ids = sources.iter().map(|source| source.organization_id);
    let organizations =
        organization::Entity::find().filter(organization::Column::Id.is_in(ids)).all(db).await?;
    let named: HashMap<Uuid, String> = organizations.into_iter().map(|o| (o.id, o.name)).collect();
    let name = |source: document_source::Model| {
        Some((source.address_key, named.get(&source.organization_id)?.clone()))
    };
    Ok(sources.into_iter().filter_map(name).collect())
}
