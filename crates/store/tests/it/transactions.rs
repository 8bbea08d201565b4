use admission::Party;
use futures::{FutureExt, future::join_all, join, poll};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QueryResult, QueryTrait, SqlErr, Statement,
};
use std::{sync::Mutex, time::Duration};
use store::batching::{BatchedReads, BatchedWrites, models};
use store::{
    Store, Transaction,
    entities::network::{ActiveModel, Column, Entity, Model},
};
use testdb::Db;
use tokio::time::timeout;
use uuid::Uuid;

testdb::on_both_databases! {
    what_is_written_later_is_seen_by_the_next_statement_and_by_nobody_else_before_the_commit,
    a_row_that_is_changed_later_is_told_as_it_will_be,
    numbered_values_are_those_of_their_own_statement,
    only_rows_of_the_statement_itself_are_counted,
    a_transaction_of_which_a_part_failed_leaves_nothing,
    what_is_rolled_back_or_left_is_not_written_and_holds_nobody_up,
    a_statement_or_commit_that_is_given_up_half_way_ends_the_transaction,
    selections_that_are_asked_for_together_are_told_apart,
    a_statement_without_a_transaction_waits_in_line_and_may_be_refused,
    who_stops_waiting_for_an_answer_holds_nobody_up,
    a_query_that_nobody_waits_for_any_more_is_stopped,
    writers_wait_in_line,
    whoever_asks_for_much_waits_for_themselves,
}

fn network(name: &str) -> ActiveModel {
    let name_key = name.to_lowercase();
    let id = Uuid::now_v7();
    Model { id, name: name.into(), name_key, version: 1, created_at: None }.into_active_model()
}

async fn names(db: &impl ConnectionTrait) -> Vec<String> {
    let all = Entity::find().order_by_asc(Column::Id).all(db).await.unwrap();
    all.into_iter().map(|network| network.name).collect()
}

async fn write(txn: &Transaction, name: &str) {
    txn.later(Entity::insert(network(name))).await.unwrap();
}

async fn what_is_written_later_is_seen_by_the_next_statement_and_by_nobody_else_before_the_commit(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "Quarry").await;
    write(&txn, "Meridian").await;
    assert_eq!(names(&txn).await, ["Quarry", "Meridian"]);
    assert_eq!(names(store.db()).await, [""; 0]);
    write(&txn, "Larkfield").await;
    txn.commit().await.unwrap();
    assert_eq!(names(store.db()).await, ["Quarry", "Meridian", "Larkfield"]);
}

async fn a_row_that_is_changed_later_is_told_as_it_will_be(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "Quarry").await;
    let kept = Entity::find().one(&txn).await.unwrap().unwrap();
    let mut change = kept.clone().into_active_model();
    change.version = Set(2);
    let updated = txn.update_later(change).await.unwrap();
    txn.commit().await.unwrap();
    assert_eq!(updated, Model { version: 2, ..kept });
    assert_eq!(Entity::find().one(store.db()).await.unwrap(), Some(updated));
}

async fn numbered_values_are_those_of_their_own_statement(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "Quarry").await;
    let sql = "UPDATE network SET name = $2 WHERE name = $1 AND name_key <> $2 RETURNING name";
    let values = ["Quarry".into(), "Meridian".into()];
    let row = txn.query_one_raw(Statement::from_sql_and_values(store.backend(), sql, values)).await.unwrap();
    assert_eq!(row.unwrap().try_get::<String>("", "name").unwrap(), "Meridian");
    txn.commit().await.unwrap();
    assert_eq!(names(store.db()).await, ["Meridian"]);
}

async fn only_rows_of_the_statement_itself_are_counted(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "Quarry").await;
    write(&txn, "Meridian").await;
    let sql = "UPDATE network SET version = 7 WHERE name = $1";
    let statement = |name: &str| Statement::from_sql_and_values(store.backend(), sql, [name.into()]);
    assert_eq!(txn.execute_raw(statement("Quarry")).await.unwrap().rows_affected(), 1);
    write(&txn, "Larkfield").await;
    assert_eq!(txn.execute_raw(statement("Nobody")).await.unwrap().rows_affected(), 0);
    txn.rollback().await.unwrap();
}

