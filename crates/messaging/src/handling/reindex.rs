//! Gradual reindexing of messages from before the index had identifiers, birth dates, sounds and the text of documents
//! ([`passes`]).

use crate::{
    files,
    indexes::text,
    messages::passes,
    sealed::{self, Content, Summary},
    search_terms,
};
use platform::{App, Result, chores};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, IntoActiveModel, QuerySelect};
use std::time;
use store::entities::message;
use tokio_util::sync::CancellationToken;

/// Installation setting with the progress.
pub const SETTING: &str = "search_reindex";
const PERIOD: time::Duration = time::Duration::from_secs(15);
/// Number of messages per round.
pub const BATCH: u64 = 100;

/// Reindexes until the node stops.
pub async fn reindex_forever(app: App, cancel: CancellationToken) {
    let (app, stop) = (&app, &cancel.clone());
    chores::every(PERIOD, PERIOD, cancel, "reindexing of messages", || async move {
        stop.run_until_cancelled(reindex_some(app)).await.unwrap_or(Ok(()))
    })
    .await;
}

/// Reindexes the next messages, unless another node is doing so.
pub async fn reindex_some(app: &App) -> Result<()> {
    let Some(piece) = passes::take(app, SETTING, BATCH).await? else { return Ok(()) };
    for message in &piece.messages {
        // A message that cannot be decrypted, such as one of a closed organization, must not stop the others.
        if let Err(error) = reindex(app, message).await {
            tracing::warn!(message = %message.id, ?error, "a message could not be indexed again");
        }
    }
    passes::done(app, &piece).await.map(|_| ())
}

/// The message's version is unchanged for people who are editing it: the added words are not visible.
async fn reindex(app: &App, of: &message::Model) -> Result<()> {
    let key = app.keys.data_key(of.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = message::Entity::find_by_id(of.id).lock_exclusive().one(&txn).await?;
    let Some(row) = row else { return Ok(()) };
    let old = Summary::open(&key, &row)?;
    let patient = Content::open(&key, &row)?.patient;
    let summary = Summary { patient_keys: search_terms::keys(patient.as_ref()), ..old.clone() };
    if row.deleted_at.is_none() {
        sealed::unindex(&txn, &key, &row, &summary).await?;
        sealed::index(&txn, &key, &row, &summary).await?;
        for file in files::of_message(&txn, &row).await? {
            text::due_once(&txn, &file, app.clock.now()).await?;
        }
    }
    if summary != old {
        let sealed_summary = summary.seal(&key, row.id)?;
        let mut changed = row.into_active_model();
        changed.sealed_summary = Set(sealed_summary);
        changed.update(&txn).await?;
    }
    txn.commit().await?;
    Ok(())
}
