//! Addresses and numbers from which a user may send.

use super::types::{DocumentSourceLink, UserDocumentSource};
use crate::organization::locked;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    fields::DEFAULT_FIELD_ERROR,
};
use sea_orm::{
    ActiveEnum, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::{
    Transaction,
    entities::{
        document_source::{self, SourceStatus},
        user_document_source,
    },
};
use uuid::Uuid;

/// Maximum number of sources of an organization.
const LINKS_MAX: usize = 5000;

/// The document sources of the organization; for users who do not manage it, only their own.
pub async fn list(
    db: &impl ConnectionTrait,
    member: &Member,
    user_id: Uuid,
) -> Result<Vec<UserDocumentSource>> {
    let assigned = assigned(db, member, user_id).await?;
    let mut rows = there(member);
    if !member.caller.has(platform::Role::Admin) {
        rows = rows.filter(document_source::Column::Id.is_in(assigned.iter().copied()));
    }
    let rows = rows.order_by_asc(document_source::Column::AddressKey).all(db).await?;
    let item = |source: document_source::Model| UserDocumentSource {
        organization_id: source.organization_id,
        document_source_id: source.id,
        full_address: source.address,
        display_name: source.display_name,
        kind: source.kind.to_value(),
        status: source.status.to_value(),
        is_assigned: assigned.contains(&source.id),
    };
    Ok(rows.into_iter().map(item).collect())
}

fn there(member: &Member) -> sea_orm::Select<document_source::Entity> {
    member.tenant().document_sources().filter(document_source::Column::Status.ne(SourceStatus::Deleted))
}

async fn assigned(db: &impl ConnectionTrait, member: &Member, user_id: Uuid) -> Result<BTreeSet<Uuid>> {
    let links = user_document_source::Entity::find()
        .filter(user_document_source::Column::UserId.eq(user_id))
        .filter(user_document_source::Column::OrganizationId.eq(member.organization_id))
        .all(db)
        .await?;
    Ok(links.into_iter().map(|link| link.document_source_id).collect())
}

/// Replaces the addresses and numbers from which a user may send in this organization.
pub async fn save(
    app: &App,
    member: &Member,
    user_id: Uuid,
    links: &[DocumentSourceLink],
) -> Result<Vec<UserDocumentSource>> {
    let txn = app.store.begin().await?;
    // Concurrent saves by two administrators run one after the other.
    locked(&txn, member.organization_id).await?;
    let known: BTreeSet<Uuid> = there(member).all(&txn).await?.into_iter().map(|s| s.id).collect();
    let is_own = |link: &DocumentSourceLink| {
        link.organization_id == member.organization_id && known.contains(&link.document_source_id)
    };
    if links.len() > LINKS_MAX || !links.iter().all(is_own) {
        return Err(Error::field("documentSourceId", DEFAULT_FIELD_ERROR));
    }
    let wanted: BTreeSet<Uuid> = links.iter().map(|link| link.document_source_id).collect();
    let before = assigned(&txn, member, user_id).await?;
    let added: Vec<Uuid> = wanted.difference(&before).copied().collect();
    // Sources that are no longer visible cannot be chosen, and are removed by the next save.
    let removed: Vec<Uuid> = before.difference(&wanted).copied().collect();
    if !(added.is_empty() && removed.is_empty()) {
        change(&txn, member.organization_id, user_id, &added, &removed).await?;
        let act = Act::new(event::CHANGED, "user", user_id)
            .detail(json!({ "documentSourcesAdded": added, "documentSourcesRemoved": removed }));
        audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    }
    let saved = list(&txn, member, user_id).await?;
    txn.commit().await?;
    Ok(saved)
}

async fn change(
    txn: &Transaction,
    organization_id: Uuid,
    user_id: Uuid,
    added: &[Uuid],
    removed: &[Uuid],
) -> Result<()> {
    user_document_source::Entity::delete_many()
        .filter(user_document_source::Column::UserId.eq(user_id))
        .filter(user_document_source::Column::DocumentSourceId.is_in(removed.iter().copied()))
        .exec(txn)
        .await?;
    let rows = added.iter().map(|source| user_document_source::ActiveModel {
        user_id: Set(user_id),
        document_source_id: Set(*source),
        organization_id: Set(organization_id),
    });
    if !added.is_empty() {
        user_document_source::Entity::insert_many(rows).exec_without_returning(txn).await?;
    }
    Ok(())
}
