//! Taking a deletion back. A deleted message is kept with its files, so that it comes back whole: in lists, in searches and
//! in what is counted.

use super::queries::announce;
use crate::{
    attachments::{
        convert::pending,
        scan::{self, Then},
        text,
    },
    known_patients::follow,
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

/// How long a deletion can be taken back. A bulk act on many messages takes its time.
const WINDOW: Duration = Duration::hours(1);

/// Brings a deleted message back with the files that went with it.
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
        return Err(Error::Conflict("It was deleted too long ago to be brought back.".into()));
    }
    restore_files(&txn, &row, app.clock.now()).await?;
    // What is only counted where it lasts did not happen. The trail keeps both acts.
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
    follow::follow(&txn, &key, (&gone, patient.as_ref()), (&row, patient.as_ref())).await?;
    audit::record(app, &txn, &Actor::from(&member.caller), Act::new(event::RESTORED, "message", id)).await?;
    txn.commit().await?;
    announce(app, &row).await;
    app.bus.publish(Event::Work).await;
    Ok(())
}

/// The files that were deleted with the message, not those that were deleted before. A preview or conversion that ran when
/// they went may have been left out, so it is asked for again, and so is the malware scan. Their text is read again.
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
