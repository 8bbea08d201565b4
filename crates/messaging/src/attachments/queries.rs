//! Storing and finding files.

use super::{
    convert::changeable,
    extract, opening, preview,
    scan::{self, Then},
};
use crate::{
    files::{NewFile, document_type, find_in, kind_of, of_message, row, totals},
    indexes::text,
    messages::{
        queries::{self, edit_row},
        rules,
    },
    model::{AttachmentMeta, PreviewState},
    sealed,
};
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder};
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        attachment::{self, ScanState},
        attachment_original, message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum total size of the files of a message, in bytes before encoding.
pub const MESSAGE_LIMIT: i64 = 25 << 20;

/// Options of an upload.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// Create its preview now.
    pub convert: bool,
    /// Create it before those that nobody waits for.
    pub has_priority: bool,
}

/// Adds an uploaded file to a draft.
pub async fn add_to_draft(
    app: &App,
    member: &Member,
    message_id: Uuid,
    file: NewFile,
    wishes: Wishes,
) -> Result<attachment::Model> {
    app.blobs.sync().await?;
    let txn = app.store.begin().await?;
    let message = queries::lock(&txn, member, message_id).await?;
    let (row, _) = add_in(app, &txn, member, message, file, wishes).await?;
    txn.commit().await?;
    if row.preview_state == PreviewState::Processing || row.scan_state.is_held() {
        app.bus.publish(Event::Work).await;
    }
    Ok(row)
}

/// Adds a stored file, whose bytes are synced, to a locked draft, together with the caller's other changes. Returns the
/// file and the draft.
pub async fn add_in(
    app: &App,
    txn: &Transaction,
    member: &Member,
    message: message::Model,
    file: NewFile,
    wishes: Wishes,
) -> Result<(attachment::Model, message::Model)> {
    let key = app.keys.data_key(member.organization_id).await?;
    if !message.is_draft {
        return Err(Error::Conflict("Files can only be added to drafts.".into()));
    }
    let (count, bytes) = totals(txn, message.id).await?;
    if bytes + file.blob.size as i64 > MESSAGE_LIMIT {
        return Err(Error::field("file", "The attachments of a message can be at most 25 MB in total."));
    }
    let starts = wishes.convert && file.kind.previewable();
    let mut row = row(&key, &message, count, file, app.clock.now())?;
    let starts = starts && row.preview_state == PreviewState::NotRequested;
    let then = Then { preview: starts, has_priority: wishes.has_priority };
    let is_held = scan::hold(app, txn, &mut row, then).await?;
    attachment::Entity::insert(row.clone().into_active_model()).exec_without_returning(txn).await?;
    text::due(txn, &row, app.clock.now()).await?;
    if !is_held {
        extract::on_arrival(app, txn, &row).await?;
    }
    if starts && !is_held {
        preview::enqueue_with(app, txn, &row, wishes.has_priority).await?;
        row.preview_state = PreviewState::Processing;
    }
    let message = edit_row(txn, &key, message, |m| {
        m.row.attachment_count += 1;
        Ok(())
    })
    .await?;
    let act = Act::new(event::CREATED, "attachment", row.id);
    audit::record(app, txn, &Actor::from(&member.caller), act).await?;
    Ok((row, message))
}

/// Changes the metadata of a file at the given version, or deletes the file if the metadata is `None`.
pub async fn change(
    app: &App,
    member: &Member,
    message_id: Uuid,
    id: Uuid,
    meta: Option<(AttachmentMeta, Option<u32>)>,
) -> Result<Option<attachment::Model>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let message = queries::lock(&txn, member, message_id).await?;
    changeable(&message)?;
    let row = match meta {
        Some((meta, version)) => {
            let kept = sealed::open_meta(&key, &find_in(&txn, member, message_id, id).await?)?;
            Error::unless_current(version, &kept.version, "this document")?;
            Some(describe(app, &txn, member, &key, message_id, id, meta).await?)
        }
        None => {
            let file = find_in(&txn, member, message_id, id).await?;
            text::forget(&txn, &file).await?;
            let mut gone = file.into_active_model();
            gone.deleted_at = Set(Some(app.clock.now()));
            sea_orm::ActiveModelTrait::update(gone, &txn).await?;
            let act = Act::new(event::DELETED, "attachment", id);
            audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
            None
        }
    };
    let count = of_message(&txn, &message).await?.len();
    let document_type = document_type(&txn, &key, &message).await?;
    edit_row(&txn, &key, message, |m| {
        m.row.attachment_count = count as i32;
        m.summary.document_type = document_type;
        Ok(())
    })
    .await?;
    txn.commit().await?;
    Ok(row)
}

