//! Gradual passes over all messages, newest first, on one node at a time. A finished pass removes its progress row, so
//! that it runs once per upgrade that requests it.

use chrono::{DateTime, Duration, Utc};
use platform::{App, Error, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};
use serde::{Deserialize, Serialize};
use store::entities::{
    installation,
    message::{self, Column},
};
use uuid::Uuid;

/// Time after which another node takes over from one that stopped.
const LEASE: Duration = Duration::minutes(10);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Progress {
    /// The last finished message.
    behind: Option<Uuid>,
    /// Until then, one node does the work.
    until: Option<DateTime<Utc>>,
}

/// Some messages of a pass, reserved for this node.
pub struct Piece {
    setting: &'static str,
    taken: String,
    pub messages: Vec<message::Model>,
}

/// Whether there is work left.
pub async fn is_going_on(app: &App, setting: &'static str) -> Result<bool> {
    Ok(installation::Entity::find_by_id(setting.to_owned()).one(app.store.db()).await?.is_some())
}

/// Reserves the next messages of a pass, unless there are none or another node is working on it.
pub async fn take(app: &App, setting: &'static str, size: u64) -> Result<Option<Piece>> {
    let db = app.store.db();
    let row = installation::Entity::find_by_id(setting.to_owned()).one(db).await?;
    let Some(row) = row else { return Ok(None) };
    let progress: Progress = serde_json::from_str(&row.value).map_err(Error::internal)?;
    let now = app.clock.now();
    if progress.until.is_some_and(|until| until > now) {
        return Ok(None);
    }
    let wanted = Progress { until: Some(now + LEASE), ..progress };
    let Some(taken) = go_on(app, setting, &row.value, wanted).await? else { return Ok(None) };
    let mut next = message::Entity::find().order_by_desc(Column::Id).limit(size);
    if let Some(behind) = progress.behind {
        next = next.filter(Column::Id.lt(behind));
    }
    Ok(Some(Piece { setting, taken, messages: next.all(db).await? }))
}

/// Marks a piece as done. Returns whether there may be more.
pub async fn done(app: &App, piece: &Piece) -> Result<bool> {
    match piece.messages.last() {
        Some(last) => {
            let progress = Progress { behind: Some(last.id), until: None };
            go_on(app, piece.setting, &piece.taken, progress).await?;
            Ok(true)
        }
        None => {
            let done = installation::Entity::delete_many()
                .filter(installation::Column::Name.eq(piece.setting))
                .filter(installation::Column::Value.eq(piece.taken.as_str()));
            done.exec(app.store.db()).await?;
            Ok(false)
        }
    }
}

/// Stores the progress, unless another node did. Returns it as stored.
async fn go_on(app: &App, setting: &str, from: &str, to: Progress) -> Result<Option<String>> {
    let to = serde_json::to_string(&to).map_err(Error::internal)?;
    let written = installation::Entity::update_many()
        .col_expr(installation::Column::Value, Expr::value(to.as_str()))
        .filter(installation::Column::Name.eq(setting))
        .filter(installation::Column::Value.eq(from))
        .exec(app.store.db())
        .await?;
    Ok((written.rows_affected > 0).then_some(to))
}
