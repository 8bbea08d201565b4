//! Start of alerts whose measurement does not include it: the same on every node, for every call.

use super::conditions::Found;
use chrono::{DateTime, Duration, Utc};
use platform::App;
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, sea_query::OnConflict};
use std::collections::HashMap;
use store::entities::alert_onset::{ActiveModel, Column, Entity, Model};

/// An alert that was not seen for this long starts again.
const KEPT: Duration = Duration::hours(1);
/// Interval at which a continuing alert is recorded.
const NOTED_EVERY: Duration = Duration::minutes(1);

/// Sets the start of alerts. Alerts are shown even if the start cannot be stored, since a full disk is one of them.
pub async fn remember(app: &App, found: &mut [Found], now: DateTime<Utc>) {
    if let Err(error) = note(app, found, now).await {
        tracing::warn!(?error, "the start of alerts could not be stored");
    }
}

async fn note(app: &App, found: &mut [Found], now: DateTime<Utc>) -> Result<(), DbErr> {
    let db = app.store.db();
    let known = Entity::find().filter(Column::SeenAt.gt(now - KEPT)).all(db).await?;
    let known: HashMap<String, Model> = known.into_iter().map(|row| (row.alert.clone(), row)).collect();
    let mut news = Vec::new();
    for alert in found {
        let row = known.get(&alert.id);
        alert.since = row.map_or(alert.since, |row| row.since.min(alert.since));
        let is_known = |row: &Model| row.since == alert.since && now - row.seen_at < NOTED_EVERY;
        if !row.is_some_and(is_known) {
            let (alert, since) = (alert.id.clone(), alert.since);
            news.push(ActiveModel { alert: Set(alert), since: Set(since), seen_at: Set(now) });
        }
    }
    if news.is_empty() {
        return Ok(());
    }
    let txn = app.store.begin().await?;
    Entity::delete_many().filter(Column::SeenAt.lte(now - KEPT)).exec(&txn).await?;
    let anew = OnConflict::column(Column::Alert).update_columns([Column::Since, Column::SeenAt]).to_owned();
    Entity::insert_many(news).on_conflict(anew).exec_without_returning(&txn).await?;
    txn.commit().await
}