/// Sets the order of the files of a message, and changes their metadata. Every file of the message must be given once.
pub async fn arrange(
    app: &App,
    member: &Member,
    message_id: Uuid,
    files: Vec<(Uuid, Option<AttachmentMeta>, Option<u32>)>,
) -> Result<Vec<attachment::Model>> {
    let key = app.keys.data_key(member.organization_id).await?;
    let txn = app.store.begin().await?;
    let message = queries::lock(&txn, member, message_id).await?;
    changeable(&message)?;
    let mut there: HashMap<Uuid, _> =
        of_message(&txn, &message).await?.into_iter().map(|row| (row.id, row)).collect();
    let mut rows = Vec::with_capacity(files.len());
    for (position, (id, meta, version)) in (0..).zip(files) {
        let mut row = there.remove(&id).ok_or(Error::NotFound)?;
        if let Some(meta) = meta {
            Error::unless_current(version, &sealed::open_meta(&key, &row)?.version, "this document")?;
            row = describe(app, &txn, member, &key, message_id, id, meta).await?;
        }
        if row.position != position {
            let mut moved = row.into_active_model();
            moved.position = Set(position);
            row = sea_orm::ActiveModelTrait::update(moved, &txn).await?;
        }
        rows.push(row);
    }
    if !there.is_empty() {
        return Err(Error::field("attachments", "Please list every attachment of the message."));
    }
    let document_type = document_type(&txn, &key, &message).await?;
    let message = edit_row(&txn, &key, message, |m| {
        m.summary.document_type = document_type;
        Ok(())
    })
    .await?;
    let act = Act::new(event::CHANGED, "message", message_id)
        .detail(serde_json::json!({ "fields": ["attachments"] }));
    audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    txn.commit().await?;
    queries::announce(app, &message).await;
    Ok(rows)
}

/// Stores the metadata of a file; the caller has locked its message.
pub async fn describe(
    app: &App,
    txn: &Transaction,
    member: &Member,
    key: &DataKey,
    message_id: Uuid,
    id: Uuid,
    mut meta: AttachmentMeta,
) -> Result<attachment::Model> {
    let row = find_in(txn, member, message_id, id).await?;
    let old = sealed::open_meta(key, &row)?;
    if kind_of(&row).structured() {
        meta = rules::unchanged(meta, &old)?;
    }
    if meta.confidentiality != old.confidentiality {
        // People who may not open the file cannot lift its restriction.
        opening::permit(member, key, &row)?;
    }
    if let Some(choices) = &mut meta.integration_meta {
        // Not what a client says.
        choices.user_email = old.integration_meta.as_ref().and_then(|old| old.user_email.clone());
    }
    meta.version = old.version;
    if meta == old {
        return Ok(row);
    }
    meta.version += 1;
    if meta.integration_meta != old.integration_meta
        && let Some(choices) = &mut meta.integration_meta
    {
        choices.user_email = Some(member.caller.user_name.clone());
    }
    let mut changed = row.into_active_model();
    changed.sealed_meta = Set(sealed::seal_meta(key, id, &meta)?);
    let row = sea_orm::ActiveModelTrait::update(changed, txn).await?;
    match (old.is_restricted(), meta.is_restricted()) {
        (false, true) => text::forget(txn, &row).await?,
        (true, false) => text::due(txn, &row, app.clock.now()).await?,
        _ => {}
    }
    let act = Act::new(event::CHANGED, "attachment", id);
    audit::record(app, txn, &Actor::from(&member.caller), act).await?;
    Ok(row)
}

/// Copies the files of a message to another one; the stored bytes are shared.
pub async fn copy(
    txn: &Transaction,
    key: &DataKey,
    from: Uuid,
    to: Uuid,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<()> {
    let files = attachment::Entity::find()
        .filter(attachment::Column::MessageId.eq(from))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
        .all(txn)
        .await?;
    for file in files {
        let id = Uuid::now_v7();
        let (from_id, is_converted) = (file.id, file.is_converted);
        // A pending preview belongs to the original alone.
        let is_in_work = file.preview_state == PreviewState::Processing;
        let copy = attachment::Model {
            id,
            message_id: to,
            preview_state: if is_in_work { PreviewState::NotRequested } else { file.preview_state },
            sealed_name: sealed::seal_name(key, id, &sealed::open_name(key, &file)?),
            sealed_meta: sealed::seal_meta(key, id, &sealed::open_meta(key, &file)?)?,
            created_at: now,
            // A running conversion belongs to the original alone.
            transform: None,
            ..file
        };
        attachment::Entity::insert(copy.clone().into_active_model()).exec_without_returning(txn).await?;
        if copy.scan_state == ScanState::Waiting {
            // The scan of the original may end before the copy exists.
            scan::wait(txn, &copy, Then::default(), now).await?;
        }
        text::due(txn, &copy, now).await?;
        extract::copy(txn, key, from_id, id).await?;
        if is_converted {
            copy_original(txn, key, from_id, id).await?;
        }
    }
    Ok(())
}

async fn copy_original(txn: &Transaction, key: &DataKey, from: Uuid, to: Uuid) -> Result<()> {
    let Some(original) = attachment_original::Entity::find_by_id(from).one(txn).await? else { return Ok(()) };
    let name = sealed::open_name_of(key, from, &original.sealed_name)?;
    let copy = attachment_original::Model {
        attachment_id: to,
        sealed_name: sealed::seal_name(key, to, &name),
        ..original
    };
    attachment_original::Entity::insert(copy.into_active_model()).exec_without_returning(txn).await?;
    Ok(())
}
