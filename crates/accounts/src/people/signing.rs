//! A user's signatures and signature requests: people and times, without the contents of messages.

use super::types::{SignedDocument, UserRequest, UserSignature};
use platform::{
    App, Member, Result,
    http::{Page, Paged},
    session::full_name,
    sql,
};
use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter};
use std::collections::HashMap;
use store::entities::{
    app_user,
    signature::{Column, Entity, Model, SignatureState},
};
use uuid::Uuid;

const NEWEST: [(Column, Order); 2] = [(Column::CreatedAt, Order::Desc), (Column::Id, Order::Desc)];

/// A page of a user's signatures, by the index on signers.
pub async fn signed(app: &App, member: &Member, user_id: Uuid, page: Page) -> Result<Paged<UserSignature>> {
    let rows = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::SignerId.eq(user_id))
        .filter(Column::State.eq(SignatureState::Signed));
    let found = sql::page(app.store.db(), rows, &NEWEST, page).await?;
    let names = names(app, found.items.iter().map(|row| row.requested_by)).await?;
    Ok(found.map(|row| UserSignature {
        id: row.id,
        message_id: row.message_id,
        requested_by: names.get(&row.requested_by).cloned().unwrap_or_default(),
        requested_on: row.created_at,
        created_on: row.settled_at.unwrap_or(row.created_at),
        confirmed_by: row.confirmed_by,
        files: row
            .files
            .0
            .into_iter()
            .map(|file| SignedDocument { attachment_id: file.attachment_id, sha256: file.sha256 })
            .collect(),
    }))
}

/// A page of a user's signature requests, by the index on requesters.
pub async fn requested(app: &App, member: &Member, user_id: Uuid, page: Page) -> Result<Paged<UserRequest>> {
    let rows = Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::RequestedBy.eq(user_id));
    let found = sql::page(app.store.db(), rows, &NEWEST, page).await?;
    let names = names(app, found.items.iter().map(|row| row.signer_id)).await?;
    let request = |row: Model| UserRequest {
        id: row.id,
        message_id: row.message_id,
        signer: names.get(&row.signer_id).cloned().unwrap_or_default(),
        state: row.state,
        created_on: row.created_at,
        settled_on: row.settled_at,
    };
    Ok(found.map(request))
}

async fn names(app: &App, ids: impl Iterator<Item = Uuid>) -> Result<HashMap<Uuid, String>> {
    let people = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids)).all(app.store.db()).await?;
    Ok(people.iter().map(|user| (user.id, full_name(user))).collect())
}
