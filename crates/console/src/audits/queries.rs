//! Reads the trail of all organizations along its index on time, or on the person.

use super::{rules::Span, types::AuditRecord};
use crate::reports::queries::{PIECE, names_of};
use chrono::{DateTime, Utc};
use platform::{
    App, Result,
    audit::Reader,
    csv::{Report, inert, time},
    fields::user_name_key,
    http::{Page, Paged},
    sql::{self, begins_with, holds},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select,
};
use std::collections::{BTreeSet, HashMap};
use store::entities::{
    app_user,
    audit_entry::{Column, Entity, Model},
    service_account,
};
use uuid::Uuid;

/// Maximum number of accounts that match the beginning of a user name.
const ACCOUNTS_MAX: u64 = 20;

/// A page of entries, newest first.
pub async fn page(app: &App, span: &Span, page: Page) -> Result<Paged<AuditRecord>> {
    let db = app.store.db();
    let rows = found(db, span).await?;
    let newest = [(Column::At, Order::Desc), (Column::Id, Order::Desc)];
    let Paged { items, total_count, total_is_capped } = sql::page(db, rows, &newest, page).await?;
    Ok(Paged { items: records(app, items).await?, total_count, total_is_capped })
}

async fn found(db: &impl ConnectionTrait, span: &Span) -> Result<Select<Entity>> {
    let mut rows = Entity::find().filter(Column::At.gte(span.start)).filter(Column::At.lt(span.end));
    if !span.username.is_empty() {
        rows = rows.filter(of_somebody(db, span).await?);
    }
    if !span.events.is_empty() {
        rows = rows.filter(Column::EventType.is_in(span.events.iter().copied()));
    }
    let places = [Column::Detail, Column::ObjectType, Column::ObjectId, Column::ActorName, Column::EventType];
    let word =
        |word: &String| places.iter().fold(Condition::any(), |any, place| any.add(holds(*place, word)));
    Ok(rows.filter(span.words.iter().fold(Condition::all(), |all, next| all.add(word(next)))))
}

/// Entries of the accounts whose user names begin with a text. Entries are immutable, so they hold no user names.
async fn of_somebody(db: &impl ConnectionTrait, span: &Span) -> Result<Condition> {
    let key = user_name_key(&span.username);
    let mut ids: Vec<Uuid> = app_user::Entity::find()
        .filter(begins_with(db, app_user::Column::UserNameKey, &key))
        .order_by_asc(app_user::Column::UserNameKey)
        .limit(ACCOUNTS_MAX)
        .select_only()
        .column(app_user::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let systems: Vec<Uuid> = service_account::Entity::find()
        .filter(service_account::Column::ClientId.eq(span.username.as_str()))
        .limit(1)
        .select_only()
        .column(service_account::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    ids.extend(systems);
    if ids.is_empty() {
        // There is no index on names.
        span.require_short()?;
        return Ok(Condition::all().add(Column::ActorName.eq(span.username.as_str())));
    }
    Ok(Condition::all().add(Column::ActorId.is_in(ids)))
}

async fn records(app: &App, rows: Vec<Model>) -> Result<Vec<AuditRecord>> {
    let db = app.store.db();
    let accounts = user_names(db, rows.iter().filter_map(|row| row.actor_id)).await?;
    let organizations = names_of(db, rows.iter().filter_map(|row| row.organization_id)).await?;
    let objects = app.audited.find(db, Reader::Operator, &rows).await?;
    let record = |row: Model| AuditRecord {
        object_name: objects.of(&row).name,
        id: row.id,
        created_by: row
            .actor_id
            .and_then(|id| accounts.get(&id).cloned())
            .unwrap_or_else(|| row.actor_name.clone()),
        full_name: row.actor_name,
        event_type: row.event_type,
        event_data: if row.detail == "null" { String::new() } else { row.detail },
        timestamp: row.at,
        organization_name: row.organization_id.and_then(|id| organizations.get(&id).cloned()),
        organization_id: row.organization_id,
        object_type: row.object_type,
        object_id: row.object_id,
        succeeded: row.outcome == "Success",
        source_ip: row.source_ip,
    };
    Ok(rows.into_iter().map(record).collect())
}

/// The user names of people and systems.
async fn user_names(
    db: &impl ConnectionTrait,
    ids: impl Iterator<Item = Uuid>,
) -> Result<HashMap<Uuid, String>> {
    let ids: BTreeSet<Uuid> = ids.collect();
    let people = accounts::user_name::names_of(db, ids.iter().copied()).await?;
    let systems: Vec<(Uuid, String)> = service_account::Entity::find()
        .filter(service_account::Column::Id.is_in(ids))
        .select_only()
        .columns([service_account::Column::Id, service_account::Column::ClientId])
        .into_tuple()
        .all(db)
        .await?;
    Ok(people.into_iter().chain(systems).collect())
}

/// All entries of a search, newest first.
pub struct Entries {
    span: Span,
    /// Position of the last entry that was read.
    behind: Option<(DateTime<Utc>, Uuid)>,
    is_at_end: bool,
}

impl Entries {
    pub fn new(span: Span) -> Self {
        Self { span, behind: None, is_at_end: false }
    }
}

impl Report<11> for Entries {
    const COLUMNS: [&'static str; 11] = [
        "Time",
        "User",
        "Name",
        "Event",
        "Data",
        "Organization",
        "Object type",
        "Object",
        "Object ID",
        "Outcome",
        "Address",
    ];

    async fn next(&mut self, app: &App) -> Result<Option<Vec<[String; 11]>>> {
        if self.is_at_end {
            return Ok(None);
        }
        let db = app.store.db();
        let mut rows = found(db, &self.span).await?;
        if let Some((at, id)) = self.behind {
            // The first condition matches the beginning of the index.
            rows = rows
                .filter(Column::At.lte(at))
                .filter(Condition::any().add(Column::At.lt(at)).add(Column::Id.lt(id)));
        }
        let piece = rows.order_by_desc(Column::At).order_by_desc(Column::Id).limit(PIECE).all(db).await?;
        self.is_at_end = (piece.len() as u64) < PIECE;
        self.behind = piece.last().map(|row| (row.at, row.id));
        Ok(Some(records(app, piece).await?.into_iter().map(line).collect()))
    }
}

fn line(record: AuditRecord) -> [String; 11] {
    let outcome = if record.succeeded { "Success" } else { "Failure" };
    [
        time(record.timestamp),
        inert(&record.created_by),
        inert(&record.full_name),
        record.event_type,
        inert(&record.event_data),
        inert(&record.organization_name.unwrap_or_default()),
        record.object_type,
        inert(&record.object_name),
        inert(&record.object_id),
        outcome.to_owned(),
        record.source_ip,
    ]
}
