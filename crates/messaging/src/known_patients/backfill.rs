//! Adds messages from before the index of patients to it gradually, newest first.

use crate::{indexes::patient_links, messages::passes};
use platform::{App, Result, chores};
use sea_orm::{EntityTrait, QuerySelect};
use std::time::Duration;
use store::entities::message;
use tokio_util::sync::CancellationToken;

/// Installation setting with the progress.
pub const SETTING: &str = "patient_backfill";
const PERIOD: Duration = Duration::from_secs(5);
/// Number of messages per round.
pub const BATCH: u64 = 200;

/// Runs until the node stops.
pub async fn backfill_forever(app: App, cancel: CancellationToken) {
    let (app, stop) = (&app, &cancel.clone());
    chores::every(PERIOD, PERIOD, cancel, "patients of earlier messages", || async move {
        stop.run_until_cancelled(backfill_some(app)).await.unwrap_or(Ok(()))
    })
    .await;
}

/// Whether messages are missing in the index.
pub async fn is_going_on(app: &App) -> Result<bool> {
    passes::is_going_on(app, SETTING).await
}

/// Adds the next messages to the index, unless another node is doing so.
pub async fn backfill_some(app: &App) -> Result<()> {
    let Some(piece) = passes::take(app, SETTING, BATCH).await? else { return Ok(()) };
    for message in &piece.messages {
        // A message that cannot be decrypted, such as one of a closed organization, must not stop the others.
        if let Err(error) = bring(app, message).await {
            tracing::warn!(message = %message.id, ?error, "a message could not be added to the index of patients");
        }
    }
    passes::done(app, &piece).await.map(|_| ())
}

/// Adds a message, unless the index has it already.
async fn bring(app: &App, of: &message::Model) -> Result<()> {
    let key = app.keys.data_key(of.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = message::Entity::find_by_id(of.id).lock_exclusive().one(&txn).await?;
    let Some(row) = row.filter(|row| row.deleted_at.is_none()) else { return Ok(()) };
    if patients::index::of_message(&txn, row.id).await?.is_none() {
        patient_links::begin(&txn, &key, &row).await?;
        txn.commit().await?;
    }
    Ok(())
}
