//! Database access of the fax log.

use super::types::{FaxDirection, FaxLogEntry, LoggedOutcome, ReceivedOutcome};
use crate::fax::{calls, numbers::queries::display};
use chrono::{DateTime, Utc};
use fax::Outcome;
use platform::{
    App, Result,
    csv::{Report, inert, time},
    http::Page,
    sql::capped_count,
};
use sea_orm::{
    ActiveEnum, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use std::{cmp::Reverse, collections::HashMap};
use store::entities::{
    document_source,
    fax_account::{self, ProviderKind},
    fax_attempt,
    fax_reception::{self, ReceptionState},
};
use uuid::Uuid;

pub struct Filter {
    pub organization_id: Uuid,
    pub direction: Option<FaxDirection>,
    pub outcome: Option<LoggedOutcome>,
    /// Digits of either number.
    pub number: Option<String>,
    pub start: Option<DateTime<Utc>>,
    pub end: Option<DateTime<Utc>>,
}

impl Filter {
    fn wants(&self, direction: FaxDirection) -> bool {
        self.direction.is_none_or(|wanted| wanted == direction)
    }

    fn sent(&self) -> Option<sea_orm::Select<fax_attempt::Entity>> {
        use fax_attempt::Column;
        if !self.wants(FaxDirection::Sent) {
            return None;
        }
        let mut rows = fax_attempt::Entity::find().filter(Column::OrganizationId.eq(self.organization_id));
        match self.outcome {
            None => {}
            Some(LoggedOutcome::Sent(outcome)) => rows = rows.filter(Column::Outcome.eq(outcome.as_str())),
            Some(LoggedOutcome::Received(_)) => return None,
        }
        if let Some(digits) = &self.number {
            let any = Condition::any();
            rows = rows
                .filter(any.add(Column::FromNumber.contains(digits)).add(Column::ToNumber.contains(digits)));
        }
        if let Some(start) = self.start {
            rows = rows.filter(Column::StartedAt.gte(start));
        }
        if let Some(end) = self.end {
            rows = rows.filter(Column::StartedAt.lt(end));
        }
        Some(rows)
    }

    fn received(&self) -> Option<sea_orm::Select<fax_reception::Entity>> {
        use fax_reception::Column;
        if !self.wants(FaxDirection::Received) {
            return None;
        }
        let mut rows = fax_reception::Entity::find().filter(Column::OrganizationId.eq(self.organization_id));
        match self.outcome {
            None => {}
            Some(LoggedOutcome::Received(outcome)) => {
                rows = rows.filter(match outcome {
                    ReceivedOutcome::Received => Column::Partial.is_null(),
                    ReceivedOutcome::Partial => Column::Partial.is_not_null(),
                    ReceivedOutcome::Unknown => Column::State.eq(ReceptionState::Unknown),
                });
            }
            Some(LoggedOutcome::Sent(_)) => return None,
        }
        if let Some(digits) = &self.number {
            let any = Condition::any();
            rows = rows.filter(any.add(Column::Called.contains(digits)).add(Column::Caller.contains(digits)));
        }
        if let Some(start) = self.start {
            rows = rows.filter(Column::ReceivedAt.gte(start));
        }
        if let Some(end) = self.end {
            rows = rows.filter(Column::ReceivedAt.lt(end));
        }
        Some(rows)
    }
}

/// Position of an entry in the log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    at: DateTime<Utc>,
    id: Uuid,
    is_received: bool,
}

/// A page of the log, newest first, and the total, counted up to one more than the cap.
pub async fn page(db: &impl ConnectionTrait, filter: &Filter, page: Page) -> Result<(Vec<FaxLogEntry>, u64)> {
    let mut counted = 0;
    if let Some(rows) = filter.sent() {
        counted += capped_count(db, rows).await?;
    }
    if let Some(rows) = filter.received() {
        counted += capped_count(db, rows).await?;
    }
    let places = places(db, filter, None, page.offset() + page.size).await?;
    let places = places.get(page.offset() as usize..).unwrap_or_default();
    Ok((entries(db, places).await?, counted))
}

/// The first positions of the log, or those after one, newest first.
async fn places(
    db: &impl ConnectionTrait,
    filter: &Filter,
    after: Option<Place>,
    most: u64,
) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    if let Some(rows) = filter.sent() {
        use fax_attempt::Column;
        let rows = ordered(rows, (Column::StartedAt, Column::Id), after, most).into_tuple().all(db).await?;
        places.extend(rows.into_iter().map(|(at, id)| Place { at, id, is_received: false }));
    }
    if let Some(rows) = filter.received() {
        use fax_reception::Column;
        let rows = ordered(rows, (Column::ReceivedAt, Column::Id), after, most).into_tuple().all(db).await?;
        places.extend(rows.into_iter().map(|(at, id)| Place { at, id, is_received: true }));
    }
    places.sort_unstable_by_key(|place| Reverse(*place));
    places.truncate(most as usize);
    Ok(places)
}

/// Time and id of rows, in index order.
fn ordered<E: EntityTrait>(
    rows: sea_orm::Select<E>,
    (at, id): (E::Column, E::Column),
    after: Option<Place>,
    most: u64,
) -> sea_orm::Select<E> {
    let rows = match after {
        None => rows,
        Some(after) => {
            rows.filter(at.lte(after.at)).filter(Condition::any().add(at.lt(after.at)).add(id.lt(after.id)))
        }
    };
    rows.select_only().columns([at, id]).order_by_desc(at).order_by_desc(id).limit(most)
}

