//! The files of messages: rows and stored bytes.

use crate::{
    model::{AttachmentMeta, PreviewState},
    sealed,
};
use bytes::Bytes;
use documents::Kind;
use platform::{App, Error, Member, Result};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use store::{
    blobs::BlobInfo,
    entities::{
        attachment::{self, ScanState},
        message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum file size, in bytes.
pub const FILE_LIMIT: u64 = 20_971_520;

/// A stored file that becomes an attachment.
pub struct NewFile {
    pub name: String,
    pub kind: Kind,
    pub mime_type: String,
    pub blob: BlobInfo,
    pub meta: AttachmentMeta,
    /// Why there is no preview, if known at upload.
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

/// The row of a new file. A PDF is its own preview.
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

/// Maximum length of a file name, in characters.
const NAME_MAX: usize = 255;

/// A file name without control characters and direction marks, which could disguise `fdp.exe` as `exe.pdf`. A name that
/// is too long is shortened in the middle and keeps its extension.
pub fn plain_name(name: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let plain: Vec<char> = name.chars().filter(|c| !c.is_control() && !is_mark(*c)).collect();
    let kept = plain.len().min(NAME_MAX);
    let end = 20.min(kept);
    let (begin, end) = (&plain[..kept - end], &plain[plain.len() - end..]);
    begin.iter().chain(end).collect()
}

/// The database value of a kind.
pub fn kind_text(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(Into::into)).unwrap_or_default()
}

/// Number of files that a message ever had, and the total size of its present files in bytes.
pub async fn totals(conn: &impl ConnectionTrait, message_id: Uuid) -> Result<(i32, i64)> {
    let rows =
        attachment::Entity::find().filter(attachment::Column::MessageId.eq(message_id)).all(conn).await?;
    let bytes = rows.iter().filter(|r| r.deleted_at.is_none()).map(|r| r.size_bytes).sum();
    Ok((rows.len() as i32, bytes))
}

/// Files of a message, in order.
pub async fn of_message(
    conn: &impl ConnectionTrait,
    message: &message::Model,
) -> Result<Vec<attachment::Model>> {
    Ok(select_of(message.organization_id, message.id).all(conn).await?)
}

/// Query of [`of_message`].
pub fn select_of(organization_id: Uuid, message_id: Uuid) -> Select<attachment::Entity> {
    attachment::Entity::find()
        .filter(attachment::Column::MessageId.eq(message_id))
        .filter(attachment::Column::OrganizationId.eq(organization_id))
        .filter(attachment::Column::DeletedAt.is_null())
        .order_by_asc(attachment::Column::Position)
}

/// The document type of a message: that of the first file with one.
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

/// Content of a stored file in memory, for conversions. Stored files are at most as large as a received mail.
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

/// The detected type of a stored file.
pub fn kind_of(row: &attachment::Model) -> Kind {
    serde_json::from_value(serde_json::Value::String(row.kind.clone())).unwrap_or(Kind::Unknown)
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
