//! Removes stored bytes that no row names: what is left of work that was rolled back, of writers that died, and of
//! received mail whose time is over.

use super::attachments::parts;
use crate::{
    direct::unknown_senders,
    fax::retention,
    interfaces::{assertions, refusals},
};
use chrono::Duration;
use futures::{StreamExt, TryStreamExt};
use platform::{App, Result, chores};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, sea_query::ExprTrait};
use std::{collections::HashSet, time};
use store::{
    blobs::StoredBlob,
    entities::{
        attachment, attachment_original, cached_document, export_file, fax_call, fax_job, fax_reception,
        inbound_mail, interface_reception, proofing_document, triage_file, triage_sheet,
    },
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const SWEEP_INTERVAL: time::Duration = time::Duration::from_secs(6 * 3600);
/// Bytes are stored before the row that names them is committed. Nothing waits for its row as long as that.
const AGE: Duration = Duration::days(1);
/// Blobs that are looked up together.
const BATCH: usize = 500;

/// Sweeps every few hours; not at the start, when a node has better things to do than to look through its storage.
pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(SWEEP_INTERVAL, SWEEP_INTERVAL, cancel, "sweeping of stored bytes", || async move {
        let removed = sweep(app).await?;
        if removed > 0 {
            tracing::info!(removed, "stored bytes that nobody names were removed");
        }
        Ok(())
    })
    .await;
}

/// Forgets received mail, pages of faxes and documents taken out of others that were kept long enough, and removes every blob and every piece of one
/// that is older than a day and that no row names. Returns how many were removed.
pub async fn sweep(app: &App) -> Result<usize> {
    forget_mail(app).await?;
    retention::forget(app).await?;
    parts::forget(app).await?;
    forget_interfaces(app).await?;
    let before = app.clock.now() - AGE;
    let mut removed = app.blobs.remove_unfinished(before).await?;
    let mut batches = app.blobs.written_before(before).try_chunks(BATCH);
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(|e| e.1)?;
        let named = named(app, &batch).await?;
        for blob in batch.iter().filter(|b| !named.contains(&b.id)) {
            app.blobs.delete(blob.organization_id, blob.id).await?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The mail as it came is needed until the message stands in the Intake, and for a while by those who look for the
/// cause of something odd. What nobody can open goes sooner: strangers choose how much of it there is.
async fn forget_mail(app: &App) -> Result<()> {
    use inbound_mail::Column;
    let before = |days: u32| app.clock.now() - Duration::days(days.into());
    let settings = &app.config.direct;
    let refused = Column::IsRefused.eq(true).and(Column::FinishedAt.lt(before(settings.keep_refused_days)));
    inbound_mail::Entity::delete_many()
        .filter(Column::FinishedAt.lt(before(settings.keep_received_days)).or(refused))
        .exec(app.store.db())
        .await?;
    unknown_senders::forget(app).await
}

/// What interfaces sent, as it came. As long as it is there, the same message again is known.
async fn forget_interfaces(app: &App) -> Result<()> {
    use interface_reception::Column;
    let before = app.clock.now() - Duration::days(app.config.interfaces.keep_days.into());
    let old = interface_reception::Entity::delete_many().filter(Column::FinishedAt.lt(before));
    old.exec(app.store.db()).await?;
    assertions::forget(app).await?;
    refusals::forget(app).await
}

/// Those of the blobs that a row names, deleted files among them.
async fn named(app: &App, blobs: &[StoredBlob]) -> Result<HashSet<Uuid>> {
    let db = app.store.db();
    let ids = || blobs.iter().map(|b| b.id);
    let mut named = HashSet::new();
    for column in [attachment::Column::BlobId, attachment::Column::PdfBlobId] {
        let rows = attachment::Entity::find().select_only().column(column).filter(column.is_in(ids()));
        named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    }
    for column in [attachment_original::Column::BlobId, attachment_original::Column::PdfBlobId] {
        let rows =
            attachment_original::Entity::find().select_only().column(column).filter(column.is_in(ids()));
        named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    }
    for column in [cached_document::Column::BlobId, cached_document::Column::PdfBlobId] {
        let rows = cached_document::Entity::find().select_only().column(column).filter(column.is_in(ids()));
        named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    }
    let column = proofing_document::Column::BlobId;
    let rows = proofing_document::Entity::find().select_only().column(column).filter(column.is_in(ids()));
    named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    named.extend(faxes(db, blobs).await?);
    named.extend(batches(db, blobs).await?);
    let column = export_file::Column::BlobId;
    let rows = export_file::Entity::find().select_only().column(column).filter(column.is_in(ids()));
    named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    let column = inbound_mail::Column::BlobId;
    let rows = inbound_mail::Entity::find().select_only().column(column).filter(column.is_in(ids()));
    named.extend(rows.into_tuple::<Uuid>().all(db).await?);
    let column = interface_reception::Column::BlobId;
    let rows = interface_reception::Entity::find().select_only().column(column).filter(column.is_in(ids()));
    named.extend(rows.into_tuple::<Uuid>().all(db).await?);
    Ok(named)
}

/// Pages that wait to be sent, and those that nobody has taken yet.
async fn faxes(db: &impl ConnectionTrait, blobs: &[StoredBlob]) -> Result<Vec<Uuid>> {
    let ids = || blobs.iter().map(|b| b.id);
    let (sent, received, calls) =
        (fax_job::Column::BlobId, fax_reception::Column::BlobId, fax_call::Column::BlobId);
    let mut found: Vec<Option<Uuid>> = Vec::new();
    let rows = fax_job::Entity::find().select_only().column(sent).filter(sent.is_in(ids()));
    found.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?);
    let rows = fax_reception::Entity::find().select_only().column(received).filter(received.is_in(ids()));
    found.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?);
    let rows = fax_call::Entity::find().select_only().column(calls).filter(calls.is_in(ids()));
    found.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?);
    Ok(found.into_iter().flatten().collect())
}

/// Files of batches, their pages, and pictures of these.
async fn batches(db: &impl ConnectionTrait, blobs: &[StoredBlob]) -> Result<Vec<Uuid>> {
    let ids = || blobs.iter().map(|b| b.id);
    let mut found: Vec<Option<Uuid>> = Vec::new();
    for column in [triage_file::Column::BlobId, triage_file::Column::PdfBlobId] {
        let rows = triage_file::Entity::find().select_only().column(column).filter(column.is_in(ids()));
        found.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?);
    }
    let column = triage_sheet::Column::BlobId;
    let rows = triage_sheet::Entity::find().select_only().column(column).filter(column.is_in(ids()));
    found.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?);
    Ok(found.into_iter().flatten().collect())
}
