use crate::databases::with_empty_databases;
use futures::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement};
use std::{cell::RefCell, collections::BTreeSet};
use store::Store;

#[tokio::test]
async fn nodes_that_start_together_migrate_once() {
    with_empty_databases(async |url| {
        let nodes = join_all((0..4).map(|_| Store::open_and_migrate(&url))).await;
        for node in nodes {
            assert_eq!(node.unwrap().pending_migrations().await.unwrap(), Vec::<String>::new());
        }
    })
    .await;
}

#[tokio::test]
async fn both_databases_end_with_the_same_tables_columns_and_indexes() {
    let schemas = RefCell::new(Vec::new());
    with_empty_databases(async |url| {
        let store = Store::open_and_migrate(&url).await.unwrap();
        let schema = describe(&store).await;
        assert!(schema.len() > 300, "a schema was read");
        schemas.borrow_mut().push(schema);
    })
    .await;
    let schemas = schemas.into_inner();
    if let [sqlite, postgres] = schemas.as_slice() {
        let differences: Vec<_> = sqlite.symmetric_difference(postgres).collect();
        assert!(differences.is_empty(), "only in one database: {differences:#?}");
    }
}

#[tokio::test]
async fn audit_entries_can_be_neither_changed_nor_removed() {
    with_empty_databases(async |url| {
        let store = Store::open_and_migrate(&url).await.unwrap();
        let id = if store.backend() == DbBackend::Postgres {
            "'00000000-0000-0000-0000-000000000001'"
        } else {
            "x'00000000000000000000000000000001'"
        };
        let time = "'2026-01-01 00:00:00+00:00'";
        let db = store.db();
        let bytes = if store.backend() == DbBackend::Postgres { "'\\x00'" } else { "x'00'" };
        db.execute_unprepared(&format!(
            "INSERT INTO audit_entry (id, chain_id, seq, at, actor_name, event_type, object_type, object_id, \
             outcome, source_ip, detail, prev_hash, hash) \
             VALUES ({id}, {id}, 1, {time}, 'a', 'b', 'c', 'd', 'ok', '', '', {bytes}, {bytes})"
        ))
        .await
        .unwrap();
        assert!(db.execute_unprepared("UPDATE audit_entry SET actor_name = 'x'").await.is_err());
        assert!(db.execute_unprepared("DELETE FROM audit_entry").await.is_err());
    })
    .await;
}

#[derive(FromQueryResult)]
struct Line {
    line: String,
}

/// One line per column and per index.
async fn describe(store: &Store) -> BTreeSet<String> {
    let queries = match store.backend() {
        DbBackend::Postgres => [
            "SELECT c.table_name || '.' || c.column_name || \
             CASE WHEN c.is_nullable = 'YES' THEN ' null' ELSE ' not null' END AS line \
             FROM information_schema.columns c WHERE c.table_schema = 'public'",
            "SELECT t.relname || ' (' || (SELECT string_agg(a.attname, ', ' ORDER BY k.n) \
               FROM unnest(x.indkey) WITH ORDINALITY k(attnum, n) \
               JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) || ')' || \
             CASE WHEN x.indisunique THEN ' unique' ELSE '' END || \
             CASE WHEN x.indpred IS NOT NULL THEN ' partial' ELSE '' END AS line \
             FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid \
             JOIN pg_namespace s ON s.oid = t.relnamespace WHERE s.nspname = 'public'",
        ],
        _ => [
            "SELECT t.name || '.' || c.name || \
             CASE WHEN c.\"notnull\" OR c.pk THEN ' not null' ELSE ' null' END AS line \
             FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
            "SELECT t.name || ' (' || (SELECT group_concat(c.name, ', ') FROM pragma_index_info(i.name) c) || ')' || \
             CASE WHEN i.\"unique\" THEN ' unique' ELSE '' END || CASE WHEN i.partial THEN ' partial' ELSE '' END \
             AS line FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table'",
        ],
    };
    let mut lines = BTreeSet::new();
    for sql in queries {
        let statement = Statement::from_string(store.backend(), sql);
        lines.extend(
            Line::find_by_statement(statement).all(store.db()).await.unwrap().into_iter().map(|l| l.line),
        );
    }
    lines
}