async fn a_transaction_of_which_a_part_failed_leaves_nothing(db: Db) {
    let store = db.migrated().await;
    for seen_by_commit in [true, false] {
        let txn = store.begin().await.unwrap();
        write(&txn, "Quarry").await;
        let twice = txn.later(Entity::insert(network("quarry"))).await;
        // PostgreSQL reports it at once.
        let mut failed = twice.is_err();
        failed |= txn.later(Entity::insert(network("Meridian"))).await.is_err();
        if !seen_by_commit {
            failed |= Entity::find().all(&txn).await.is_err();
            failed |= Entity::find().all(&txn).await.is_err();
        }
        failed |= txn.commit().await.is_err();
        assert!(failed);
        assert_eq!(names(store.db()).await, [""; 0]);
    }
}

async fn what_is_rolled_back_or_left_is_not_written_and_holds_nobody_up(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "Rolled back").await;
    assert_eq!(names(&txn).await, ["Rolled back"]);
    txn.rollback().await.unwrap();
    let txn = store.begin().await.unwrap();
    write(&txn, "Left").await;
    assert_eq!(names(&txn).await, ["Left"]);
    drop(txn);
    let txn = store.begin().await.unwrap();
    write(&txn, "Never sent").await;
    drop(txn);
    let txn = store.begin().await.unwrap();
    drop(txn);
    let txn = store.begin().await.unwrap();
    write(&txn, "Kept").await;
    txn.commit().await.unwrap();
    assert_eq!(names(store.db()).await, ["Kept"]);
}

async fn a_statement_or_commit_that_is_given_up_half_way_ends_the_transaction(db: Db) {
    let store = db.migrated().await;
    for number in 0..20 {
        let txn = store.begin().await.unwrap();
        write(&txn, &format!("Given up {number}")).await;
        // Whichever happens first, the answer or its loss.
        if number % 2 == 0 {
            let _ = poll!(names(&txn).boxed());
        } else {
            write(&txn, &format!("Perhaps {number}")).await;
            let _ = poll!(txn.commit().boxed());
        }
    }
    let txn = store.begin().await.unwrap();
    write(&txn, "Kept").await;
    txn.commit().await.unwrap();
    let names = names(store.db()).await;
    // A commit in progress may have succeeded as a whole.
    let perhaps = names.iter().filter(|name| name.starts_with("Perhaps")).count();
    let beside = names.iter().filter(|name| name.starts_with("Given up")).count();
    assert_eq!(perhaps, beside, "{names:?}");
    assert_eq!(names.last().unwrap(), "Kept");
}

async fn selections_that_are_asked_for_together_are_told_apart(db: Db) {
    let store = db.migrated().await;
    let backend = store.backend();
    let one = |name: &str| Entity::find().filter(Column::Name.eq(name)).build(backend);
    let all = || Entity::find().order_by_asc(Column::Id).build(backend);
    let values = |rows: &[QueryResult]| {
        let found = models::<Entity>(rows).unwrap();
        found.into_iter().map(|network| network.name).collect::<Vec<_>>()
    };
    let txn = store.begin().await.unwrap();
    write(&txn, "Quarry").await;
    write(&txn, "Meridian").await;
    let [meridian, nobody, everybody] =
        txn.query_each([one("Meridian"), one("Larkfield"), all()]).await.unwrap();
    assert_eq!((values(&meridian), values(&nobody)), (vec!["Meridian".into()], vec![]));
    assert_eq!(values(&everybody), ["Quarry", "Meridian"]);
    let rename = Entity::update_many().col_expr(Column::Name, "Renamed".into()).build(backend);
    let (changed, [quarry, renamed]) =
        txn.change_and_query_both(rename, [one("Quarry"), all()]).await.unwrap();
    assert_eq!((changed, values(&quarry)), (2, vec![]));
    assert_eq!(values(&renamed), ["Renamed", "Renamed"]);
    let last = txn.query_and_commit(one("Renamed")).await.unwrap();
    assert_eq!(last.len(), 2);
    let [nobody, everybody] = store.db().query_each([one("Quarry"), all()]).await.unwrap();
    assert_eq!((values(&nobody).len(), values(&everybody).len()), (0, 2));
}

