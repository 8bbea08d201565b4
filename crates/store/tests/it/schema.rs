use chrono::DateTime;
use futures::future::join_all;
use sea_orm::{
    ConnectionTrait, Database, DbBackend, EntityTrait, FromQueryResult, IntoActiveModel, Statement,
    TransactionTrait, sea_query::Expr,
};
use sea_orm_migration::MigratorTrait;
use std::collections::{BTreeSet, HashMap};
use store::{
    Store,
    entities::{
        directory_entry, directory_pair, directory_word,
        message::Direction,
        network, search_posting, search_word,
        trust_anchor::{self, Column},
        trust_change,
    },
    migrations::Migrator,
};
use testdb::Db;
use uuid::Uuid;

testdb::on_both_databases! {
    nodes_that_start_together_migrate_once,
    audit_entries_can_be_neither_changed_nor_removed,
    a_search_index_that_calls_words_and_times_by_name_is_carried_over,
    networks_of_the_same_name_are_told_apart_by_their_keys,
    words_of_the_directory_learn_of_the_city_and_of_each_other,
    every_change_of_an_anchor_is_counted_in_its_transaction,
}

async fn nodes_that_start_together_migrate_once(db: Db) {
    let db = db.empty().await;
    let url = db.url();
    let nodes = join_all((0..4).map(|_| Store::open_and_migrate(&url))).await;
    for node in nodes {
        assert_eq!(node.unwrap().pending_migrations().await.unwrap(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_new_file_is_opened_by_all_who_do_so_together() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("new.db").display());
        for opened in join_all((0..8).map(|_| Store::open(&url))).await {
            opened.unwrap();
        }
    }
}

#[tokio::test]
async fn both_databases_end_with_the_same_tables_columns_and_indexes() {
    let mut schemas = Vec::new();
    for db in Db::each() {
        let schema = describe(&db.migrated().await).await;
        assert!(schema.len() > 300, "a schema was read");
        schemas.push(schema);
    }
    if let [sqlite, postgres] = schemas.as_slice() {
        let differences: Vec<_> = sqlite.symmetric_difference(postgres).collect();
        assert!(differences.is_empty(), "only in one database: {differences:#?}");
    }
}

async fn audit_entries_can_be_neither_changed_nor_removed(db: Db) {
    let store = db.migrated().await;
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
}

/// Applies only this many migrations.
async fn migrate_to(url: &str, steps: u32) {
    let db = Database::connect(url).await.unwrap();
    let txn = db.begin().await.unwrap();
    Migrator::up(&txn, Some(steps)).await.unwrap();
    txn.commit().await.unwrap();
    db.close().await.unwrap();
}

async fn a_search_index_that_calls_words_and_times_by_name_is_carried_over(db: Db) {
    let db = db.empty().await;
    let url = db.url();
    let store = Store::open(&url).await.unwrap();
    migrate_to(&url, 5).await;
    let organizations = [Uuid::now_v7(), Uuid::now_v7()];
    let mut expected = BTreeSet::new();
    for organization in organizations {
        for direction in [Direction::Intake, Direction::Release] {
            for word in [[1_u8; 16], [2; 16]] {
                // Times in SQLite's forms: with no decimals, with three and with six.
                for at in [1_700_000_000_000_000, 1_700_000_000_120_000, 1_700_000_000_000_007, -1] {
                    let message = Uuid::now_v7();
                    let received_at = DateTime::from_timestamp_micros(at).unwrap();
                    let row = Statement::from_sql_and_values(
                        store.backend(),
                        "INSERT INTO search_posting (organization_id, direction, word, received_at, message_id) \
                         VALUES ($1, $2, $3, $4, $5)",
                        [
                            organization.into(),
                            direction.into(),
                            word.to_vec().into(),
                            received_at.into(),
                            message.into(),
                        ],
                    );
                    store.db().execute_raw(row).await.unwrap();
                    expected.insert((organization, direction, word.to_vec(), at, message));
                }
            }
        }
    }
    store.migrate().await.unwrap();
    let words = search_word::Entity::find().all(store.db()).await.unwrap();
    assert_eq!(words.len(), 2 * 2 * 2);
    let words: HashMap<i64, search_word::Model> = words.into_iter().map(|w| (w.number, w)).collect();
    let carried: BTreeSet<_> = search_posting::Entity::find()
        .all(store.db())
        .await
        .unwrap()
        .into_iter()
        .map(|p| {
            let of = &words[&p.word];
            (of.organization_id, of.direction, of.word.clone(), p.at, p.message_id)
        })
        .collect();
    assert_eq!(carried, expected);
}

async fn networks_of_the_same_name_are_told_apart_by_their_keys(db: Db) {
    let db = db.empty().await;
    let url = db.url();
    let store = Store::open(&url).await.unwrap();
    migrate_to(&url, 11).await;
    let names = ["Meridian Exchange", "meridian exchange ", "Quarry Valley"];
    let networks = names.map(|name| (Uuid::now_v7(), name));
    for (id, name) in networks {
        let row = Statement::from_sql_and_values(
            store.backend(),
            "INSERT INTO network (id, name) VALUES ($1, $2)",
            [id.into(), name.into()],
        );
        store.db().execute_raw(row).await.unwrap();
    }
    store.migrate().await.unwrap();
    let second = format!("meridian exchange {}", networks[1].0.simple());
    for ((id, name), key) in networks.into_iter().zip(["meridian exchange", &second, "quarry valley"]) {
        let row = network::Entity::find_by_id(id).one(store.db()).await.unwrap().expect("a network");
        assert_eq!((row.name.as_str(), row.name_key.as_str()), (name, key));
        assert_eq!((row.version, row.created_at), (1, None));
    }
}

async fn words_of_the_directory_learn_of_the_city_and_of_each_other(db: Db) {
    let db = db.empty().await;
    let url = db.url();
    let store = Store::open(&url).await.unwrap();
    migrate_to(&url, 24).await;
    let mut expected = BTreeSet::new();
    for (city_key, words) in [("larkfield", " family medicine"), ("são bento", " imaging"), ("", " moss")] {
        let entry = listed(city_key, words);
        let id = entry.id;
        let insert = directory_entry::Entity::insert(entry.into_active_model());
        insert.exec_without_returning(store.db()).await.unwrap();
        for word in words.split_whitespace() {
            let row = Statement::from_sql_and_values(
                store.backend(),
                "INSERT INTO directory_word (kind, word, last_key, first_key, entry_id, state, word_before) \
                 VALUES (1, $1, '', '', $2, 'OH', '')",
                [word.into(), id.into()],
            );
            store.db().execute_raw(row).await.unwrap();
            expected.insert((word.to_owned(), id, city_key.to_owned(), words.to_owned()));
        }
    }
    store.migrate().await.unwrap();
    let rows = directory_word::Entity::find().all(store.db()).await.unwrap();
    let found: BTreeSet<_> =
        rows.into_iter().map(|row| (row.word, row.entry_id, row.city_key, row.words)).collect();
    assert_eq!(found, expected);
    let pairs = directory_pair::Entity::find().all(store.db()).await.unwrap();
    let pairs: Vec<_> = pairs.into_iter().map(|row| (row.kind, row.pair, row.entry_id)).collect();
    let of_family = found.iter().find(|(word, ..)| word == "family").unwrap().1;
    assert_eq!(pairs, [(1, "family medicine".to_owned(), of_family)]);
}

fn listed(city_key: &str, words: &str) -> directory_entry::Model {
    directory_entry::Model {
        id: Uuid::now_v7(),
        kind: 1,
        source: "test".into(),
        source_key: String::new(),
        first_name: String::new(),
        middle_name: String::new(),
        last_name: String::new(),
        organization_name: String::new(),
        clinic_name: String::new(),
        direct_address: String::new(),
        phone: String::new(),
        fax: String::new(),
        address_line: String::new(),
        city: String::new(),
        state: "OH".into(),
        zip: String::new(),
        last_key: String::new(),
        first_key: String::new(),
        city_key: city_key.into(),
        words: words.into(),
        digest: 0,
        import_id: None,
    }
}

async fn every_change_of_an_anchor_is_counted_in_its_transaction(db: Db) {
    let store = db.migrated().await;
    let count = async || {
        trust_change::Entity::find_by_id(1).one(store.db()).await.unwrap().expect("a counter").number
    };
    let anchor = trust_anchor::Model {
        id: Uuid::now_v7(),
        organization_id: None,
        bundle_id: None,
        fingerprint: "f".into(),
        certificate_pem: "p".into(),
        incoming: true,
        outgoing: true,
        requires_revocation: false,
        created_at: DateTime::UNIX_EPOCH,
        version: 1,
    };
    let insert = || trust_anchor::Entity::insert(anchor.clone().into_active_model());
    insert().exec_without_returning(store.db()).await.unwrap();
    assert_eq!(count().await, 1);
    let less = trust_anchor::Entity::update_many().col_expr(Column::Incoming, Expr::value(false));
    assert_eq!(less.exec(store.db()).await.unwrap().rows_affected, 1);
    assert_eq!(count().await, 2);
    trust_anchor::Entity::delete_by_id(anchor.id).exec(store.db()).await.unwrap();
    assert_eq!(count().await, 3);
    let txn = store.begin().await.unwrap();
    insert().exec_without_returning(&txn).await.unwrap();
    txn.rollback().await.unwrap();
    assert_eq!(count().await, 3);
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
            "SELECT t.relname || ' (' || (SELECT COALESCE(string_agg(a.attname, ', ' ORDER BY k.n), 'an expression') \
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
            "SELECT t.name || ' (' || (SELECT COALESCE(group_concat(c.name, ', '), 'an expression') \
             FROM pragma_index_info(i.name) c) || ')' || \
             CASE WHEN i.\"unique\" THEN ' unique' ELSE '' END || CASE WHEN i.partial THEN ' partial' ELSE '' END \
             AS line FROM sqlite_master t, pragma_index_list(t.name) i WHERE t.type = 'table' \
             UNION ALL SELECT t.name || ' (' || c.name || ') unique' FROM sqlite_master t, pragma_table_info(t.name) c \
             WHERE c.pk AND lower(c.type) = 'integer' \
             AND (SELECT count(*) FROM pragma_table_info(t.name) k WHERE k.pk) = 1",
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

#[tokio::test]
async fn a_postgres_that_is_away_is_told_in_a_sentence_and_soon() {
    let since = std::time::Instant::now();
    let opened = Store::open("postgres://nobody@127.0.0.1:9/carepost").await;
    let told = opened.err().expect("nobody listens there").to_string();
    assert!(told.starts_with("the database at 127.0.0.1:9 cannot be reached: Connection refused"), "{told}");
    assert!(since.elapsed().as_secs() < 5);
}
