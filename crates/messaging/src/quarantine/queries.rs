//! Decisions of operators about files in quarantine.

use crate::{
    attachments::{preview, scan},
    files::kind_of,
    indexes::text,
    messages::queries::announce,
    model::PreviewState,
    triage,
};
use platform::{
    App, Caller, Error, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
};
use serde_json::json;
use store::{
    Transaction,
    entities::{
        attachment::{self, ScanState},
        held_file::{self, HeldOrigin, HeldState},
        message,
    },
};
use uuid::Uuid;

const DECIDED: &str = "This file was already released or deleted.";
const GONE: &str = "The file is no longer there.";

async fn lock(txn: &Transaction, id: Uuid) -> Result<held_file::Model> {
    let found = held_file::Entity::find_by_id(id).lock_exclusive().one(txn).await?.ok_or(Error::NotFound)?;
    if found.state != HeldState::Quarantined {
        return Err(Error::Conflict(DECIDED.into()));
    }
    Ok(found)
}

/// Releases the bytes of a file, in every place.
pub async fn release(app: &App, caller: &Caller, id: Uuid, reason: String) -> Result<()> {
    let txn = app.store.begin().await?;
    let held = lock(&txn, id).await?;
    match held.origin {
        HeldOrigin::Message => release_files(app, &txn, &held).await?,
        HeldOrigin::Triage => triage::read_released(app, &txn, id).await?,
    }
    let act = Act::new(event::QUARANTINE_RELEASED, "quarantine", id)
        .detail(json!({ "finding": held.finding, "reason": reason }));
    audit::record(app, &txn, &Actor::in_organization(caller, held.organization_id), act).await?;
    let decided = held_file::ActiveModel {
        state: Set(HeldState::Released),
        decided_at: Set(Some(app.clock.now())),
        decided_by: Set(Some(caller.user_name.clone())),
        reason: Set(Some(reason)),
        ..Default::default()
    };
    held_file::Entity::update_many().set(decided).filter(released_with(&held)).exec(&txn).await?;
    txn.commit().await?;
    tell(app, &held).await
}

/// Files released together: those of messages that share stored bytes; of a batch, only the one that is read again.
fn released_with(held: &held_file::Model) -> Condition {
    let same = match held.origin {
        HeldOrigin::Message => held_file::Column::BlobId.eq(held.blob_id),
        HeldOrigin::Triage => held_file::Column::Id.eq(held.id),
    };
    Condition::all()
        .add(same)
        .add(held_file::Column::OrganizationId.eq(held.organization_id))
        .add(held_file::Column::Origin.eq(held.origin))
        .add(held_file::Column::State.eq(HeldState::Quarantined))
}

async fn release_files(app: &App, txn: &Transaction, held: &held_file::Model) -> Result<()> {
    let rows = scan::with_bytes(txn, held.organization_id, held.blob_id, ScanState::Infected).await?;
    if rows.iter().all(|row| row.deleted_at.is_some()) {
        return Err(Error::Conflict(GONE.into()));
    }
    for row in rows {
        let mut change = row.into_active_model();
        change.scan_state = Set(ScanState::Released);
        let row = change.update(txn).await?;
        text::due(txn, &row, app.clock.now()).await?;
        let lacks_preview = row.preview_state == PreviewState::NotRequested && row.pdf_blob_id.is_none();
        if lacks_preview && row.deleted_at.is_none() && kind_of(&row).previewable() {
            preview::enqueue(app, txn, &row).await?;
        }
    }
    Ok(())
}

/// Deletes a file in quarantine. Copies stay in quarantine until they are deleted too.
pub async fn delete(app: &App, caller: &Caller, id: Uuid) -> Result<()> {
    let txn = app.store.begin().await?;
    let held = lock(&txn, id).await?;
    match held.origin {
        HeldOrigin::Message => delete_file(app, &txn, &held).await?,
        HeldOrigin::Triage => triage::remove_refused(&txn, id).await?,
    }
    let act = Act::new(event::DELETED, "quarantine", id).detail(json!({ "finding": held.finding }));
    audit::record(app, &txn, &Actor::in_organization(caller, held.organization_id), act).await?;
    let mut decided = held.clone().into_active_model();
    decided.state = Set(HeldState::Deleted);
    decided.decided_at = Set(Some(app.clock.now()));
    decided.decided_by = Set(Some(caller.user_name.clone()));
    decided.update(&txn).await?;
    txn.commit().await?;
    tell(app, &held).await
}

async fn delete_file(app: &App, txn: &Transaction, held: &held_file::Model) -> Result<()> {
    let message = message::Entity::find_by_id(held.parent_id).lock_exclusive().one(txn).await?;
    let row = attachment::Entity::find_by_id(held.id).lock_exclusive().one(txn).await?;
    let Some(row) = row.filter(|row| row.deleted_at.is_none()) else { return Ok(()) };
    let mut gone = row.into_active_model();
    gone.deleted_at = Set(Some(app.clock.now()));
    gone.update(txn).await?;
    if let Some(message) = message {
        let (count, version) = (message.attachment_count - 1, message.version + 1);
        let mut change = message.into_active_model();
        change.attachment_count = Set(count.max(0));
        change.version = Set(version);
        change.update(txn).await?;
    }
    Ok(())
}

async fn tell(app: &App, held: &held_file::Model) -> Result<()> {
    if let Some(message) = message::Entity::find_by_id(held.parent_id).one(app.store.db()).await? {
        announce(app, &message).await;
    }
    let (organization_id, attachment_id) = (held.organization_id, held.id);
    app.bus.publish(Event::Preview { organization_id, attachment_id }).await;
    app.bus.publish(Event::Work).await;
    Ok(())
}
