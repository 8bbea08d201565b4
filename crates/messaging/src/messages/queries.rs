//! Reading and writing single messages.

use crate::{
    indexes::{choices, patient_links, text},
    model::Direction,
    sealed::{self, Content, Summary},
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor},
    bus::Event,
};
use sea_orm::{ActiveModelTrait, ColumnTrait, IntoActiveModel, QueryFilter, QuerySelect};
use store::{Transaction, entities::message, keys::DataKey};
use uuid::Uuid;

/// A message being changed: the row and its decrypted parts.
pub struct Editing {
    pub row: message::Model,
    pub summary: Summary,
    pub content: Content,
}

/// Finds a message of the member's organization.
pub async fn find(app: &App, member: &Member, id: Uuid) -> Result<message::Model> {
    member
        .tenant()
        .messages()
        .filter(message::Column::Id.eq(id))
        .one(app.store.db())
        .await?
        .ok_or(Error::NotFound)
}

/// Maps "not found" to `None`, for missing and unreadable messages; other errors are returned.
pub fn if_there(found: Result<message::Model>) -> Result<Option<message::Model>> {
    match found {
        Err(Error::NotFound) => Ok(None),
        found => found.map(Some),
    }
}

/// Finds and locks a message inside a transaction.
pub async fn lock(txn: &Transaction, member: &Member, id: Uuid) -> Result<message::Model> {
    let query = member.tenant().messages().filter(message::Column::Id.eq(id)).lock_exclusive();
    query.one(txn).await?.ok_or(Error::NotFound)
}

/// Changes a message in one transaction with its search index and audit entry. `edit` may refuse.
pub async fn change(
    app: &App,
    member: &Member,
    id: Uuid,
    act: Act,
    edit: impl FnOnce(&mut Editing) -> Result<()>,
) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = lock(&txn, member, id).await?;
    let row = edit_row(&txn, &key, row, edit).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
}

/// Applies an edit to a locked row and updates the search index.
pub async fn edit_row(
    txn: &Transaction,
    key: &DataKey,
    row: message::Model,
    edit: impl FnOnce(&mut Editing) -> Result<()>,
) -> Result<message::Model> {
    let mut editing = Editing { summary: Summary::open(key, &row)?, content: Content::open(key, &row)?, row };
    let (old_row, old_summary) = (editing.row.clone(), editing.summary.clone());
    let old_patient = editing.content.patient.clone();
    edit(&mut editing)?;
    let Editing { mut row, summary, content } = editing;
    row.sealed_summary = summary.seal(key, row.id)?;
    row.sealed_content = content.seal(key, row.id)?;
    row.version += 1;
    let found_otherwise = summary != old_summary
        || row.to_address != old_row.to_address
        || row.from_address != old_row.from_address
        || row.received_at != old_row.received_at;
    if found_otherwise {
        sealed::unindex(txn, key, &old_row, &old_summary).await?;
        sealed::index(txn, key, &row, &summary).await?;
    }
    if row.received_at != old_row.received_at {
        text::follow(txn, &old_row, &row).await?;
    }
    patient_links::follow(txn, key, (&old_row, old_patient.as_ref()), (&row, content.patient.as_ref()))
        .await?;
    choices::follow(txn, key, &old_row, &row, &summary).await?;
    Ok(row.into_active_model().reset_all().update(txn).await?)
}

/// Notifies browsers of a changed message.
pub async fn announce(app: &App, row: &message::Model) {
    let (organization_id, message_id) = (row.organization_id, row.id);
    app.bus
        .publish(match row.direction {
            Direction::Intake => Event::Intake { organization_id, message_id },
            Direction::Release => Event::Release { organization_id, message_id },
        })
        .await;
}
