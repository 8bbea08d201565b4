//! Lists: paging, counting without scans, and search by words.

use crate::http::{COUNT_CAP, Page, Paged};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, Order, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{self, Expr, ExprTrait, Func, LikeExpr},
};

/// A page of a selection in an order, with the number of rows. The order must end with a unique column, or rows could
/// appear on two pages.
pub async fn page<E: EntityTrait>(
    db: &impl ConnectionTrait,
    rows: Select<E>,
    order: &[(E::Column, Order)],
    page: Page,
) -> Result<Paged<E::Model>, DbErr>
where
    E::Column: Copy,
{
    let counted = capped_count(db, rows.clone()).await?;
    let sorted = order.iter().fold(rows, |rows, (column, order)| rows.order_by(*column, order.clone()));
    let items = sorted.offset(page.offset()).limit(page.size).all(db).await?;
    Ok(Paged::capped(items, counted))
}

/// Rows whose column contains each word of a search. The column is a key (see [`key`]). This reads every row, so it
/// is for tables of a few thousand rows.
pub fn holds_words(column: impl ColumnTrait, search: &str) -> Condition {
    key(search).split_whitespace().fold(Condition::all(), |all, word| {
        all.add(column.like(LikeExpr::new(format!("%{}%", escaped(word))).escape('\\')))
    })
}

/// Rows whose column begins with a text, read from its index. SQLite's `LIKE` ignores case and so cannot use the
/// index; PostgreSQL's ranges follow the column's collation, but its `LIKE` does not.
pub fn begins_with(db: &impl ConnectionTrait, column: impl ColumnTrait, prefix: &str) -> Condition {
    expression_begins_with(db, Expr::col(column.as_column_ref()), prefix)
}

/// As [`begins_with`], for an expression that has its own index.
pub fn expression_begins_with(db: &impl ConnectionTrait, text: Expr, prefix: &str) -> Condition {
    if prefix.is_empty() {
        Condition::all()
    } else if store::dialect::has_byte_order(db.get_database_backend()) {
        Condition::all().add(text.clone().gte(prefix)).add(text.lt(format!("{prefix}{}", char::MAX)))
    } else {
        Condition::all().add(text.like(LikeExpr::new(format!("{}%", escaped(prefix))).escape('\\')))
    }
}

/// Rows whose column, a JSON list of words, contains a word. This reads every row.
pub fn list_holds(column: impl ColumnTrait, word: &str) -> Expr {
    let quoted = format!("%{}%", escaped(&format!("\"{word}\"")));
    column.into_expr().cast_as("text").like(LikeExpr::new(quoted).escape('\\'))
}

/// Rows whose column contains a lower-case text, ignoring case. This reads every row.
pub fn holds(column: impl ColumnTrait, text: &str) -> Expr {
    let pattern = LikeExpr::new(format!("%{}%", escaped(text))).escape('\\');
    Expr::expr(Func::lower(Expr::col(column.as_column_ref()))).like(pattern)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// The key for sorting and finding a name: names ignore case. Names never contain control characters, and PostgreSQL
/// refuses texts with U+0000.
pub fn key(name: &str) -> String {
    name.trim().chars().filter(|c| !c.is_control()).flat_map(char::to_lowercase).collect()
}

#[derive(FromQueryResult)]
struct Count {
    n: i64,
}

/// Counts rows, up to [`COUNT_CAP`] + 1.
pub async fn capped_count<E: EntityTrait>(db: &impl ConnectionTrait, rows: Select<E>) -> Result<u64, DbErr> {
    let inner = rows.select_only().expr(Expr::val(1)).limit(COUNT_CAP + 1).into_query();
    let query = sea_query::Query::select()
        .expr_as(Expr::cust("COUNT(*)"), "n")
        .from_subquery(inner, "counted")
        .to_owned();
    let row = Count::find_by_statement(db.get_database_backend().build(&query)).one(db).await?;
    Ok(row.map_or(0, |c| c.n as u64))
}
