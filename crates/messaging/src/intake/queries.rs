//! The Intake's rows: filtered, searched, paged. Every query walks an index in the order of the list and stops after
//! the page, so that its cost does not grow with the history.

use super::http::ListRequest;
use crate::{
    messages::{list, view::before},
    model::{Direction, SourceType, Status},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use platform::{
    App, Error, Member, Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{
    ColumnTrait, Condition, Order, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, ExprTrait},
};
use std::collections::BTreeSet;
use store::{entities::message, search};
use uuid::Uuid;

/// The list starts so many days back unless a start is given.
const DEFAULT_DAYS: i64 = 30;

pub struct Found {
    pub rows: Vec<message::Model>,
    /// At most [`COUNT_CAP`].
    pub total: u64,
    /// There are more than `total`.
    pub total_is_capped: bool,
    pub next_cursor: Option<String>,
}

/// A quick view over the list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum View {
    All,
    Unassigned,
    Mine(Uuid),
    Urgent,
    Unread,
}

impl View {
    pub fn of(request: &ListRequest, user: Uuid) -> Self {
        if request.is_unassigned {
            Self::Unassigned
        } else if request.is_assigned_to_self {
            Self::Mine(user)
        } else if request.is_urgent {
            Self::Urgent
        } else {
            Self::All
        }
    }

    fn condition(self) -> Option<Expr> {
        match self {
            Self::All => None,
            Self::Unassigned => Some(message::Column::AssignedTo.is_null()),
            Self::Mine(user) => Some(message::Column::AssignedTo.eq(user)),
            // As the index says it: a comparison with a bound value would not be recognized.
            Self::Urgent => Some(message::Column::IsUrgent.into_expr()),
            Self::Unread => Some(message::Column::ReadAt.is_null()),
        }
    }
}

/// One page of the list.
pub async fn list(app: &App, member: &Member, request: &ListRequest) -> Result<Found> {
    let page = Page::new(request.page_start, request.page_size, 10, 100)?;
    let span = span(request, app.clock.now());
    let view = View::of(request, member.caller.user_id);
    let condition = condition(request)?.add_option(view.condition());
    let cursor = request.cursor.as_deref().map(read_cursor).transpose()?;
    if request.filter.as_deref().is_some_and(|f| !search::words(&[f]).is_empty()) {
        return searched(app, member, request, page, span, condition, cursor).await;
    }
    let db = app.store.db();
    let total = counted(app, member, request, view).await?;
    let offset = if cursor.is_some() { 0 } else { page.offset() };
    let behind = |rows: Select<message::Entity>| match cursor {
        Some((at, id)) => rows.filter(before(at, id)),
        None => rows,
    };
    let rows = if by_time(request) && request.statuses.len() > 1 {
        let ranges = ranges(member, request, view, span)?.into_iter().map(behind);
        list::page(db, ranges, direction(request), offset, page.size).await?
    } else {
        // Few rows are sorted; of many the page is found sooner along the order, passing over those of other times.
        let along_senders = total > COUNT_CAP && request.order_by.as_deref() == Some("fromAddress");
        let rows = if along_senders { rows_of(member, hidden_time(), span) } else { rows(member, span) };
        let query = ordered(behind(rows.filter(condition)), request);
        query.offset(offset).limit(page.size).all(db).await?
    };
    Ok(Found {
        next_cursor: next_cursor(request, page, &rows),
        rows,
        total: Ord::min(total, COUNT_CAP),
        total_is_capped: total > COUNT_CAP,
    })
}

/// How many messages a quick view holds, under the same filters. Capped.
pub async fn count(app: &App, member: &Member, request: &ListRequest, view: View) -> Result<u64> {
    Ok(Ord::min(counted(app, member, request, view).await?, COUNT_CAP))
}

/// As [`count`], but up to one above the cap.
async fn counted(app: &App, member: &Member, request: &ListRequest, view: View) -> Result<u64> {
    let span = span(request, app.clock.now());
    list::count(app.store.db(), ranges(member, request, view, span)?.into_iter()).await
}

/// The messages of each wanted status, which stand together in an index; of all when none is named.
fn ranges(
    member: &Member,
    request: &ListRequest,
    view: View,
    span: Span,
) -> Result<Vec<Select<message::Entity>>> {
    let all = rows(member, span).filter(condition(request)?.add_option(view.condition()));
    let statuses = statuses(request)?;
    if statuses.is_empty() {
        return Ok(vec![all]);
    }
    Ok(statuses.into_iter().map(|s| all.clone().filter(message::Column::Status.eq(s))).collect())
}

