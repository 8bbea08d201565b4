//! Removes stored bytes without a row: leftovers of rolled-back work and crashed writers, and received mail after its
//! retention.

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
        inbound_mail, interface_reception, proofing_document, signed_document, triage_file, triage_sheet,
    },
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const SWEEP_INTERVAL: time::Duration = time::Duration::from_secs(6 * 3600);
/// Minimum age of removed bytes. Bytes are stored before their row is committed, which takes far less time.
const AGE: Duration = Duration::days(1);
/// Number of blobs that are looked up together.
const BATCH: usize = 500;

/// Sweeps every few hours, but not right after the start, when the node is busy.
pub async fn sweep_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(SWEEP_INTERVAL, SWEEP_INTERVAL, cancel, "sweeping of stored bytes", || async move {
        let removed = sweep(app).await?;
        if removed > 0 {
            tracing::info!(removed, "unreferenced stored bytes were removed");
        }
        Ok(())
    })
    .await;
}

/// Removes received mail, fax pages and extracted documents after their retention, and every blob, complete or partial,
/// that is older than a day and has no row. Returns how many blobs were removed.
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

/// Removes original mails. They are needed until the message is in the Intake, and for some time to investigate
/// problems. Mail that cannot be decrypted is removed sooner, because strangers decide how much of it there is.
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

/// Removes original messages of interfaces. Duplicates are recognized until then.
async fn forget_interfaces(app: &App) -> Result<()> {
    use interface_reception::Column;
    let before = app.clock.now() - Duration::days(app.config.interfaces.keep_days.into());
    let old = interface_reception::Entity::delete_many().filter(Column::FinishedAt.lt(before));
    old.exec(app.store.db()).await?;
    assertions::forget(app).await?;
    refusals::forget(app).await
}

/// The blobs that a row refers to, including those of deleted files.
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
    {
        let column = signed_document::Column::BlobId;
        let rows = signed_document::Entity::find().select_only().column(column).filter(column.is_in(ids()));
        named.extend(rows.into_tuple::<Option<Uuid>>().all(db).await?.into_iter().flatten());
    }
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

/// Pages of faxes that are to be sent, or were received and not yet read.
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

/// Files of batches, their pages, and images of pages.
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
