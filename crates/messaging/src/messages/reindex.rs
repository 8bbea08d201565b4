//! Messages that were indexed before the index held identifiers, birth dates, sounds and the text of documents get them
//! little by little, the newest first, on one node at a time. When that is done the row that keeps the progress goes.

use crate::{
    attachments::{queries, text},
    found_by,
    sealed::{self, Content, Summary},
};
use chrono::{DateTime, Duration, Utc};
use platform::{App, Error, Result, chores};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use std::time;
use store::entities::{
    installation,
    message::{self, Column},
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The row of the installation that says how far it is.
pub const SETTING: &str = "search_reindex";
const PERIOD: time::Duration = time::Duration::from_secs(15);
/// Messages of one round.
pub const BATCH: u64 = 100;
/// When another node takes over from one that went away.
const LEASE: Duration = Duration::minutes(10);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Progress {
    /// The message that was done last.
    behind: Option<Uuid>,
    /// Until then the work is that of one node.
    until: Option<DateTime<Utc>>,
}

/// Goes on until the node stops.
pub async fn reindex_forever(app: App, cancel: CancellationToken) {
    let (app, stop) = (&app, &cancel.clone());
    chores::every(PERIOD, PERIOD, cancel, "messages to be indexed again", || async move {
        stop.run_until_cancelled(reindex_some(app)).await.unwrap_or(Ok(()))
    })
    .await;
}

/// Indexes the next messages again, unless another node is at it.
pub async fn reindex_some(app: &App) -> Result<()> {
    let db = app.store.db();
    let row = installation::Entity::find_by_id(SETTING.to_owned()).one(db).await?;
    let Some(row) = row else { return Ok(()) };
    let progress: Progress = serde_json::from_str(&row.value).map_err(Error::internal)?;
    let now = app.clock.now();
    if progress.until.is_some_and(|until| until > now) {
        return Ok(());
    }
    let taken = Progress { until: Some(now + LEASE), ..progress };
    let Some(taken) = go_on(app, &row.value, taken).await? else { return Ok(()) };
    let mut next = message::Entity::find().order_by_desc(Column::Id).limit(BATCH);
    if let Some(behind) = progress.behind {
        next = next.filter(Column::Id.lt(behind));
    }
    let batch = next.all(db).await?;
    for message in &batch {
        // One that cannot be opened, such as that of an organization that ended, keeps no other from being found.
        if let Err(error) = reindex(app, message).await {
            tracing::warn!(message = %message.id, ?error, "a message could not be indexed again");
        }
    }
    match batch.last() {
        Some(last) => {
            go_on(app, &taken, Progress { behind: Some(last.id), until: None }).await?;
        }
        None => {
            let done = installation::Entity::delete_many()
                .filter(installation::Column::Name.eq(SETTING))
                .filter(installation::Column::Value.eq(taken));
            done.exec(db).await?;
        }
    }
    Ok(())
}

/// Writes the progress, unless another node did. Returns it as it is kept.
async fn go_on(app: &App, from: &str, to: Progress) -> Result<Option<String>> {
    let to = serde_json::to_string(&to).map_err(Error::internal)?;
    let written = installation::Entity::update_many()
        .col_expr(installation::Column::Value, Expr::value(to.as_str()))
        .filter(installation::Column::Name.eq(SETTING))
        .filter(installation::Column::Value.eq(from))
        .exec(app.store.db())
        .await?;
    Ok((written.rows_affected > 0).then_some(to))
}

/// The message stays as it is for whoever edits it: what is added is shown nowhere.
async fn reindex(app: &App, of: &message::Model) -> Result<()> {
    let key = app.keys.data_key(of.organization_id).await?;
    let txn = app.store.begin().await?;
    let row = message::Entity::find_by_id(of.id).lock_exclusive().one(&txn).await?;
    let Some(row) = row else { return Ok(()) };
    let old = Summary::open(&key, &row)?;
    let patient = Content::open(&key, &row)?.patient;
    let summary = Summary { patient_keys: found_by::keys(patient.as_ref()), ..old.clone() };
    if row.deleted_at.is_none() {
        sealed::unindex(&txn, &key, &row, &summary).await?;
        sealed::index(&txn, &key, &row, &summary).await?;
        for file in queries::of_message(&txn, &row).await? {
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
