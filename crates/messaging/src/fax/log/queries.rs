//! The fax log in the database.

use super::http::{FaxDirection, FaxLogEntry};
use crate::fax::{arrivals::state, numbers::queries::display};
use chrono::{DateTime, SecondsFormat, Utc};
use fax::Outcome;
use platform::{Error, Result, http::COUNT_CAP};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use std::{cmp::Reverse, collections::HashMap};
use store::entities::{document_source, fax_account, fax_attempt, fax_reception};
use uuid::Uuid;

pub struct Filter {
    pub organization_id: Uuid,
    pub direction: Option<FaxDirection>,
    pub outcome: Option<String>,
    /// Digits of either number.
    pub number: Option<String>,
    pub start: Option<DateTime<Utc>>,
    pub end: Option<DateTime<Utc>>,
}

const RECEIVED: &str = "Received";
const PARTIAL: &str = "Partial";

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
        if let Some(outcome) = &self.outcome {
            rows = rows.filter(Column::Outcome.eq(outcome));
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
        match self.outcome.as_deref() {
            None => {}
            Some(RECEIVED) => rows = rows.filter(Column::Partial.is_null()),
            Some(PARTIAL) => rows = rows.filter(Column::Partial.is_not_null()),
            Some(state::UNKNOWN) => rows = rows.filter(Column::State.eq(state::UNKNOWN)),
            Some(_) => return None,
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

/// Some rows of the log, newest first, and how many there are.
pub async fn page(
    db: &impl ConnectionTrait,
    filter: &Filter,
    offset: u64,
    size: u64,
) -> Result<(Vec<FaxLogEntry>, u64)> {
    let (sent, received) = (filter.sent(), filter.received());
    let mut counted = 0;
    if let Some(rows) = sent.clone() {
        counted += rows.count(db).await?;
    }
    if let Some(rows) = received.clone() {
        counted += rows.count(db).await?;
    }
    let mut entries = newest(db, sent, received, offset + size).await?;
    let entries = entries.drain(..).skip(offset as usize).take(size as usize).collect();
    Ok((entries, counted))
}

/// The log as far as it is counted.
pub async fn all(db: &impl ConnectionTrait, filter: &Filter) -> Result<Vec<FaxLogEntry>> {
    newest(db, filter.sent(), filter.received(), COUNT_CAP).await
}

async fn newest(
    db: &impl ConnectionTrait,
    sent: Option<sea_orm::Select<fax_attempt::Entity>>,
    received: Option<sea_orm::Select<fax_reception::Entity>>,
    most: u64,
) -> Result<Vec<FaxLogEntry>> {
    let mut entries = Vec::new();
    if let Some(rows) = sent {
        use fax_attempt::Column;
        let rows =
            rows.order_by_desc(Column::StartedAt).order_by_desc(Column::Id).limit(most).all(db).await?;
        entries.extend(rows.into_iter().map(of_attempt));
    }
    if let Some(rows) = received {
        use fax_reception::Column;
        let rows =
            rows.order_by_desc(Column::ReceivedAt).order_by_desc(Column::Id).limit(most).all(db).await?;
        entries.extend(of_receptions(db, rows).await?);
    }
    entries.sort_by_key(|entry| Reverse((entry.at, entry.id)));
    entries.truncate(most as usize);
    Ok(entries)
}

fn of_attempt(row: fax_attempt::Model) -> FaxLogEntry {
    let ours = row.outcome.as_deref().and_then(Outcome::from_name).map(Outcome::words).unwrap_or_default();
    let words = match (ours, row.words.trim()) {
        (ours, "") => ours.to_owned(),
        (ours, theirs) => format!("{ours} ({theirs})"),
    };
    FaxLogEntry {
        id: row.id,
        direction: FaxDirection::Sent,
        at: row.started_at,
        own_number: display(&row.from_number),
        other_number: display(&row.to_number),
        other_id: row.remote_id.unwrap_or_default(),
        attempt: Some(row.number),
        provider: row.provider,
        line: row.line,
        pages: Some(row.confirmed_pages),
        of_pages: Some(row.pages),
        rate: row.rate,
        seconds: row.seconds,
        outcome: row.outcome,
        words,
        message_id: Some(row.message_id),
    }
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
    let providers: HashMap<Uuid, String> = accounts.into_iter().map(|a| (a.id, a.provider)).collect();
    Ok(rows
        .into_iter()
        .map(|row| {
            let is_unknown = row.state == state::UNKNOWN;
            let outcome = if is_unknown {
                state::UNKNOWN
            } else if row.partial.is_some() {
                PARTIAL
            } else {
                RECEIVED
            };
            let own = row.document_source_id.and_then(|id| own.get(&id).cloned()).or(row.called);
            let unknown = "Nobody has the number that was dialled; the operator decides whose fax it is.";
            let words = if is_unknown { Some(unknown.to_owned()) } else { row.partial };
            FaxLogEntry {
                id: row.id,
                direction: FaxDirection::Received,
                at: row.received_at,
                own_number: own.as_deref().map(display).unwrap_or_default(),
                other_number: row.caller.as_deref().map(display).unwrap_or_default(),
                other_id: row.sender_id.unwrap_or_default(),
                attempt: None,
                provider: providers.get(&row.account_id).cloned().unwrap_or_default(),
                line: row.line,
                pages: row.pages,
                of_pages: None,
                rate: row.rate,
                seconds: row.seconds,
                outcome: Some(outcome.into()),
                words: words.unwrap_or_default(),
                message_id: row.message_id,
            }
        })
        .collect())
}

const COLUMNS: [&str; 14] = [
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

/// The log as a table. What other machines say of themselves is text, not a formula.
pub fn csv(rows: &[FaxLogEntry]) -> Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(COLUMNS).map_err(Error::internal)?;
    let number = |n: Option<i32>| n.map(|n| n.to_string()).unwrap_or_default();
    for row in rows {
        let fields = [
            row.at.to_rfc3339_opts(SecondsFormat::Secs, true),
            format!("{:?}", row.direction),
            plain(&row.own_number),
            plain(&row.other_number),
            plain(&row.other_id),
            number(row.attempt),
            row.provider.clone(),
            plain(row.line.as_deref().unwrap_or_default()),
            number(row.pages),
            number(row.of_pages),
            number(row.rate),
            number(row.seconds),
            row.outcome.clone().unwrap_or_default(),
            plain(&row.words),
        ];
        table.write_record(fields).map_err(Error::internal)?;
    }
    table.into_inner().map_err(Error::internal)
}

/// A cell that no spreadsheet takes for a formula.
fn plain(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}
