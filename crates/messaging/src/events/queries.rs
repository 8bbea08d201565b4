//! Database access of events. Each event type of an organization is a range of an index in order of time, so that no
//! rows are read in vain and the cost does not grow with the history.

use super::types::{EventCount, MessageEvent};
use crate::{
    messages::{list, rules::PRINTED},
    model::{Direction, SourceType},
    sealed::Summary,
};
use chrono::{DateTime, Duration, Utc};
use platform::{
    App, Result,
    csv::{Report, inert, time},
    http::{COUNT_CAP, Page},
    sql::capped_count,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Order,
    QueryFilter, QueryOrder, QuerySelect, Select,
};
use std::collections::HashMap;
use store::{
    Transaction,
    batching::BatchedWrites,
    entities::{
        message,
        message_event::{ActiveModel, Column, Entity, EventType, Model},
    },
    tenant::Tenant,
};
use uuid::Uuid;

/// The message of an event.
#[derive(Clone, Copy)]
pub struct About {
    pub organization_id: Uuid,
    pub message_id: Uuid,
}

impl From<&message::Model> for About {
    fn from(row: &message::Model) -> Self {
        Self { organization_id: row.organization_id, message_id: row.id }
    }
}

impl From<&store::entities::delivery::Model> for About {
    fn from(row: &store::entities::delivery::Model) -> Self {
        Self { organization_id: row.organization_id, message_id: row.message_id }
    }
}

/// Records an event of a message, in the transaction of the action. Without a user for actions of the product or of
/// another system.
pub async fn add(
    txn: &Transaction,
    about: impl Into<About>,
    kind: EventType,
    at: DateTime<Utc>,
    user: Option<(Uuid, &str)>,
) -> Result<(), DbErr> {
    let About { organization_id, message_id } = about.into();
    let event = ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization_id),
        message_id: Set(message_id),
        event_type: Set(kind),
        at: Set(at),
        user_id: Set(user.map(|u| u.0)),
        user_name: Set(user.map(|u| u.1.to_owned()).unwrap_or_default()),
    };
    txn.later(Entity::insert(event)).await?;
    webhooks::announce(txn, webhooks::About { organization_id, message_id, kind, at }).await
}

/// Records that somebody processed a message and, unless it was printed, that it was exported: its files left the
/// product.
pub async fn add_processed(
    txn: &Transaction,
    row: &message::Model,
    at: DateTime<Utc>,
    user: Option<(Uuid, &str)>,
) -> Result<(), DbErr> {
    if row.processed_type.as_deref().is_some_and(|made_into| made_into != PRINTED) {
        add(txn, row, EventType::Exported, at, user).await?;
    }
    add(txn, row, EventType::Processed, at, user).await
}

/// Filter of events.
pub struct Filter {
    pub tenant: Tenant,
    pub kinds: Vec<EventType>,
    pub start: DateTime<Utc>,
    /// Inclusive, to the millisecond, the precision of browsers.
    pub end: DateTime<Utc>,
    /// Only events of this message.
    pub message_id: Option<Uuid>,
    /// Only events by this person.
    pub user_id: Option<Uuid>,
}

/// Position of an event in the list.
type Place = (DateTime<Utc>, Uuid);

impl Filter {
    fn of_kind(&self, kind: EventType) -> Self {
        Self { kinds: vec![kind], tenant: self.tenant.clone(), ..*self }
    }

    /// All matching events of any type before a time.
    fn events(&self, end: DateTime<Utc>) -> Select<Entity> {
        let of_one = Condition::all()
            .add_option(self.message_id.map(|id| Column::MessageId.eq(id)))
            .add_option(self.user_id.map(|id| Column::UserId.eq(id)));
        Entity::find()
            .filter(Column::OrganizationId.eq(self.tenant.0))
            .filter(Column::At.gte(self.start))
            .filter(Column::At.lt(end))
            .filter(of_one)
            .filter(self.tenant.of_readable(Column::MessageId))
    }

    /// Events after a position: one range for each type, or a single range if a message or person has its own index.
    fn ranges(&self, behind: Option<Place>) -> Vec<Select<Entity>> {
        let end = self.end + Duration::milliseconds(1);
        // SQLite uses only one condition for the end of a range.
        let end = behind.map_or(end, |(at, _)| end.min(at + Duration::microseconds(1)));
        let rest = |(at, id): Place| Condition::any().add(Column::At.lt(at)).add(Column::Id.lt(id));
        let events = self.events(end).filter(Condition::all().add_option(behind.map(rest)));
        if self.message_id.is_some() || self.user_id.is_some() {
            return vec![events.filter(Column::EventType.is_in(self.kinds.iter().copied()))];
        }
        self.kinds.iter().map(|kind| events.clone().filter(Column::EventType.eq(*kind))).collect()
    }

    /// The events after a position, newest first.
    async fn read(
        &self,
        db: &impl ConnectionTrait,
        behind: Option<Place>,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<Model>> {
        let sorting = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];
        let ids = list::ids_of_page(self.ranges(behind), Column::Id, &sorting, offset, limit);
        let Some(ids) = ids else { return Ok(Vec::new()) };
        let ids = list::read_ids(db, &ids).await?;
        let rows = Entity::find().filter(Column::Id.is_in(ids));
        Ok(rows.order_by_desc(Column::At).order_by_desc(Column::Id).all(db).await?)
    }

