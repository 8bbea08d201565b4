//! The report on the events of messages, over all organizations.

use super::{
    queries::{PIECE, names_of},
    types::EventsQuery,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Error, Result,
    csv::{Report, inert, time},
    fields::{DEFAULT_FIELD_ERROR, FieldErrors},
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Value, json};
use std::collections::HashMap;
use store::entities::{
    message,
    message_event::{self, EventType},
};
use uuid::Uuid;

const SIZE: u64 = 10_000;
/// The largest number of two digits.
const PAGES: u64 = 99;
/// Error for missing, future and reversed dates.
const DATES: &str = "Start Date must be smaller or equal than End Date.";
/// `message.direction`.
const INTAKE: i16 = 0;

/// Page of the report.
#[derive(Debug)]
pub struct Span {
    start: DateTime<Utc>,
    end: DateTime<Utc>,
    kinds: Vec<EventType>,
    page: u64,
    size: u64,
}

impl Span {
    /// Details for the audit trail.
    pub fn detail(&self) -> Value {
        let kinds: Vec<String> = self.kinds.iter().map(ToString::to_string).collect();
        json!({ "start": self.start, "end": self.end, "page": self.page, "eventTypes": kinds })
    }
}

/// The period between two dates. Errors are added to their fields.
fn dates(
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    fields: [&str; 2],
    errors: &mut FieldErrors,
) -> (DateTime<Utc>, DateTime<Utc>) {
    let (from, until) = (start.unwrap_or(now), end.unwrap_or(now));
    errors.require(start.is_some() && from <= now && from <= until, fields[0], DATES);
    // In the caller's time zone, today may end later.
    errors.require(end.is_some() && until <= now + Duration::days(1), fields[1], DATES);
    (from, until)
}

/// The period between two dates, or all errors.
pub fn checked_dates(
    start: Option<DateTime<Utc>>,
    end: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    fields: [&str; 2],
) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
    let mut errors = FieldErrors::default();
    let span = dates(start, end, now, fields, &mut errors);
    errors.check()?;
    Ok(span)
}

/// Checks the request, and returns all its errors at once.
pub fn checked(query: &EventsQuery, now: DateTime<Utc>) -> Result<Span> {
    let mut errors = FieldErrors::default();
    let (start, end) = dates(query.start, query.end, now, ["start", "end"], &mut errors);
    let page = query.page_number.unwrap_or_default();
    errors.require((1..=PAGES).contains(&page), "pageNumber", DEFAULT_FIELD_ERROR);
    let size = query.page_size.unwrap_or(SIZE);
    errors.require((1..=SIZE).contains(&size), "pageSize", DEFAULT_FIELD_ERROR);
    let kinds = EventType::listed(query.event_types.as_deref().unwrap_or_default());
    errors.require(kinds.is_some(), "eventTypes", DEFAULT_FIELD_ERROR);
    errors.check()?;
    Ok(Span { start, end, kinds: kinds.unwrap_or_default(), page, size })
}

/// A page of the report, newest first.
pub struct Events {
    span: Span,
    left: u64,
    /// Position of the last event that was read.
    behind: Option<(DateTime<Utc>, Uuid)>,
}

impl Events {
    pub fn new(span: Span) -> Self {
        Self { left: span.size, span, behind: None }
    }

    /// All events of a period.
    pub fn all((start, end): (DateTime<Utc>, DateTime<Utc>)) -> Self {
        let kinds = EventType::listed("").unwrap_or_default();
        Self::new(Span { start, end, kinds, page: 1, size: u64::MAX })
    }

    /// Reads along the index on the time of all events. Only the first piece skips pages, reading only the index.
    async fn read(&self, db: &impl ConnectionTrait, limit: u64) -> Result<Vec<message_event::Model>> {
        use message_event::Column::{At, EventType, Id};
        let Span { start, end, kinds, page, size } = &self.span;
        let until = *end + Duration::milliseconds(1);
        let (until, offset) = match self.behind {
            Some((at, _)) => (until.min(at + Duration::microseconds(1)), 0),
            None => (until, (page - 1) * size),
        };
        let rest = |(at, id): (DateTime<Utc>, Uuid)| Condition::any().add(At.lt(at)).add(Id.lt(id));
        let ids: Vec<Uuid> = message_event::Entity::find()
            .filter(At.gte(*start))
            .filter(At.lt(until))
            .filter(Condition::all().add_option(self.behind.map(rest)))
            .filter(EventType.is_in(kinds.iter().copied()))
            .order_by_desc(At)
            .order_by_desc(Id)
            .select_only()
            .column(Id)
            .offset(offset)
            .limit(limit)
            .into_tuple()
            .all(db)
            .await?;
        let rows = message_event::Entity::find().filter(Id.is_in(ids));
        Ok(rows.order_by_desc(At).order_by_desc(Id).all(db).await?)
    }
}

impl Report<7> for Events {
    const COLUMNS: [&'static str; 7] =
        ["Time", "Event", "Organization ID", "Organization", "Direction", "User", "Message ID"];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 7]>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let (db, limit) = (app.store.db(), self.left.min(PIECE));
        let events = self.read(db, limit).await?;
        let is_last = (events.len() as u64) < limit;
        self.left = if is_last { 0 } else { self.left - limit };
        self.behind = events.last().map(|e| (e.at, e.id));
        Ok(Some(lines(db, events).await?))
    }
}

async fn lines(
    db: &impl ConnectionTrait,
    events: Vec<message_event::Model>,
) -> Result<Vec<[String; 7]>, Error> {
    let names = names_of(db, events.iter().map(|e| e.organization_id)).await?;
    let directions: HashMap<Uuid, i16> = message::Entity::find()
        .filter(message::Column::Id.is_in(events.iter().map(|e| e.message_id)))
        .select_only()
        .columns([message::Column::Id, message::Column::Direction])
        .into_tuple::<(Uuid, i16)>()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let direction = |id: &Uuid| match directions.get(id) {
        Some(&INTAKE) => "Intake",
        Some(_) => "Release",
        None => "",
    };
    let line = |event: message_event::Model| {
        [
            time(event.at),
            event.event_type.to_string(),
            event.organization_id.to_string(),
            names.get(&event.organization_id).map(|name| inert(name)).unwrap_or_default(),
            direction(&event.message_id).into(),
            inert(&event.user_name),
            event.message_id.to_string(),
        ]
    };
    Ok(events.into_iter().map(line).collect())
}