async fn searched(
    app: &App,
    member: &Member,
    request: &ListRequest,
    page: Page,
    (since, until): Span,
    condition: Condition,
    cursor: Option<(DateTime<Utc>, Uuid)>,
) -> Result<Found> {
    let key = app.keys.data_key(member.organization_id).await?;
    let search = search::Search {
        organization_id: member.organization_id,
        direction: Direction::Intake.code(),
        text: request.filter.clone().unwrap_or_default(),
        // Nothing in the Intake is a draft.
        filter: condition,
        since: Some(since),
        until: Some(until),
        offset: if cursor.is_some() { 0 } else { page.offset() },
        before: cursor,
        limit: page.size,
    };
    let (found, count) = search::find_counted(app.store.db(), &key, &search, COUNT_CAP).await?;
    let mut rows =
        member.tenant().messages().filter(message::Column::Id.is_in(found.ids)).all(app.store.db()).await?;
    rows.sort_by_key(|m| std::cmp::Reverse((m.received_at, m.id)));
    Ok(Found {
        next_cursor: next_cursor(request, page, &rows),
        rows,
        total: count.value,
        total_is_capped: !count.exact,
    })
}

type Span = (DateTime<Utc>, DateTime<Utc>);

fn span(request: &ListRequest, now: DateTime<Utc>) -> Span {
    let start_of = |day: chrono::NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    let since = request.start_date.map_or(now - Duration::days(DEFAULT_DAYS), start_of);
    let until = request
        .end_date
        .and_then(|d| d.checked_add_days(Days::new(1)))
        .map_or(now + Duration::days(1), start_of);
    (since, until)
}

fn rows(member: &Member, span: Span) -> Select<message::Entity> {
    rows_of(member, message::Column::ReceivedAt.into_expr(), span)
}

/// The time of a message in words that no index is chosen by.
fn hidden_time() -> Expr {
    Expr::cust("COALESCE(received_at, NULL)")
}

fn rows_of(member: &Member, time: Expr, (since, until): Span) -> Select<message::Entity> {
    member
        .tenant()
        .messages()
        .filter(message::Column::Direction.eq(Direction::Intake.code()))
        .filter(message::Column::IsDraft.eq(false))
        .filter(time.clone().gte(since))
        .filter(time.lt(until))
}

fn direction(request: &ListRequest) -> Order {
    if request.order_dir.as_deref() == Some("asc") { Order::Asc } else { Order::Desc }
}

/// Whether the list is sorted by the time at which the messages came.
fn by_time(request: &ListRequest) -> bool {
    !matches!(request.order_by.as_deref(), Some("status" | "fromAddress"))
}

fn ordered(query: Select<message::Entity>, request: &ListRequest) -> Select<message::Entity> {
    let order = direction(request);
    match request.order_by.as_deref() {
        Some("status") => query
            .order_by(message::Column::Status, order)
            .order_by_desc(message::Column::ReceivedAt)
            .order_by_desc(message::Column::Id),
        Some("fromAddress") => {
            query.order_by(message::Column::FromAddress, order.clone()).order_by(message::Column::Id, order)
        }
        _ => query.order_by(message::Column::ReceivedAt, order.clone()).order_by(message::Column::Id, order),
    }
}

fn condition(request: &ListRequest) -> Result<Condition> {
    let mut all = Condition::all();
    if !request.statuses.is_empty() {
        all = all.add(message::Column::Status.is_in(statuses(request)?));
    }
    if !request.source_types.is_empty() {
        all = all.add(message::Column::SourceType.is_in(codes("sourceTypes", &request.source_types, |w| {
            SourceType::from_word(w).map(SourceType::code)
        })?));
    }
    if !request.processed_types.is_empty() {
        all = all.add(message::Column::ProcessedType.is_in(request.processed_types.clone()));
    }
    if !request.sources.is_empty() {
        let to = request.sources.iter().map(|a| message::Column::ToAddress.contains(a.to_lowercase()));
        all = all.add(to.fold(Condition::any(), Condition::add));
    }
    Ok(all)
}

/// The wanted statuses, each once.
fn statuses(request: &ListRequest) -> Result<BTreeSet<i16>> {
    let codes = codes("statuses", &request.statuses, |w| Status::from_word(w).map(Status::code))?;
    Ok(codes.into_iter().collect())
}

fn codes(field: &str, words: &[String], code: impl Fn(&str) -> Option<i16>) -> Result<Vec<i16>> {
    words
        .iter()
        .map(|w| code(w).ok_or_else(|| Error::field(field, platform::fields::DEFAULT_FIELD_ERROR)))
        .collect()
}

/// Pages behind row 10,000 go on by cursor; it exists only for the default order, newest first.
fn next_cursor(request: &ListRequest, page: Page, rows: &[message::Model]) -> Option<String> {
    let newest_first = matches!(request.order_by.as_deref(), None | Some("createdDate"))
        && request.order_dir.as_deref() != Some("asc");
    let last = rows.last().filter(|_| newest_first && rows.len() as u64 == page.size)?;
    Some(URL_SAFE_NO_PAD.encode(format!("{} {}", last.received_at.timestamp_micros(), last.id)))
}

fn read_cursor(text: &str) -> Result<(DateTime<Utc>, Uuid)> {
    let read = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (at, id) = text.split_once(' ')?;
        Some((DateTime::from_timestamp_micros(at.parse().ok()?)?, id.parse().ok()?))
    };
    read().ok_or_else(|| Error::BadRequest("The cursor is not one of ours.".into()))
}
