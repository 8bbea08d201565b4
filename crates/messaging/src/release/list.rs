//! The list of drafts and sent messages.

use super::names::organizations_of;
use crate::{
    messages::{
        kinds::{self, Scope},
        list,
    },
    model::{Direction, Status, split_addresses},
    sealed::{Content, Summary},
    search_terms,
};
use chrono::{DateTime, Utc};
use platform::{
    App, Error, Member, Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, QueryFilter, Select, sea_query::ExprTrait};
use std::collections::{BTreeSet, HashMap};
use store::{
    dialect::passed_over,
    entities::{delivery, message},
    search::{self, Count},
};
use uuid::Uuid;

/// Default: by time, newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// By status, and newest first within a status.
    pub by_status: bool,
    pub ascending: bool,
}

impl Order {
    fn sorting(self) -> list::Sorting {
        let order = if self.ascending { sea_orm::Order::Asc } else { sea_orm::Order::Desc };
        if self.by_status {
            // Drafts are shown with the status "Saved", regardless of their row.
            let status = vec![(message::Column::IsDraft, order.clone()), (message::Column::Status, order)];
            [status, list::by_time(sea_orm::Order::Desc)].concat()
        } else {
            list::by_time(order)
        }
    }
}

pub struct Filter {
    pub is_draft: Option<bool>,
    pub statuses: Vec<Status>,
    pub text: String,
    pub since: Option<DateTime<Utc>>,
    /// Before this time.
    pub until: Option<DateTime<Utc>>,
    pub order: Order,
    pub behind: Option<list::Position>,
}

impl Filter {
    fn is_search(&self) -> bool {
        !search::words(&[&self.text]).is_empty()
    }

    /// Refuses orders that are not supported for searches or cursors.
    pub fn check(&self) -> Result<()> {
        if self.order != Order::default() && (self.is_search() || self.behind.is_some()) {
            return Err(Error::field(
                "orderBy",
                "Searches and pages after a cursor are always sorted by time, newest first.",
            ));
        }
        Ok(())
    }
}

/// A page and the total, counted up to [`COUNT_CAP`].
pub async fn page(
    app: &App,
    member: &Member,
    filter: &Filter,
    page: Page,
) -> Result<(Vec<message::Model>, Count)> {
    let db = app.store.db();
    if !filter.is_search() {
        let ranges = ranges(db, member, filter).await?;
        let sorting = filter.order.sorting();
        let behind = filter.behind.map(list::behind);
        let further = ranges.iter().cloned().map(|range| match &behind {
            Some(behind) => range.filter(behind.clone()),
            None => range,
        });
        let rows = list::page(db, further.collect::<Vec<_>>(), &sorting, page.offset(), page.size);
        let (counts, rows) = tokio::try_join!(list::counts(db, vec![ranges]), rows)?;
        let counted = counts.into_iter().sum::<u64>();
        return Ok((rows, Count::up_to(COUNT_CAP, counted)));
    }
    let named = |column| passed_over(db.get_database_backend(), column);
    let mut condition = Condition::all();
    if let Some(is_draft) = filter.is_draft {
        condition = condition.add(named(message::Column::IsDraft).eq(is_draft));
    }
    if !filter.statuses.is_empty() {
        condition = condition.add(named(message::Column::Status).is_in(filter.statuses.clone()));
    }
    let key = app.keys.data_key(member.organization_id).await?;
    let search = search::Search {
        organization_id: member.organization_id,
        direction: Direction::Release,
        text: search_terms::asked(&filter.text),
        alike: search_terms::anywhere,
        filter: condition,
        since: filter.since,
        until: filter.until,
        before: filter.behind,
        offset: page.offset(),
        limit: page.size,
    };
    let (found, count) = search::find_counted(db, &key, &search, COUNT_CAP).await?;
    Ok((list::rows(db, &found.ids).await?, count))
}

/// Drafts and sent messages. They are read by kind if filtered or sorted by status, so that each range is contiguous in
/// an index.
async fn ranges(
    db: &impl ConnectionTrait,
    member: &Member,
    filter: &Filter,
) -> Result<Vec<Select<message::Entity>>> {
    let (organization_id, direction) = (member.organization_id, Direction::Release);
    let span = Condition::all()
        .add_option(filter.since.map(|since| message::Column::ReceivedAt.gte(since)))
        .add_option(filter.until.map(|until| message::Column::ReceivedAt.lt(until)));
    let all = member.tenant().messages().filter(message::Column::Direction.eq(direction)).filter(span);
    let mut ranges = Vec::new();
    for is_draft in filter.is_draft.map_or(vec![false, true], |is_draft| vec![is_draft]) {
        let rows = all.clone().filter(message::Column::IsDraft.eq(is_draft));
        if filter.statuses.is_empty() && !filter.order.by_status {
            ranges.push(rows);
            continue;
        }
        let kinds = kinds::kinds(db, Scope { organization_id, direction, is_draft }).await?;
        let is_wanted = |status| filter.statuses.is_empty() || filter.statuses.contains(status);
        let wanted = kinds.iter().filter(|kind| is_wanted(&kind.status));
        ranges.extend(wanted.map(|kind| kind.range(rows.clone())));
    }
    Ok(ranges)
}

/// Decrypted summaries of rows.
pub async fn summaries(
    app: &App,
    member: &Member,
    rows: &[message::Model],
) -> Result<Vec<(Summary, Content)>> {
    let key = app.keys.data_key(member.organization_id).await?;
    rows.iter().map(|m| Ok((Summary::open(&key, m)?, Content::open(&key, m)?))).collect()
}

/// Names of recipients in a list: for sent messages, those at the time of sending; for drafts, the present ones.
pub struct KnownNames {
    sent: HashMap<(Uuid, String), String>,
    now: HashMap<String, String>,
}

/// The names of the recipients of rows, given the deliveries of sent ones.
pub async fn known_names(
    app: &App,
    rows: &[message::Model],
    deliveries: Vec<delivery::Model>,
) -> Result<KnownNames> {
    let drafts = rows.iter().filter(|m| m.is_draft).flat_map(|m| split_addresses(&m.to_address));
    let keys: BTreeSet<String> = drafts.map(|address| address.to_lowercase()).collect();
    let now = if keys.is_empty() { HashMap::new() } else { organizations_of(app.store.db(), keys).await? };
    let sent = deliveries.into_iter().map(|d| ((d.message_id, d.address.to_lowercase()), d.name)).collect();
    Ok(KnownNames { sent, now })
}

impl KnownNames {
    /// The name of each recipient of a message, in order; empty if unknown.
    pub fn of(&self, row: &message::Model) -> Vec<String> {
        let name = |address: String| {
            let key = address.to_lowercase();
            let found = if row.is_draft { self.now.get(&key) } else { self.sent.get(&(row.id, key)) };
            found.cloned().unwrap_or_default()
        };
        split_addresses(&row.to_address).into_iter().map(name).collect()
    }
}
