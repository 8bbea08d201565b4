//! Storing and finding files.

use super::{
    convert::changeable,
    extract, opening, preview,
    scan::{self, Then},
    text,
};
use crate::{
    messages::{
        queries::{self, edit_row},
        rules,
        view::kind_of,
    },
    model::{AttachmentMeta, PreviewState},
    sealed,
};
use bytes::Bytes;
use documents::Kind;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
    bus::Event,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use std::collections::HashMap;
use store::{
    Transaction,
    blobs::BlobInfo,
    entities::{
        attachment::{self, ScanState},
        attachment_original, message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Largest file, in bytes.
pub const FILE_LIMIT: u64 = 20_971_520;
/// Largest sum of the files of one message, in bytes before encoding.
pub const MESSAGE_LIMIT: i64 = 25 << 20;

/// A stored file that is to become an attachment.
pub struct NewFile {
    pub name: String,
    pub kind: Kind,
    pub mime_type: String,
    pub blob: BlobInfo,
    pub meta: AttachmentMeta,
    /// Why there is no preview, if that is known at upload.
    pub problem: Option<String>,
}

/// Finds a file of a message of the member's organization.
pub async fn find(app: &App, member: &Member, message_id: Uuid, id: Uuid) -> Result<attachment::Model> {
    member
        .tenant()
        .attachments()
        .filter(attachment::Column::Id.eq(id))
        .filter(attachment::Column::MessageId.eq(message_id))
        .one(app.store.db())
        .await?
        .ok_or(Error::NotFound)
}

/// The row of a new file. PDF needs no conversion to be shown.
pub fn row(
    key: &DataKey,
    message: &message::Model,
    position: i32,
    file: NewFile,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<attachment::Model> {
    let id = Uuid::now_v7();
    let preview = match file.kind {
        _ if file.problem.is_some() => PreviewState::Failed,
        Kind::Pdf => PreviewState::Available,
        _ => PreviewState::NotRequested,
    };
    Ok(attachment::Model {
        id,
        message_id: message.id,
        organization_id: message.organization_id,
        position,
        sealed_name: sealed::seal_name(key, id, &plain_name(&file.name)),
        sealed_meta: sealed::seal_meta(key, id, &file.meta)?,
        kind: kind_text(file.kind),
        mime_type: file.mime_type,
        size_bytes: file.blob.size as i64,
        blob_id: file.blob.id,
        pdf_blob_id: (file.kind == Kind::Pdf).then_some(file.blob.id),
        preview_state: preview,
        preview_error: file.problem,
        page_count: None,
        created_at: now,
        deleted_at: None,
        transform: None,
        is_converted: false,
        content_hash: Some(key.content_hash(&file.blob.sha256)),
        scan_state: ScanState::NotScanned,
        scan_finding: None,
    })
}

/// Longest name of a file, in characters.
const NAME_MAX: usize = 255;

/// A file name without control characters and direction marks, which would show `exe.pdf` where `fdp.exe` stands. One that
/// is too long loses its middle and keeps its extension.
pub fn plain_name(name: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain: Vec<char> = name.chars().filter(|c| !c.is_control() && !is_mark(*c)).collect();
    let kept = plain.len().min(NAME_MAX);
    let end = 20.min(kept);
    let (begin, end) = (&plain[..kept - end], &plain[plain.len() - end..]);
    begin.iter().chain(end).collect()
}

/// The name of a kind as it stands in the database.
pub fn kind_text(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(Into::into)).unwrap_or_default()
}

/// What an upload asks for besides keeping the file.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// Its preview is made at once.
    pub convert: bool,
    /// That is not behind what nobody waits for.
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

/// Adds a stored file, whose bytes were synced, to a locked draft together with what else the caller writes. Returns the file
/// and the draft.
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
        return Err(Error::Conflict("Files can be added to drafts only.".into()));
    }
    let (count, bytes) = totals(txn, message.id).await?;
    if bytes + file.blob.size as i64 > MESSAGE_LIMIT {
        return Err(Error::field("file", "The attachments of a message together may have 25 MB at most."));
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

/// How many files a message ever had, and the bytes of those it has.
pub async fn totals(conn: &impl ConnectionTrait, message_id: Uuid) -> Result<(i32, i64)> {
    let rows =
        attachment::Entity::find().filter(attachment::Column::MessageId.eq(message_id)).all(conn).await?;
    let bytes = rows.iter().filter(|r| r.deleted_at.is_none()).map(|r| r.size_bytes).sum();
    Ok((rows.len() as i32, bytes))
}

/// Files of a message in their order.
pub async fn of_message(
    conn: &impl ConnectionTrait,
    message: &message::Model,
) -> Result<Vec<attachment::Model>> {
    Ok(select_of(message.organization_id, message.id).all(conn).await?)
}

/// As [`of_message`].
pub fn select_of(organization_id: Uuid, message_id: Uuid) -> Select<attachment::Entity> {
    attachment::Entity::find()
        .filter(attachment::Column::MessageId.eq(message_id))
        .filter(attachment::Column::OrganizationId.eq(organization_id))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
}

/// Changes the metadata of a file from the given version, or deletes the file if it is `None`.
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

/// Puts the files of a message in the order in which they are named, and changes what is said about them. Every file of the
/// message has to be named once.
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
        return Err(Error::field("attachments", "Please name every attachment of the message."));
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

/// Writes down what is said about a file of a message that the caller locked.
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
        // Whoever may not open it does not lift that either.
        opening::permit(member, key, &row)?;
    }
    meta.version = old.version;
    if meta == old {
        return Ok(row);
    }
    meta.version += 1;
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

/// The document type of a message: that of its first file that has one.
pub async fn document_type(
    conn: &impl ConnectionTrait,
    key: &DataKey,
    message: &message::Model,
) -> Result<String> {
    for file in of_message(conn, message).await? {
        if let Some(found) = sealed::open_meta(key, &file)?.document_type {
            return Ok(found);
        }
    }
    Ok(String::new())
}

/// Copies the files of a message to another; they share their stored bytes.
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
        // The preview that is being made is that of the original alone.
        let is_in_work = file.preview_state == PreviewState::Processing;
        let copy = attachment::Model {
            id,
            message_id: to,
            preview_state: if is_in_work { PreviewState::NotRequested } else { file.preview_state },
            sealed_name: sealed::seal_name(key, id, &sealed::open_name(key, &file)?),
            sealed_meta: sealed::seal_meta(key, id, &sealed::open_meta(key, &file)?)?,
            created_at: now,
            // What runs converts the original alone.
            transform: None,
            ..file
        };
        attachment::Entity::insert(copy.clone().into_active_model()).exec_without_returning(txn).await?;
        if copy.scan_state == ScanState::Waiting {
            // What scans the original may be done before the copy is there.
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

/// A file of a message of the member's organization, inside a transaction.
pub async fn find_in(
    conn: &impl ConnectionTrait,
    member: &Member,
    message_id: Uuid,
    id: Uuid,
) -> Result<attachment::Model> {
    member
        .tenant()
        .attachments()
        .filter(attachment::Column::Id.eq(id))
        .filter(attachment::Column::MessageId.eq(message_id))
        .limit(1)
        .one(conn)
        .await?
        .ok_or(Error::NotFound)
}

/// A stored file whole, for conversions. Nothing larger than a received mail is ever stored.
pub async fn read(app: &App, organization_id: Uuid, blob_id: Uuid) -> Result<Bytes> {
    let key = app.keys.data_key(organization_id).await?;
    let limit = app.config.smtp.max_message_bytes;
    Ok(app.blobs.read_to_vec(&key, organization_id, blob_id, limit).await?.into())
}

/// Stores bytes durably under a new id.
pub async fn store_bytes(app: &App, organization_id: Uuid, bytes: Bytes) -> Result<BlobInfo> {
    let key = app.keys.data_key(organization_id).await?;
    let blob = app.blobs.put(&key, organization_id, Uuid::now_v7(), bytes).await?;
    app.blobs.sync().await?;
    Ok(blob)
}

#[cfg(test)]
mod tests {
    use super::{NAME_MAX, plain_name};

    #[test]
    fn a_file_name_shows_its_real_extension_and_has_a_limit() {
        assert_eq!(plain_name("invoice\u{202e}fdp.exe"), "invoicefdp.exe");
        assert_eq!(plain_name("Résumé\n\u{2066}2.pdf"), "Résumé2.pdf");
        let long = plain_name(&format!("{}.pdf", "é".repeat(5_000)));
        assert!(long.ends_with(".pdf") && long.chars().count() == NAME_MAX, "{long}");
    }
}
