//! Lists made of several ranges of an index, such as messages of several kinds. Each range is read in list order and
//! only as far as the page needs: a database given all of them at once may walk through the whole history to find a
//! few.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use platform::{
    Error, Result,
    http::{COUNT_CAP, Page},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Order, QueryFilter, QuerySelect, QueryTrait,
    Select,
    sea_query::{Expr, Query, SelectStatement, UnionType},
};
use std::collections::HashMap;
use store::entities::message::{Column, Entity, Model};
use uuid::Uuid;

const LARGEST_PAGE: u64 = 100;

/// Sort columns, by priority. The last one is the id.
pub type Sorting = Vec<(Column, Order)>;

/// By time of arrival.
pub fn by_time(order: Order) -> Sorting {
    vec![(Column::ReceivedAt, order.clone()), (Column::Id, order)]
}

/// Position of a row in a list by time.
pub type Position = (DateTime<Utc>, Uuid);

/// Rows after the position in a list with the newest first.
pub fn behind((at, id): Position) -> Condition {
    let earlier = Condition::any().add(Column::ReceivedAt.lt(at)).add(Column::Id.lt(id));
    Condition::all().add(Column::ReceivedAt.lte(at)).add(earlier)
}

/// Cursor after a full page of a list with the newest first.
pub fn next_cursor(page: Page, rows: &[Model]) -> Option<String> {
    let last = rows.last().filter(|_| rows.len() as u64 == page.size)?;
    Some(cursor(last))
}

/// Cursor after a message in a list with the newest first.
pub fn cursor(last: &Model) -> String {
    URL_SAFE_NO_PAD.encode(format!("{} {}", last.received_at.timestamp_micros(), last.id))
}

/// The requested page. A cursor determines its beginning, regardless of its number.
pub fn asked(
    number: Option<u64>,
    size: Option<u64>,
    default: u64,
    cursor: Option<&str>,
) -> Result<(Page, Option<Position>)> {
    let behind = cursor.map(read_cursor).transpose()?;
    Ok((Page::new(number.filter(|_| behind.is_none()), size, default, LARGEST_PAGE)?, behind))
}

fn read_cursor(text: &str) -> Result<Position> {
    let read = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (at, id) = text.split_once(' ')?;
        Some((DateTime::from_timestamp_micros(at.parse().ok()?)?, id.parse().ok()?))
    };
    read().ok_or_else(|| Error::BadRequest("The cursor is not valid.".into()))
}

/// Rows of a page of disjoint ranges.
pub async fn page(
    db: &impl ConnectionTrait,
    ranges: impl IntoIterator<Item = Select<Entity>>,
    sorting: &Sorting,
    offset: u64,
    limit: u64,
) -> Result<Vec<Model>> {
    let Some(page) = ids_of_page(ranges, Column::Id, sorting, offset, limit) else { return Ok(Vec::new()) };
    rows(db, &read_ids(db, &page).await?).await
}

/// The ids found by a query of one column.
pub(crate) async fn read_ids(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Vec<Uuid>, DbErr> {
    let ids = db.query_all(query).await?;
    ids.iter().map(|row| row.try_get_by_index::<Uuid>(0)).collect()
}

/// The messages in this order. Their ids come from a query limited to the tenant.
pub async fn rows(db: &impl ConnectionTrait, ids: &[Uuid]) -> Result<Vec<Model>> {
    let rows = by_ids(ids).all(db).await?;
    let mut by_id: HashMap<Uuid, Model> = rows.into_iter().map(|row| (row.id, row)).collect();
    Ok(ids.iter().filter_map(|id| by_id.remove(id)).collect())
}

/// Without further conditions: SQLite, which has no row counts, would rather read all messages of an organization than
/// look up a few ids.
pub(crate) fn by_ids(ids: &[Uuid]) -> Select<Entity> {
    Entity::find().filter(Column::Id.is_in(ids.iter().copied()))
}

/// The ids of a page of rows of any type, in disjoint ranges.
pub(crate) fn ids_of_page<E: EntityTrait>(
    ranges: impl IntoIterator<Item = Select<E>>,
    id: E::Column,
    sorting: &[(E::Column, Order)],
    offset: u64,
    limit: u64,
) -> Option<SelectStatement> {
    let sorted = |mut select: SelectStatement| {
        for (column, order) in sorting {
            select.order_by(*column, order.clone());
        }
        select
    };
    let columns = || sorting.iter().map(|(column, _)| *column);
    let together = union(ranges.into_iter().map(|range| {
        let rows = range.select_only().columns(columns()).into_query();
        let first = sorted(rows).limit(offset + limit).to_owned();
        Query::select().columns(columns()).from_subquery(first, "part").to_owned()
    }))?;
    let page = Query::select().column(id).from_subquery(together, "list").to_owned();
    Some(sorted(page).limit(limit).offset(offset).to_owned())
}

/// Number of messages in each of the lists, at most one more than [`COUNT_CAP`]. A list is given by its ranges.
pub async fn counts(db: &impl ConnectionTrait, lists: Vec<Vec<Select<Entity>>>) -> Result<Vec<u64>> {
    let number = lists.len();
    let Some(row) = db.query_one(&numbers(lists)).await? else { return Ok(vec![0; number]) };
    let counts = (0..number).map(|at| row.try_get_by_index::<i64>(at));
    Ok(counts.map(|n| Ok(n?.unsigned_abs())).collect::<Result<_, DbErr>>()?)
}

pub(crate) fn numbers(lists: Vec<Vec<Select<Entity>>>) -> SelectStatement {
    Query::select().exprs(lists.into_iter().map(counted)).to_owned()
}

fn counted(ranges: Vec<Select<Entity>>) -> Expr {
    let ranges = ranges.into_iter().map(|range| {
        let rows = range.select_only().expr_as(Expr::val(1), "one").limit(COUNT_CAP + 1).into_query();
        Query::select().column("one").from_subquery(rows, "part").to_owned()
    });
    let Some(together) = union(ranges) else { return Expr::cust("CAST(0 AS BIGINT)") };
    let some = Query::select().column("one").from_subquery(together, "list").limit(COUNT_CAP + 1).to_owned();
    let number = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(some, "counted").to_owned();
    Expr::SubQuery(None, Box::new(number.into()))
}

/// SQLite allows `LIMIT` in a part of a union only in a subquery.
fn union(mut parts: impl Iterator<Item = SelectStatement>) -> Option<SelectStatement> {
    let mut first = parts.next()?;
    for part in parts {
        first.union(UnionType::All, part);
    }
    Some(first)
}
