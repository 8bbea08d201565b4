//! Kinds of listed messages, by status, source and processed type. There are few kinds, and an index has the messages
//! of each kind side by side in list order. So a filter selects kinds, and each of them is a range without unwanted
//! rows, regardless of the size of the list.

use crate::model::{Direction, SourceType, Status};
use platform::Result;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, FromQueryResult, QueryFilter, Select, Statement,
    sea_query::{Expr, ExprTrait},
};
use std::collections::BTreeSet;
use store::entities::message::{Column, Entity};
use uuid::Uuid;

/// The messages of a list before filtering.
#[derive(Clone, Copy)]
pub struct Scope {
    pub organization_id: Uuid,
    pub direction: Direction,
    pub is_draft: bool,
}

#[derive(Clone, Debug, FromQueryResult)]
pub struct Kind {
    pub status: Status,
    pub source_type: SourceType,
    /// Empty if not processed into anything.
    pub processed_type: String,
}

impl Kind {
    /// The messages of this kind, in list order.
    pub fn range(&self, messages: Select<Entity>) -> Select<Entity> {
        messages
            .filter(Column::Status.eq(self.status))
            .filter(Column::SourceType.eq(self.source_type))
            .filter(made_into().eq(&self.processed_type))
    }
}

/// The messages of any of the kinds, unordered. The kinds must be all existing ones of some statuses, source types and
/// processed types.
pub fn of_any(kinds: &[Kind], messages: Select<Entity>) -> Select<Entity> {
    let statuses: BTreeSet<Status> = kinds.iter().map(|k| k.status).collect();
    let source_types: BTreeSet<SourceType> = kinds.iter().map(|k| k.source_type).collect();
    let processed_types: BTreeSet<&str> = kinds.iter().map(|k| &*k.processed_type).collect();
    messages
        .filter(Column::Status.is_in(statuses))
        .filter(Column::SourceType.is_in(source_types))
        .filter(made_into().is_in(processed_types))
}

/// Written as in the indexes.
fn made_into() -> Expr {
    Expr::cust("COALESCE(processed_type, '')")
}

/// The kinds in the list. Each is found by one step in the index, without reading rows in between.
pub async fn kinds(db: &impl ConnectionTrait, scope: Scope) -> Result<Vec<Kind>> {
    let list = "m.organization_id = $1 AND m.direction = $2 AND m.is_draft = $3 AND m.deleted_at IS NULL";
    let made = |of: &str| format!("COALESCE({of}.processed_type, '')");
    let (made_m, made_k) = (made("m"), made("k"));
    let sql = format!(
        "WITH RECURSIVE one (id) AS (
            SELECT (SELECT m.id FROM message m WHERE {list}
                    ORDER BY m.status, m.source_type, {made_m} LIMIT 1)
            UNION ALL
            SELECT COALESCE(
                (SELECT m.id FROM message m WHERE {list} AND m.status = k.status AND m.source_type = k.source_type
                    AND {made_m} > {made_k} ORDER BY {made_m} LIMIT 1),
                (SELECT m.id FROM message m WHERE {list} AND m.status = k.status AND m.source_type > k.source_type
                    ORDER BY m.source_type, {made_m} LIMIT 1),
                (SELECT m.id FROM message m WHERE {list} AND m.status > k.status
                    ORDER BY m.status, m.source_type, {made_m} LIMIT 1))
            FROM one JOIN message k ON k.id = one.id)
        SELECT k.status, k.source_type, {made_k} AS processed_type FROM one JOIN message k ON k.id = one.id"
    );
    Ok(read(db, sql, scope).await?)
}

/// Distinct sets of recipients of the messages in the list, up to a maximum. Messages to very many recipients are
/// excluded.
pub async fn recipients(db: &impl ConnectionTrait, scope: Scope, at_most: usize) -> Result<Vec<String>> {
    #[derive(FromQueryResult)]
    struct Recipients {
        to_address: String,
    }
    let list = format!(
        "organization_id = $1 AND direction = $2 AND is_draft = $3 AND deleted_at IS NULL AND {TO_FEW}"
    );
    let sql = format!(
        "WITH RECURSIVE one (to_address) AS (
            SELECT (SELECT to_address FROM message WHERE {list} ORDER BY to_address LIMIT 1)
            UNION ALL
            SELECT (SELECT to_address FROM message WHERE {list} AND to_address > one.to_address
                    ORDER BY to_address LIMIT 1)
            FROM one WHERE one.to_address IS NOT NULL)
        SELECT to_address FROM one WHERE to_address IS NOT NULL LIMIT {at_most}"
    );
    let found: Vec<Recipients> = read(db, sql, scope).await?;
    Ok(found.into_iter().map(|r| r.to_address).collect())
}

/// Written as in the indexes of the Intake.
const TO_FEW: &str = "direction = 0 AND LENGTH(to_address) <= 250";
const TO_MANY: &str = "LENGTH(to_address) > 250";

/// The messages to exactly one of these sets of recipients, each of limited size.
pub fn sent_to<'a>(
    messages: Select<Entity>,
    recipients: impl IntoIterator<Item = &'a str>,
) -> Select<Entity> {
    messages.filter(Expr::cust(TO_FEW)).filter(Column::ToAddress.is_in(recipients))
}

/// The messages to very many recipients.
pub fn sent_to_many(messages: Select<Entity>) -> Select<Entity> {
    messages.filter(Expr::cust(TO_MANY))
}

async fn read<T: FromQueryResult>(
    db: &impl ConnectionTrait,
    sql: String,
    scope: Scope,
) -> Result<Vec<T>, DbErr> {
    let values = [scope.organization_id.into(), scope.direction.into(), scope.is_draft.into()];
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    T::find_by_statement(statement).all(db).await
}