    async fn count(&self, db: &impl ConnectionTrait) -> Result<u64> {
        let rows = self.events(self.end + Duration::milliseconds(1));
        Ok(capped_count(db, rows.filter(Column::EventType.is_in(self.kinds.iter().copied()))).await?)
    }
}

/// Number of events of each type.
pub async fn statistics(db: &impl ConnectionTrait, filter: &Filter) -> Result<Vec<EventCount>> {
    let mut counts = Vec::new();
    for kind in &filter.kinds {
        let counted = filter.of_kind(*kind).count(db).await?;
        let (count, is_capped) = (counted.min(COUNT_CAP), counted > COUNT_CAP);
        counts.push(EventCount { event_type: kind.to_string(), count, is_capped });
    }
    Ok(counts)
}

/// A page, newest first, and the total, counted up to one more than the cap.
pub async fn page(app: &App, filter: &Filter, page: Page) -> Result<(Vec<MessageEvent>, u64)> {
    let db = app.store.db();
    let counted = filter.count(db).await?;
    let events = filter.read(db, None, page.offset(), page.size).await?;
    let key = app.keys.data_key(filter.tenant.0).await?;
    let ids: Vec<Uuid> = events.iter().map(|e| e.message_id).collect();
    let messages: HashMap<Uuid, message::Model> =
        list::by_ids(&ids).all(db).await?.into_iter().map(|m| (m.id, m)).collect();
    let views = events.into_iter().filter_map(|event| {
        let message = messages.get(&event.message_id)?;
        let subject = match message.deleted_at {
            Some(_) => Ok(String::new()),
            None => Summary::open(&key, message).map(|summary| summary.subject),
        };
        Some(subject.map(|subject| view(event, message, subject)))
    });
    Ok((views.collect::<Result<_>>()?, counted))
}

fn view(event: Model, message: &message::Model, subject: String) -> MessageEvent {
    let direction = message.direction;
    MessageEvent {
        id: event.id,
        event_type: event.event_type.to_string(),
        at: event.at,
        message_id: event.message_id,
        direction,
        source_type: source_of(direction, message.source_type),
        from_address: message.from_address.clone(),
        to_address: message.to_address.clone(),
        subject,
        is_deleted: message.deleted_at.is_some(),
        user_name: event.user_name,
    }
}

/// Sent messages have no source.
fn source_of(direction: Direction, source_type: SourceType) -> Option<SourceType> {
    (direction == Direction::Intake).then_some(source_type)
}

/// Number of events in one chunk of a file.
const CHUNK: u64 = 1_000;

/// The newest events, up to a maximum.
pub struct EventsReport {
    filter: Filter,
    left: u64,
    behind: Option<Place>,
}

impl EventsReport {
    pub fn new(filter: Filter, size: u64) -> Self {
        Self { filter, left: size, behind: None }
    }
}

impl Report<8> for EventsReport {
    const COLUMNS: [&'static str; 8] =
        ["Time", "Event", "Direction", "Source", "From", "To", "User", "Message ID"];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 8]>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let (db, limit) = (app.store.db(), self.left.min(CHUNK));
        let events = self.filter.read(db, self.behind, 0, limit).await?;
        let is_last = (events.len() as u64) < limit;
        self.left = if is_last { 0 } else { self.left - limit };
        self.behind = events.last().map(|e| (e.at, e.id));
        Ok(Some(lines_of(db, &events).await?))
    }
}

/// Message data in a line of the report: neither subject nor patient, which are sealed.
#[derive(FromQueryResult)]
struct Known {
    id: Uuid,
    direction: Direction,
    source_type: SourceType,
    from_address: String,
    to_address: String,
}

async fn lines_of(db: &impl ConnectionTrait, events: &[Model]) -> Result<Vec<[String; 8]>> {
    use message::Column::{Direction, FromAddress, Id, SourceType, ToAddress};
    let ids: Vec<Uuid> = events.iter().map(|e| e.message_id).collect();
    let known: Vec<Known> = list::by_ids(&ids)
        .select_only()
        .columns([Id, Direction, SourceType, FromAddress, ToAddress])
        .into_model()
        .all(db)
        .await?;
    let known: HashMap<Uuid, Known> = known.into_iter().map(|m| (m.id, m)).collect();
    Ok(events.iter().filter_map(|event| Some(line(event, known.get(&event.message_id)?))).collect())
}

/// Escapes texts from other people, so that they are not run as formulas.
fn line(event: &Model, message: &Known) -> [String; 8] {
    let direction = message.direction;
    [
        time(event.at),
        event.event_type.to_string(),
        direction.to_string(),
        source_of(direction, message.source_type).map_or_else(String::new, |source| source.to_string()),
        inert(&message.from_address),
        inert(&message.to_address),
        inert(&event.user_name),
        message.id.to_string(),
    ]
}
