//! All differences between SQLite and PostgreSQL, in one file.

use sea_orm::{DbBackend, entity::prelude::ColumnTrait, sea_query::Expr};

/// Triggers that make a table append-only.
pub fn append_only_triggers(backend: DbBackend, table: &str) -> Vec<String> {
    match backend {
        DbBackend::Postgres => vec![
            format!(
                "CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
            ),
            format!(
                "CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} \
                 FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
            ),
        ],
        _ => ["UPDATE", "DELETE"]
            .map(|act| {
                format!(
                    "CREATE TRIGGER {table}_no_{act} BEFORE {act} ON {table} \
                     BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
                )
            })
            .into(),
    }
}

/// Sorts and compares a text column by its bytes, whatever the language of the database; SQLite always does.
pub fn byte_order(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Postgres { "COLLATE \"C\"" } else { "" }
}

/// Lets an index find texts by prefix (`LIKE 'abc%'`), whatever the language of the database.
pub fn prefix_operators(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Postgres { " text_pattern_ops" } else { "" }
}

/// Whether text is compared by its bytes everywhere, whatever the language of the database.
pub fn has_byte_order(backend: DbBackend) -> bool {
    backend == DbBackend::Sqlite
}

/// Updates statistics after a bulk load.
pub fn after_bulk_load(backend: DbBackend, table: &str) -> String {
    if backend == DbBackend::Postgres {
        format!("VACUUM (ANALYZE) {table}")
    } else {
        "PRAGMA optimize".into()
    }
}

/// Triggers that increment `number` in the only row of `counter` with every change of the tables. The count is part
/// of the transaction of the change: reading the same number twice means that nothing changed in between.
pub fn counting_triggers(backend: DbBackend, counter: &str, tables: &[&str]) -> Vec<String> {
    let count = format!("UPDATE {counter} SET number = number + 1;");
    if backend == DbBackend::Postgres {
        let function = format!(
            "CREATE FUNCTION {counter}_count() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN {count} RETURN NULL; END $$"
        );
        let trigger = |table: &&str| {
            format!(
                "CREATE TRIGGER {table}_{counter} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table} \
                 FOR EACH STATEMENT EXECUTE FUNCTION {counter}_count()"
            )
        };
        return std::iter::once(function).chain(tables.iter().map(trigger)).collect();
    }
    let trigger = |table: &&str, act: &str| {
        format!("CREATE TRIGGER {table}_{counter}_{act} AFTER {act} ON {table} BEGIN {count} END")
    };
    tables.iter().flat_map(|table| ["INSERT", "UPDATE", "DELETE"].map(|act| trigger(table, act))).collect()
}

/// Whether writing transactions run concurrently and lock single rows. On SQLite they run one after the other.
pub fn has_row_locks(backend: DbBackend) -> bool {
    backend == DbBackend::Postgres
}

/// Allows e-mails without an organization. SQLite cannot change a column, so the table is recreated.
pub fn email_without_organization(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &["ALTER TABLE email ALTER COLUMN organization_id DROP NOT NULL"],
        _ => &[
            "ALTER TABLE email RENAME TO email_of_organizations",
            "CREATE TABLE email (id uuid_text NOT NULL PRIMARY KEY, organization_id uuid_text, \
             template varchar NOT NULL, sealed_letter blob, created_at timestamp_with_timezone_text NOT NULL, \
             sent_at timestamp_with_timezone_text, FOREIGN KEY (organization_id) REFERENCES organization (id))",
            "INSERT INTO email SELECT id, organization_id, template, sealed_letter, created_at, sent_at \
             FROM email_of_organizations",
            "DROP TABLE email_of_organizations",
        ],
    }
}

/// A column in a condition on rows found by another column. SQLite, which cannot estimate conditions, might choose an
/// index for this one; written like this it has none.
pub fn passed_over<C: ColumnTrait>(backend: DbBackend, column: C) -> Expr {
    if backend == DbBackend::Postgres {
        return column.into_expr();
    }
    Expr::cust(format!("COALESCE({}, NULL)", column.as_str()))
}

/// Whether messages of several kinds are counted faster by lists of statuses, source types and processed types than
/// kind by kind. PostgreSQL plans the range of each kind separately; SQLite, without counts per kind, would not use
/// the index.
pub fn counts_kinds_together(backend: DbBackend) -> bool {
    backend == DbBackend::Postgres
}

/// End of the definition of a table that consists of its primary key. SQLite would store every row twice otherwise.
pub fn without_rowid(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Postgres { "" } else { "WITHOUT ROWID" }
}

/// A column of times as whole microseconds since 1970. SQLite keeps times as text, with as many decimals as they need.
pub fn microseconds(backend: DbBackend, column: &str) -> String {
    if backend == DbBackend::Postgres {
        return format!("CAST(EXTRACT(EPOCH FROM {column}) * 1000000 AS BIGINT)");
    }
    let decimals = format!("SUBSTR({column}, 21, INSTR({column}, '+') - 21) || '000000'");
    format!(
        "CAST(STRFTIME('%s', SUBSTR({column}, 1, 19)) AS INTEGER) * 1000000 \
         + CASE SUBSTR({column}, 20, 1) WHEN '.' THEN CAST(SUBSTR({decimals}, 1, 6) AS INTEGER) ELSE 0 END"
    )
}

/// Numbers the rows of a table from 1 in the order of their insertion, in a separate table: existing rows, and new
/// ones with a trigger.
pub fn numbering(backend: DbBackend, table: &str) -> Vec<String> {
    let numbers = format!("{table}_number");
    let (number, id) = if backend == DbBackend::Postgres {
        ("BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "UUID")
    } else {
        ("INTEGER PRIMARY KEY AUTOINCREMENT", "uuid_text")
    };
    let insert = format!("INSERT INTO {numbers} ({table}_id) VALUES (NEW.id);");
    let mut sql = vec![
        format!("CREATE TABLE {numbers} (number {number}, {table}_id {id} NOT NULL UNIQUE)"),
        format!("INSERT INTO {numbers} ({table}_id) SELECT id FROM {table} ORDER BY id"),
    ];
    if backend == DbBackend::Postgres {
        sql.push(format!(
            "CREATE FUNCTION {numbers}_give() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN {insert} RETURN NULL; END $$"
        ));
        sql.push(format!(
            "CREATE TRIGGER {numbers}_give AFTER INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {numbers}_give()"
        ));
    } else {
        sql.push(format!("CREATE TRIGGER {numbers}_give AFTER INSERT ON {table} BEGIN {insert} END"));
    }
    sql
}
