//! Lists that are made up of several ranges of an index, such as the messages of some statuses. Each range is read
//! in the order of the list and no further than the page reaches: a database that is asked for all of them at once
//! may walk the whole history to find a few.

use platform::{Result, http::COUNT_CAP};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, Order, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, Query, SelectStatement, UnionType},
};
use store::entities::message::{Column, Entity, Model};
use uuid::Uuid;

/// Rows of a page that is sorted by time, given the ranges of which each holds its own messages.
pub async fn page(
    db: &impl ConnectionTrait,
    ranges: impl Iterator<Item = Select<Entity>>,
    order: Order,
    offset: u64,
    limit: u64,
) -> Result<Vec<Model>> {
    let sorted = |mut select: SelectStatement, limit: u64| {
        select.order_by(Column::ReceivedAt, order.clone()).order_by(Column::Id, order.clone()).limit(limit);
        select
    };
    let ranges = ranges.map(|range| {
        let rows = range.select_only().column(Column::Id).column(Column::ReceivedAt).into_query();
        part(sorted(rows, offset + limit), |part| part.column(Column::Id).column(Column::ReceivedAt))
    });
    let Some(together) = union(ranges) else { return Ok(Vec::new()) };
    let page = Query::select().column(Column::Id).from_subquery(together, "list").to_owned();
    let ids = db.query_all(sorted(page, limit).offset(offset)).await?;
    let ids = ids.iter().map(|row| row.try_get_by_index::<Uuid>(0)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Entity::find().filter(Column::Id.is_in(ids)).all(db).await?;
    rows.sort_by_key(|m| (m.received_at, m.id));
    if order == Order::Desc {
        rows.reverse();
    }
    Ok(rows)
}

/// How many messages the ranges hold together, but no more than one above [`COUNT_CAP`].
pub async fn count(db: &impl ConnectionTrait, ranges: impl Iterator<Item = Select<Entity>>) -> Result<u64> {
    let ranges = ranges.map(|range| {
        let rows = range.select_only().expr_as(Expr::val(1), "one").limit(COUNT_CAP + 1).into_query();
        part(rows, |part| part.column("one"))
    });
    let Some(together) = union(ranges) else { return Ok(0) };
    let some = Query::select().column("one").from_subquery(together, "list").limit(COUNT_CAP + 1).to_owned();
    let counted = Query::select().expr(Expr::cust("COUNT(*)")).from_subquery(some, "counted").to_owned();
    let row = db.query_one(&counted).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get_by_index::<i64>(0))?.unsigned_abs())
}

/// SQLite takes no `LIMIT` in a part of a union unless it stands in a query of its own.
fn part(
    rows: SelectStatement,
    columns: impl Fn(&mut SelectStatement) -> &mut SelectStatement,
) -> SelectStatement {
    columns(&mut Query::select()).from_subquery(rows, "part").to_owned()
}

fn union(mut parts: impl Iterator<Item = SelectStatement>) -> Option<SelectStatement> {
    let mut first = parts.next()?;
    for part in parts {
        first.union(UnionType::All, part);
    }
    Some(first)
}
