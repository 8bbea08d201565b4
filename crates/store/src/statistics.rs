//! Statistics written for SQLite, so that it plans each statement well from the first day, and identically in every
//! installation (ADR 5). Without them it assumes that ten rows share an organization, and reads all rows of an
//! organization although a few ids are given.

use sea_orm::{ConnectionTrait, DbErr, Statement};

/// Rows of every table, SQLite's assumption without statistics.
const ROWS: u64 = 1_000_000;
/// Rows of one organization.
const OF_ORGANIZATION: u64 = ROWS / 100;
/// Rows of one state, kind or truth value.
const OF_STATE: u64 = ROWS / 8;
/// Rows with one value of any other column, SQLite's assumption without statistics.
const OF_VALUE: u64 = 10;

const STATES: [&str; 4] = ["direction", "kind", "lane", "status"];
const STATE_ENDINGS: [&str; 4] = ["_type", "_kind", "_status", "_state"];
const TRUTH: [&str; 2] = ["is_", "has_"];

/// Each condition of a partial index, except that rows are not deleted, divides the rows by this; a condition on a
/// length by its square, since such rows are exceptions.
const PART: u64 = 10;
const OF_EXCEPTIONS: &str = "length(";
const OF_ALL: &str = "deleted_at is null";

const INDEXES: &str = "SELECT tables.name AS table_name, of_table.name AS index_name, of_table.\"unique\" AS is_unique, \
    COALESCE(indexes.sql, '') AS sql \
    FROM sqlite_schema AS tables JOIN pragma_index_list(tables.name) AS of_table \
    LEFT JOIN sqlite_schema AS indexes ON indexes.type = 'index' AND indexes.name = of_table.name \
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
const COLUMNS: &str = "SELECT name FROM pragma_index_xinfo($1) WHERE key = 1 ORDER BY seqno";

/// Writes the statistics of every index.
pub async fn write(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    // Creates the table of statistics from a table with few rows.
    db.execute_unprepared("ANALYZE installation").await?;
    db.execute_unprepared("DELETE FROM sqlite_stat1").await?;
    let backend = db.get_database_backend();
    for index in db.query_all_raw(Statement::from_string(backend, INDEXES)).await? {
        let (table, name): (String, String) =
            (index.try_get("", "table_name")?, index.try_get("", "index_name")?);
        let is_unique: bool = index.try_get("", "is_unique")?;
        let columns = Statement::from_sql_and_values(backend, COLUMNS, [name.as_str().into()]);
        let columns = db.query_all_raw(columns).await?;
        let columns: Vec<Option<String>> =
            columns.iter().map(|column| column.try_get("", "name")).collect::<Result<_, _>>()?;
        let insert = "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)";
        let rows = rows(&index.try_get::<String>("", "sql")?);
        let values = [table.into(), name.into(), line(rows, &columns, is_unique).into()];
        db.execute_raw(Statement::from_sql_and_values(backend, insert, values)).await?;
    }
    Ok(())
}

/// Rows in an index, from its creating statement.
fn rows(sql: &str) -> u64 {
    let Some((_, conditions)) = sql.split_once(" WHERE ") else { return ROWS };
    let few = conditions.to_lowercase().replace('"', "");
    let parts = few.split(" and ").filter(|condition| condition.trim() != OF_ALL).map(|condition| {
        match condition.trim().starts_with(OF_EXCEPTIONS) && condition.contains('>') {
            true => 2,
            false => 1,
        }
    });
    ROWS / PART.pow(parts.sum::<u32>().min(2))
}

/// The number of rows, then how many have the same first column, the same first two, and so on.
fn line(rows: u64, columns: &[Option<String>], is_unique: bool) -> String {
    let mut counts = vec![rows];
    for (at, column) in columns.iter().enumerate() {
        let is_key = is_unique && at + 1 == columns.len();
        let alike = if is_key { 1 } else { alike(column.as_deref()) };
        let before = *counts.last().unwrap_or(&rows);
        counts.push((before * alike / ROWS).max(1));
    }
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// Rows with the same value in a column; an expression has no name.
fn alike(column: Option<&str>) -> u64 {
    match column {
        Some("organization_id") => OF_ORGANIZATION,
        Some(name)
            if STATES.contains(&name)
                || STATE_ENDINGS.iter().any(|ending| name.ends_with(ending))
                || TRUTH.iter().any(|beginning| name.starts_with(beginning)) =>
        {
            OF_STATE
        }
        Some(_) => OF_VALUE,
        None => OF_STATE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &[&str], is_unique: bool) -> String {
        line(ROWS, &columns.iter().map(|name| Some((*name).to_owned())).collect::<Vec<_>>(), is_unique)
    }

    #[test]
    fn an_organization_is_many_rows_and_an_id_is_few() {
        assert_eq!(of(&["message_id", "position"], false), "1000000 10 1");
        assert_eq!(of(&["organization_id", "size_bytes"], false), "1000000 10000 1");
        assert_eq!(of(&["organization_id", "status", "is_draft"], false), "1000000 10000 1250 156");
        assert_eq!(of(&["id"], true), "1000000 1");
        assert_eq!(line(ROWS, &[None], false), "1000000 125000");
    }

    #[test]
    fn an_index_of_a_part_is_smaller() {
        assert_eq!(rows("CREATE INDEX ix ON message (id)"), ROWS);
        assert_eq!(rows("CREATE INDEX ix ON message (id) WHERE \"deleted_at\" IS NULL"), ROWS);
        assert_eq!(rows("CREATE INDEX ix ON message (id) WHERE deleted_at IS NULL AND is_urgent"), ROWS / 10);
        assert_eq!(rows("CREATE INDEX ix ON message (id) WHERE LENGTH(to_address) > 250"), ROWS / 100);
    }
}
