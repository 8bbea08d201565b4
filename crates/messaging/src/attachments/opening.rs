//! Access to the content of files: restricted files require the permission, and files in quarantine or waiting for the
//! malware scanner are closed to all. Everything that shows, converts or outputs the content of a file checks here.

use super::held;
use crate::{files, sealed::open_meta};
use bytes::Bytes;
use platform::{App, Error, Member, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use std::collections::HashSet;
use store::{
    entities::{attachment, cached_document},
    keys::DataKey,
};
use uuid::Uuid;

/// Refuses a restricted document to members without the permission.
pub fn permit(member: &Member, key: &DataKey, row: &attachment::Model) -> Result<()> {
    if !member.caller.permissions.open_restricted && open_meta(key, row)?.is_restricted() {
        return Err(Error::Restricted);
    }
    Ok(())
}

/// Calls [`permit`] for several files.
pub async fn permit_all(app: &App, member: &Member, rows: &[attachment::Model]) -> Result<()> {
    let key = app.keys.data_key(member.organization_id).await?;
    rows.iter().try_for_each(|row| permit(member, &key, row))
}

/// Refuses a file that the member may not open, or that is closed to all.
pub async fn require(app: &App, member: &Member, row: &attachment::Model) -> Result<()> {
    permit_all(app, member, std::slice::from_ref(row)).await?;
    held::require_open(row)
}

/// The bytes of a file of a message, after all checks of access.
pub async fn read(app: &App, member: &Member, row: &attachment::Model) -> Result<Bytes> {
    require(app, member, row).await?;
    files::read(app, row.organization_id, row.blob_id).await
}

/// Refuses a document extracted from a restricted file. If it is unknown which file of the message that was, all of
/// them count.
pub async fn permit_taken_out(app: &App, member: &Member, row: &cached_document::Model) -> Result<()> {
    use attachment::Column;
    if member.caller.permissions.open_restricted {
        return Ok(());
    }
    let outermost = outermost(app, row).await?;
    // Includes deleted files, which stay restricted.
    let files = attachment::Entity::find()
        .filter(Column::OrganizationId.eq(row.organization_id))
        .filter(Column::MessageId.eq(row.message_id))
        .all(app.store.db())
        .await?;
    let (around, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| file.blob_id == outermost);
    permit_all(app, member, if around.is_empty() { &others } else { &around }).await
}

/// The id of the stored bytes of the file that contains the document, at any depth.
async fn outermost(app: &App, row: &cached_document::Model) -> Result<Uuid> {
    use cached_document::Column;
    let mut blob_id = row.source_blob_id;
    for _ in 1..row.depth {
        let around = cached_document::Entity::find()
            .filter(Column::OrganizationId.eq(row.organization_id))
            .filter(Column::MessageId.eq(row.message_id))
            .filter(Column::BlobId.eq(blob_id));
        match around.one(app.store.db()).await? {
            Some(around) => blob_id = around.source_blob_id,
            None => break,
        }
    }
    Ok(blob_id)
}

/// The messages with a document that the member may not open. Deleted documents stay restricted, because their
/// derivatives still exist.
pub async fn closed(app: &App, member: &Member, key: &DataKey, messages: &[Uuid]) -> Result<HashSet<Uuid>> {
    use attachment::Column;
    if member.caller.permissions.open_restricted {
        return Ok(HashSet::new());
    }
    let files = attachment::Entity::find()
        .filter(Column::OrganizationId.eq(member.organization_id))
        .filter(Column::MessageId.is_in(messages.iter().copied()))
        .all(app.store.db())
        .await?;
    Ok(files.iter().filter(|file| permit(member, key, file).is_err()).map(|file| file.message_id).collect())
}
