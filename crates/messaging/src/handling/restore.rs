//! Restoring deleted messages. A deleted message is kept with its files, so that it is restored completely: in lists,
//! searches and counts.

use crate::{
    attachments::{
        convert::pending,
        scan::{self, Then},
    },
    deliveries::{self, is_queued},
    events,
    indexes::{patient_links, text},
    messages::queries::{announce, lock},
    sealed::{self, Content, Summary},
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};
use store::{
    Transaction,
    entities::{
        attachment::{self, ScanState},
        message,
        message_event::{self, EventType},
    },
};
use uuid::Uuid;

/// How long a deletion can be undone. A bulk job on many messages takes time.
const WINDOW: Duration = Duration::hours(1);

/// Restores a deleted message with the files that were deleted with it.
pub async fn restore(app: &App, member: &Member, id: Uuid) -> Result<()> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = message::Entity::find_by_id(id)
        .filter(message::Column::OrganizationId.eq(member.organization_id))
        .lock_exclusive()
        .one(&txn)
        .await?
        .filter(|row| member.tenant().holds(row))
        .ok_or(Error::NotFound)?;
    let Some(deleted_at) = row.deleted_at else { return Ok(()) };
    if deleted_at < app.clock.now() - WINDOW {
        return Err(Error::Conflict("This message was deleted too long ago to be restored.".into()));
    }
    restore_files(&txn, &row, app.clock.now()).await?;
    // Statistics only count deletions that last. The audit trail keeps both actions.
    message_event::Entity::delete_many()
        .filter(message_event::Column::MessageId.eq(id))
        .filter(message_event::Column::EventType.eq(EventType::Deleted))
        .filter(message_event::Column::At.eq(deleted_at))
        .exec(&txn)
        .await?;
    let mut back = row.clone().into_active_model();
    back.deleted_at = Set(None);
    back.version = Set(row.version + 1);
    let (gone, row) = (row, back.update(&txn).await?);
    sealed::index(&txn, &key, &row, &Summary::open(&key, &row)?).await?;
    let patient = Content::open(&key, &row)?.patient;
    patient_links::follow(&txn, &key, (&gone, patient.as_ref()), (&row, patient.as_ref())).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), Act::new(event::RESTORED, "message", id)).await?;
    txn.commit().await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// Restores the files that were deleted with the message, not those deleted earlier. Pending previews, conversions and
/// malware scans may have been skipped meanwhile, so they are requested again, and the text is read again.
async fn restore_files(txn: &Transaction, row: &message::Model, now: DateTime<Utc>) -> Result<()> {
    use attachment::{Column, PreviewState};
    let gone = attachment::Entity::find()
        .filter(Column::MessageId.eq(row.id))
        .filter(Column::OrganizationId.eq(row.organization_id))
        .filter(Column::DeletedAt.eq(row.deleted_at));
    for file in gone.all(txn).await? {
        let runs = pending(&file).is_some();
        let is_in_work = file.preview_state == PreviewState::Processing;
        let mut back = file.into_active_model();
        back.deleted_at = Set(None);
        if runs {
            back.transform = Set(None);
        }
        if is_in_work {
            back.preview_state = Set(PreviewState::NotRequested);
        }
        let back = back.update(txn).await?;
        if back.scan_state == ScanState::Waiting {
            scan::wait(txn, &back, Then::default(), now).await?;
        }
        text::due(txn, &back, now).await?;
    }
    Ok(())
}

/// Marks a message and its files as deleted and removes it from the search index. Refused while it is still being sent
/// to a recipient.
pub async fn delete(app: &App, member: &Member, id: Uuid) -> Result<message::Model> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = lock(&txn, member, id).await?;
    if !row.is_draft && deliveries::of_message(&txn, &row).await?.iter().any(is_queued) {
        return Err(Error::Conflict("The message is still being sent. Delete it when that is done.".into()));
    }
    let now = app.clock.now();
    sealed::unindex(&txn, &key, &row, &Summary::open(&key, &row)?).await?;
    text::forget_all(&txn, &row).await?;
    attachment::Entity::update_many()
        .col_expr(attachment::Column::DeletedAt, sea_orm::sea_query::Expr::value(now))
        .filter(attachment::Column::MessageId.eq(id))
        .exec(&txn)
        .await?;
    let mut gone = row.clone().into_active_model();
    gone.deleted_at = Set(Some(now));
    gone.version = Set(row.version + 1);
    let gone = gone.update(&txn).await?;
    let patient = Content::open(&key, &row)?.patient;
    patient_links::follow(&txn, &key, (&row, patient.as_ref()), (&gone, patient.as_ref())).await?;
    if !row.is_draft {
        let user = (member.caller.user_id, member.caller.full_name.as_str());
        events::queries::add(&txn, &row, EventType::Deleted, now, Some(user)).await?;
    }
    audit::record(app, &txn, &Actor::from(&member.caller), Act::new(event::DELETED, "message", id)).await?;
    txn.commit().await?;
    announce(app, &row).await;
    Ok(row)
}
