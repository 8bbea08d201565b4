//! Counting without scanning.

use crate::http::COUNT_CAP;
use sea_orm::{
    ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QuerySelect, QueryTrait, Select, sea_query,
};

#[derive(FromQueryResult)]
struct Count {
    n: i64,
}

/// Counts rows, but no further than one above [`COUNT_CAP`].
pub async fn capped_count<E: EntityTrait>(db: &impl ConnectionTrait, rows: Select<E>) -> Result<u64, DbErr> {
    let inner = rows.select_only().expr(sea_query::Expr::val(1)).limit(COUNT_CAP + 1).into_query();
    let query = sea_query::Query::select()
        .expr_as(sea_query::Expr::cust("COUNT(*)"), "n")
        .from_subquery(inner, "counted")
        .to_owned();
    let row = Count::find_by_statement(db.get_database_backend().build(&query)).one(db).await?;
    Ok(row.map_or(0, |c| c.n as u64))
}