async fn a_statement_without_a_transaction_waits_in_line_and_may_be_refused(db: Db) {
    let store = db.migrated().await;
    let txn = store.begin().await.unwrap();
    write(&txn, "First").await;
    let second = network("Second");
    let mut insert = Entity::insert(second.clone()).exec_without_returning(store.db()).boxed();
    assert!(store.backend() == DbBackend::Postgres || poll!(&mut insert).is_pending());
    txn.commit().await.unwrap();
    insert.await.unwrap();
    let again = Entity::insert(second).exec(store.db()).await.unwrap_err();
    assert!(matches!(again.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))), "{again}");
    Entity::insert(network("Third")).exec(store.db()).await.unwrap();
    assert_eq!(names(store.db()).await.len(), 3);
}

async fn who_stops_waiting_for_an_answer_holds_nobody_up(db: Db) {
    let store = db.migrated().await;
    for _ in 0..40 {
        let _ = poll!(names(store.db()).boxed());
        let _ = poll!(Entity::insert(network("Perhaps")).exec_without_returning(store.db()).boxed());
    }
    let txn = store.begin().await.unwrap();
    write(&txn, "Kept").await;
    txn.commit().await.unwrap();
    assert_eq!(names(store.db()).await.last().unwrap(), "Kept");
}

async fn a_query_that_nobody_waits_for_any_more_is_stopped(db: Db) {
    let store = db.migrated().await;
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) AS of_n FROM n";
    // More than there are connections.
    for _ in 0..20 {
        let query = store.db().query_all_raw(Statement::from_string(store.backend(), endless));
        assert!(timeout(Duration::from_millis(20), query).await.is_err(), "it has no end");
    }
    let stopped = async {
        names(store.db()).await;
        while db.is_postgres() && running(&store, "%AS of_n%").await > 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), stopped).await.expect("all queries are stopped");
}

/// Number of running PostgreSQL queries like this one, without the asking one.
async fn running(store: &Store, like: &str) -> i64 {
    let asked = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' \
                 AND query LIKE $1 AND pid <> pg_backend_pid()";
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, asked, [like.into()]);
    let row = store.db().query_one_raw(statement).await.unwrap().expect("a row");
    row.try_get("", "n").unwrap()
}

async fn writers_wait_in_line(db: Db) {
    let store = db.migrated().await;
    let add = |number: usize| {
        let store = store.clone();
        async move {
            let txn = store.begin().await.unwrap();
            let before = Entity::find().count(&txn).await.unwrap();
            write(&txn, &format!("{number}")).await;
            assert!(Entity::find().count(&txn).await.unwrap() > before);
            store.commit_durable(txn).await.unwrap();
        }
    };
    join_all((0..50).map(add)).await;
    assert_eq!(Entity::find().count(store.db()).await.unwrap(), 50);
}

/// One party writes and reads as much as it can; another one gets its turn as soon as any.
async fn whoever_asks_for_much_waits_for_themselves(db: Db) {
    let store = db.migrated().await;
    if store.is_shared() {
        // Opening a connection takes longer than everything after it.
        let all = join_all((0..16).map(|_| store.begin())).await;
        all.into_iter().for_each(|txn| drop(txn.unwrap()));
    }
    let (noisy, quiet) = (Party::from(Uuid::from_u128(1)), Party::from(Uuid::from_u128(2)));
    let ended = Mutex::new(Vec::new());
    let writes = async |number: usize| {
        let txn = store.begin().await.unwrap();
        write(&txn, &format!("{number}")).await;
        txn.commit().await.unwrap();
        ended.lock().unwrap().push(number);
    };
    let noise = join_all((1..=200).map(|number| noisy.clone().working(writes(number))));
    join!(noise, quiet.working(writes(0)));
    let ended = ended.into_inner().unwrap();
    let before = ended.iter().position(|number| *number == 0).unwrap();
    assert!(before < 30, "{before} of the noisy party were served first");
}

#[tokio::test]
async fn nothing_counts_as_durable_that_the_disk_did_not_take() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("test.db");
    let store = Store::open_and_migrate(&format!("sqlite:{}", file.display())).await.unwrap();
    let confirm = async |name: &str| {
        let txn = store.begin().await.unwrap();
        write(&txn, name).await;
        store.commit_durable(txn).await
    };
    confirm("Quarry").await.unwrap();
    // Nobody can flush a log that is not where it should be.
    std::fs::rename(folder.path().join("test.db-wal"), folder.path().join("elsewhere")).unwrap();
    assert!(confirm("Meridian").await.is_err());
}
