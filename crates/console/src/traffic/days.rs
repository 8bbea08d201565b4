//! Daily counts. Past days do not change, so they are counted once and stored; the current day is counted in the
//! index each time.

use super::channels::Line;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use platform::{App, Result, chores};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, Statement,
    sea_query::OnConflict,
};
use std::{collections::HashMap, time::Duration};
use store::entities::{
    day_count::{ActiveModel, Column, Entity},
    message_event::EventType,
};
use tokio_util::sync::CancellationToken;

/// Number of days shown, including today.
pub const SHOWN: u64 = 7;
const INTERVAL: Duration = Duration::from_secs(1800);
/// Outcome of documents.
pub const OUTCOMES: [EventType; 4] =
    [EventType::Delivered, EventType::Failed, EventType::Bounced, EventType::Uncertain];

/// Kind of the counted workflows or events, and their channel.
pub type Key = (String, String);
pub type Counts = HashMap<Key, i64>;

pub async fn count_forever(app: App, cancel: CancellationToken) {
    let app = &app;
    chores::every(INTERVAL, Duration::ZERO, cancel, "counting of past days", || count(app)).await;
}

/// Counts the past days that are shown, and stores the numbers.
pub async fn count(app: &App) -> Result<()> {
    let (db, today) = (app.store.db(), app.clock.now().date_naive());
    let known = kept(db, today).await?;
    for day in shown(today).into_iter().filter(|day| *day < today && !known.contains_key(day)) {
        let counts = counted(db, day).await?;
        let rows = counts.into_iter().map(|((what, channel), total)| ActiveModel {
            day: Set(day),
            what: Set(what),
            channel: Set(channel),
            total: Set(total),
        });
        Entity::insert_many(rows)
            .on_conflict(
                OnConflict::columns([Column::Day, Column::What, Column::Channel]).do_nothing().to_owned(),
            )
            .exec_without_returning(db)
            .await?;
    }
    Ok(())
}

/// The numbers of each day shown, oldest first.
pub async fn by_day(app: &App) -> Result<Vec<(NaiveDate, Counts)>> {
    let (db, today) = (app.store.db(), app.clock.now().date_naive());
    let mut known = kept(db, today).await?;
    let mut days = Vec::new();
    for day in shown(today) {
        let counts = match known.remove(&day) {
            Some(counts) => counts,
            None => counted(db, day).await?,
        };
        days.push((day, counts));
    }
    Ok(days)
}

fn shown(today: NaiveDate) -> Vec<NaiveDate> {
    (0..SHOWN).rev().filter_map(|back| today.checked_sub_days(Days::new(back))).collect()
}

/// Start of the first day shown.
pub fn begin(now: DateTime<Utc>) -> DateTime<Utc> {
    shown(now.date_naive()).first().map_or(now, |day| midnight(*day))
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

async fn kept(db: &impl ConnectionTrait, today: NaiveDate) -> Result<HashMap<NaiveDate, Counts>> {
    let rows = Entity::find().filter(Column::Day.is_in(shown(today))).all(db).await?;
    let mut days: HashMap<NaiveDate, Counts> = HashMap::new();
    for row in rows {
        days.entry(row.day).or_default().insert((row.what, row.channel), row.total);
    }
    Ok(days)
}

#[derive(FromQueryResult)]
struct Count {
    what: String,
    channel: String,
    n: i64,
}

/// Counts a day in the indexes of workflows and events. Each line has a number, so that days without traffic are
/// stored too.
async fn counted(db: &impl ConnectionTrait, day: NaiveDate) -> Result<Counts> {
    let begin = midnight(day);
    let end = day.checked_add_days(Days::new(1)).map_or(begin, midnight);
    let line = |line: &Line| {
        let condition = line.stretch.condition(None);
        let (kind, channel) = (line.stretch.kind.name(), line.stretch.channel);
        format!(
            "SELECT '{kind}' AS what, '{channel}' AS channel, COUNT(*) AS n FROM workflow \
             WHERE {condition} AND created_at >= $1 AND created_at < $2"
        )
    };
    let mut selects: Vec<_> = Line::all().iter().map(line).collect();
    let outcomes = OUTCOMES.map(|kind| format!("'{kind}'")).join(", ");
    selects.push(format!(
        "SELECT event_type AS what, '' AS channel, COUNT(*) AS n FROM message_event \
         WHERE at >= $1 AND at < $2 AND event_type IN ({outcomes}) GROUP BY event_type"
    ));
    let sql = selects.join(" UNION ALL ");
    let rows = Count::find_by_statement(Statement::from_sql_and_values(
        db.get_database_backend(),
        sql,
        [begin.into(), end.into()],
    ))
    .all(db)
    .await?;
    Ok(rows.into_iter().map(|row| ((row.what, row.channel), row.n)).collect())
}