/// The entries at these positions, in order.
async fn entries(db: &impl ConnectionTrait, places: &[Place]) -> Result<Vec<FaxLogEntry>> {
    let ids = |received: bool| places.iter().filter(move |p| p.is_received == received).map(|p| p.id);
    let sent = fax_attempt::Entity::find().filter(fax_attempt::Column::Id.is_in(ids(false))).all(db).await?;
    let received =
        fax_reception::Entity::find().filter(fax_reception::Column::Id.is_in(ids(true))).all(db).await?;
    let sent = sent.into_iter().map(of_attempt).collect::<Result<Vec<_>>>()?;
    let received = of_receptions(db, received).await?;
    let mut found: HashMap<Uuid, FaxLogEntry> =
        sent.into_iter().chain(received).map(|entry| (entry.id, entry)).collect();
    Ok(places.iter().filter_map(|place| found.remove(&place.id)).collect())
}

/// Number of entries in one chunk of a file.
const CHUNK: u64 = 200;

/// The whole log as a file.
pub struct FaxLog {
    filter: Filter,
    after: Option<Place>,
    is_at_end: bool,
}

impl FaxLog {
    pub fn new(filter: Filter) -> Self {
        Self { filter, after: None, is_at_end: false }
    }
}

impl Report<14> for FaxLog {
    const COLUMNS: [&'static str; 14] = [
        "Time",
        "Direction",
        "Own number",
        "Other number",
        "Other machine",
        "Attempt",
        "Provider",
        "Line",
        "Pages",
        "Of pages",
        "Rate",
        "Seconds",
        "Outcome",
        "Words",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 14]>>> {
        if self.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let places = places(db, &self.filter, self.after, CHUNK).await?;
        self.after = places.last().copied();
        self.is_at_end = (places.len() as u64) < CHUNK;
        Ok(Some(entries(db, &places).await?.iter().map(line).collect()))
    }
}

fn of_attempt(row: fax_attempt::Model) -> Result<FaxLogEntry> {
    let outcome = calls::outcome_of(&row)?;
    let ours = outcome.map_or("", Outcome::words);
    let words = match (ours, row.words.trim()) {
        (ours, "") => ours.to_owned(),
        (ours, theirs) => format!("{ours} ({theirs})"),
    };
    Ok(FaxLogEntry {
        id: row.id,
        direction: FaxDirection::Sent,
        at: row.started_at,
        own_number: display(&row.from_number),
        other_number: display(&row.to_number),
        other_id: row.remote_id.unwrap_or_default(),
        attempt: Some(row.number),
        provider: Some(row.provider),
        line: row.line,
        pages: Some(row.confirmed_pages),
        of_pages: Some(row.pages),
        rate: row.rate,
        seconds: row.seconds,
        outcome: outcome.map(LoggedOutcome::Sent),
        words,
        message_id: Some(row.message_id),
    })
}

async fn of_receptions(
    db: &impl ConnectionTrait,
    rows: Vec<fax_reception::Model>,
) -> Result<Vec<FaxLogEntry>> {
    let sources = document_source::Entity::find()
        .filter(document_source::Column::Id.is_in(rows.iter().filter_map(|r| r.document_source_id)))
        .all(db)
        .await?;
    let own: HashMap<Uuid, String> = sources.into_iter().map(|s| (s.id, s.address)).collect();
    let accounts = fax_account::Entity::find()
        .filter(fax_account::Column::Id.is_in(rows.iter().map(|r| r.account_id)))
        .all(db)
        .await?;
    let providers: HashMap<Uuid, ProviderKind> = accounts.into_iter().map(|a| (a.id, a.provider)).collect();
    Ok(rows
        .into_iter()
        .map(|row| {
            let is_unknown = row.state == ReceptionState::Unknown;
            let outcome = if is_unknown {
                ReceivedOutcome::Unknown
            } else if row.partial.is_some() {
                ReceivedOutcome::Partial
            } else {
                ReceivedOutcome::Received
            };
            let own = row.document_source_id.and_then(|id| own.get(&id).cloned()).or(row.called);
            let unknown = "The dialled number is unknown. The operator decides whose fax it is.";
            let words = if is_unknown { Some(unknown.to_owned()) } else { row.partial };
            FaxLogEntry {
                id: row.id,
                direction: FaxDirection::Received,
                at: row.received_at,
                own_number: own.as_deref().map(display).unwrap_or_default(),
                other_number: row.caller.as_deref().map(display).unwrap_or_default(),
                other_id: row.sender_id.unwrap_or_default(),
                attempt: None,
                provider: providers.get(&row.account_id).copied(),
                line: row.line,
                pages: row.pages,
                of_pages: None,
                rate: row.rate,
                seconds: row.seconds,
                outcome: Some(LoggedOutcome::Received(outcome)),
                words: words.unwrap_or_default(),
                message_id: row.message_id,
            }
        })
        .collect())
}

/// Escapes names of other machines, so that they are not run as formulas.
fn line(entry: &FaxLogEntry) -> [String; 14] {
    let number = |n: Option<i32>| n.map(|n| n.to_string()).unwrap_or_default();
    [
        time(entry.at),
        entry.direction.name().to_owned(),
        inert(&entry.own_number),
        inert(&entry.other_number),
        inert(&entry.other_id),
        number(entry.attempt),
        entry.provider.map(|provider| provider.to_value()).unwrap_or_default(),
        inert(entry.line.as_deref().unwrap_or_default()),
        number(entry.pages),
        number(entry.of_pages),
        number(entry.rate),
        number(entry.seconds),
        entry.outcome.map_or("", LoggedOutcome::name).to_owned(),
        inert(&entry.words),
    ]
}
