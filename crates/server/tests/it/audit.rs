//! Changes to the audit trail are detected.

use platform::{
    Role, audit,
    audit::{
        Finding, event,
        heads::{self, Wrong},
    },
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use std::path::PathBuf;
use store::entities::{audit_entry, installation};
use testkit::{Db, Organization, TestApp};

testkit::on_both_databases! {
    the_database_refuses_to_change_or_remove_an_entry,
    a_changed_entry_is_named,
    a_removed_entry_is_named,
    a_removed_last_entry_is_named,
    entries_that_are_written_meanwhile_are_no_finding,
    reordered_entries_are_named,
    the_chains_of_organizations_are_apart,
    entries_that_are_removed_with_their_head_are_named,
    heads_that_are_removed_with_the_newest_entries_are_missed,
    heads_are_numbered_through_by_all_nodes,
}

/// An application with at least five entries in one chain.
async fn with_entries(db: Db) -> (TestApp, Organization) {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..5 {
        app.browser_of(&user).await;
    }
    assert_eq!(findings(&app).await, []);
    (app, larkfield)
}

async fn findings(app: &TestApp) -> Vec<Finding> {
    audit::verify(app.store.db()).await.expect("the trail can be read")
}

async fn entry(app: &TestApp, organization: &Organization, seq: i64) -> audit_entry::Model {
    audit_entry::Entity::find()
        .filter(audit_entry::Column::ChainId.eq(organization.id))
        .filter(audit_entry::Column::Seq.eq(seq))
        .one(app.store.db())
        .await
        .expect("the trail can be read")
        .expect("the entry is there")
}

async fn run(app: &TestApp, statement: &str) -> Result<(), DbErr> {
    app.store.db().execute_unprepared(statement).await.map(|_| ())
}

/// Removes the protection, as an attacker with full access to the database would do first.
async fn drop_the_guard(app: &TestApp) {
    let statements: &[&str] = if app.db.is_postgres() {
        &["DROP TRIGGER audit_entry_append_only ON audit_entry"]
    } else {
        &["DROP TRIGGER audit_entry_no_UPDATE", "DROP TRIGGER audit_entry_no_DELETE"]
    };
    for statement in statements {
        run(app, statement).await.expect("the trigger is there");
    }
}

async fn tamper(app: &TestApp, statement: &str) {
    drop_the_guard(app).await;
    run(app, statement).await.expect("the statement runs");
}

async fn the_database_refuses_to_change_or_remove_an_entry(db: Db) {
    let (app, _) = with_entries(db).await;
    for statement in [
        "UPDATE audit_entry SET outcome = 'Success'",
        "UPDATE audit_entry SET actor_name = 'Somebody else' WHERE seq = 1",
        "DELETE FROM audit_entry",
        "DELETE FROM audit_entry WHERE seq = 2",
    ] {
        let error = run(&app, statement).await.expect_err(statement);
        assert!(error.to_string().contains("append-only"), "{statement}: {error}");
    }
    app.finish().await;
}

async fn a_changed_entry_is_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    tamper(&app, "UPDATE audit_entry SET actor_name = 'Somebody else' WHERE seq = 3").await;
    assert_eq!(findings(&app).await, [Finding::Changed { chain_id: larkfield.id, seq: 3 }]);
}

async fn a_removed_entry_is_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    tamper(&app, "DELETE FROM audit_entry WHERE seq = 3").await;
    let found = findings(&app).await;
    assert_eq!(found.first(), Some(&Finding::Removed { chain_id: larkfield.id, seq: 3 }));
}

async fn a_removed_last_entry_is_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    tamper(&app, "DELETE FROM audit_entry WHERE seq = 5").await;
    assert_eq!(findings(&app).await, [Finding::Removed { chain_id: larkfield.id, seq: 5 }]);
}

async fn entries_that_are_written_meanwhile_are_no_finding(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    let user = app.user(Role::User, &larkfield).await;
    let writing = async {
        for _ in 0..5 {
            app.browser_of(&user).await;
        }
    };
    let looking = async {
        for _ in 0..20 {
            assert_eq!(findings(&app).await, []);
        }
    };
    tokio::join!(writing, looking);
    app.finish().await;
}

async fn reordered_entries_are_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    let (second, third) = (entry(&app, &larkfield, 2).await, entry(&app, &larkfield, 3).await);
    drop_the_guard(&app).await;
    for statement in [
        "UPDATE audit_entry SET seq = 1000 WHERE seq = 2",
        "UPDATE audit_entry SET seq = 2 WHERE seq = 3",
        "UPDATE audit_entry SET seq = 3 WHERE seq = 1000",
    ] {
        run(&app, statement).await.expect("the statement runs");
    }
    assert_eq!(entry(&app, &larkfield, 2).await.id, third.id);
    assert_eq!(entry(&app, &larkfield, 3).await.id, second.id);
    let found = findings(&app).await;
    for seq in [2, 3] {
        let named = found.iter().any(|finding| {
            let (Finding::Changed { seq: s, .. }
            | Finding::Removed { seq: s, .. }
            | Finding::Reordered { seq: s, .. }) = finding;
            *s == seq
        });
        assert!(named, "entry {seq} is not named: {found:?}");
    }
}

async fn the_chains_of_organizations_are_apart(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    let summit = app.organization("summit").await;
    app.signed_in(Role::User, &summit).await;
    tamper(&app, "DELETE FROM audit_entry WHERE seq = 5").await;
    let found = findings(&app).await;
    assert_eq!(found, [Finding::Removed { chain_id: larkfield.id, seq: 5 }]);
    let chain = audit_entry::Entity::find()
        .filter(audit_entry::Column::ChainId.eq(summit.id))
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("the trail can be read");
    assert_eq!(chain.iter().map(|e| e.seq).collect::<Vec<_>>(), [1]);
}

async fn keep(app: &TestApp) -> Vec<String> {
    heads::keep(app).await.expect("the heads can be kept")
}

/// Removes the entries after this one, and makes it the head of the chain.
async fn cut_off(app: &TestApp, newest: &audit_entry::Model) {
    let literal = if app.db.is_postgres() { "'\\x" } else { "x'" };
    let hash: String = newest.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let seq = newest.seq;
    tamper(app, &format!("DELETE FROM audit_entry WHERE seq > {seq}")).await;
    let head =
        format!("UPDATE audit_chain SET last_seq = {seq}, last_hash = {literal}{hash}' WHERE last_seq = 5");
    run(app, &head).await.expect("the statement runs");
}

/// An attacker with the whole database removes entries and adapts the head, so that the rest is consistent.
async fn entries_that_are_removed_with_their_head_are_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    assert_eq!(keep(&app).await, [""; 0]);
    let third = entry(&app, &larkfield, 3).await;
    cut_off(&app, &third).await;
    assert_eq!(findings(&app).await, [], "inside the database nothing is missing");
    let named = [format!("audit entry 5 of chain {} was removed", larkfield.id)];
    assert_eq!(keep(&app).await, named);
    let user = app.user(Role::User, &larkfield).await;
    for _ in 0..5 {
        app.browser_of(&user).await;
    }
    assert_eq!(
        keep(&app).await,
        [format!("audit entry 5 of chain {} was changed", larkfield.id)],
        "and stays so"
    );
    heads::accept(&app, "A backup was restored").await.expect("accepted");
    assert_eq!(keep(&app).await, [""; 0]);
}

#[tokio::test]
async fn a_chain_that_is_gone_and_kept_heads_that_were_changed_are_named() {
    let (app, larkfield) = with_entries(Db::sqlite()).await;
    keep(&app).await;
    let file = app.config.data_dir.join("audit-heads.json");
    let kept = std::fs::read_to_string(&file).expect("kept heads");
    drop_the_guard(&app).await;
    for table in ["audit_entry WHERE chain_id", "audit_chain WHERE id"] {
        let id = larkfield.id.simple();
        run(&app, &format!("DELETE FROM {table} = x'{id}'")).await.expect("the statement runs");
    }
    assert_eq!(findings(&app).await, []);
    let named = [format!("audit entry 5 of chain {} was removed", larkfield.id)];
    assert_eq!(keep(&app).await, named);
    assert_eq!(keep(&app).await, named, "a restart changes nothing");
    std::fs::write(&file, kept.replacen("\\\"seq\\\":5", "\\\"seq\\\":1", 1)).expect("a change");
    assert_eq!(keep(&app).await, [Wrong::Forged.to_string()]);
}

fn file(app: &TestApp) -> PathBuf {
    app.config.data_dir.join("audit-heads.json")
}

fn kept(app: &TestApp) -> String {
    std::fs::read_to_string(file(app)).expect("kept heads")
}

/// The copy of the heads in the database.
async fn witness(app: &TestApp) -> installation::Model {
    let row = installation::Entity::find_by_id("audit_heads").one(app.store.db()).await;
    row.expect("rows").expect("the row")
}

/// Writes another entry, so that new heads are kept.
async fn keep_more(app: &TestApp, organization: &Organization) {
    app.signed_in(Role::User, organization).await;
    assert_eq!(keep(app).await, [""; 0]);
}

/// Somebody removes the newest entries, and the file that would reveal it.
async fn heads_that_are_removed_with_the_newest_entries_are_missed(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    assert_eq!(keep(&app).await, [""; 0]);
    cut_off(&app, &entry(&app, &larkfield, 3).await).await;
    std::fs::remove_file(file(&app)).expect("the file");
    let app = app.restart().await;
    let removed = [Wrong::Removed.to_string()];
    assert_eq!(keep(&app).await, removed);
    assert!(!file(&app).exists(), "nothing is kept in its place");
    assert_eq!(keep(&app.restart().await).await, removed, "until somebody accepts it");
}

#[tokio::test]
async fn what_is_accepted_stands_in_the_trail_with_its_reason() {
    let (app, larkfield) = with_entries(Db::sqlite()).await;
    keep(&app).await;
    std::fs::remove_file(file(&app)).expect("the file");
    assert_eq!(keep(&app).await, [Wrong::Removed.to_string()]);
    heads::accept(&app, "The disk was replaced").await.expect("accepted");
    assert_eq!(keep(&app).await, [""; 0]);
    let accepted = audit_entry::Entity::find()
        .filter(audit_entry::Column::EventType.eq(event::AUDIT_ACCEPTED))
        .one(app.store.db())
        .await
        .expect("the trail can be read")
        .expect("the entry");
    assert!(accepted.detail.contains("The disk was replaced"), "{}", accepted.detail);
    assert!(accepted.detail.contains(&Wrong::Removed.to_string()), "{}", accepted.detail);
    keep_more(&app, &larkfield).await;
    app.finish().await;
}

#[tokio::test]
async fn an_older_copy_of_kept_heads_is_not_believed() {
    let (app, larkfield) = with_entries(Db::sqlite()).await;
    keep(&app).await;
    let older = kept(&app);
    keep_more(&app, &larkfield).await;
    let newest = kept(&app);
    std::fs::write(file(&app), &older).expect("the older copy");
    let app = app.restart().await;
    let exchanged = [Wrong::Exchanged.to_string()];
    assert_eq!(keep(&app).await, exchanged);
    app.signed_in(Role::User, &larkfield).await;
    assert_eq!(keep(&app).await, exchanged, "until somebody accepts it");
    assert_eq!(kept(&app), older, "nothing is kept in its place");
    std::fs::write(file(&app), newest).expect("the newest");
    assert_eq!(keep(&app).await, [""; 0]);
    // An accepted change cannot be reverted unnoticed either.
    std::fs::remove_file(file(&app)).expect("the file");
    heads::accept(&app, "The disk was replaced").await.expect("accepted");
    std::fs::write(file(&app), &older).expect("the older copy");
    assert_eq!(keep(&app).await, exchanged);
}

#[tokio::test]
async fn a_database_that_forgot_which_heads_were_kept_is_noticed() {
    let (app, larkfield) = with_entries(Db::sqlite()).await;
    keep(&app).await;
    let older = witness(&app).await.value;
    for _ in 0..2 {
        keep_more(&app, &larkfield).await;
    }
    let newest = witness(&app).await.value;
    let say = |value: String| format!("UPDATE installation SET value = '{value}' WHERE name = 'audit_heads'");
    run(&app, &say(older)).await.expect("the row of before");
    assert_eq!(keep(&app).await, [Wrong::Ahead.to_string()]);
    run(&app, &say("AAAA".into())).await.expect("a row of somebody");
    assert_eq!(keep(&app).await, [Wrong::Unknown.to_string()]);
    run(&app, &say(newest)).await.expect("the newest row");
    assert_eq!(keep(&app).await, [""; 0]);
    run(&app, "DELETE FROM installation WHERE name = 'audit_heads'").await.expect("the row goes");
    let app = app.restart().await;
    assert_eq!(keep(&app).await, [Wrong::Unknown.to_string()]);
    std::fs::remove_file(file(&app)).expect("the file");
    let app = app.restart().await;
    assert_eq!(keep(&app).await, [Wrong::Unknown.to_string()], "nor is it a new installation without either");
}

#[tokio::test]
async fn whoever_dies_between_both_leaves_nothing_that_is_wrong() {
    let (app, larkfield) = with_entries(Db::sqlite()).await;
    keep(&app).await;
    let before = witness(&app).await.value;
    keep_more(&app, &larkfield).await;
    let say = format!("UPDATE installation SET value = '{before}' WHERE name = 'audit_heads'");
    run(&app, &say).await.expect("the database was not told");
    let app = app.restart().await;
    assert_eq!(keep(&app).await, [""; 0]);
    assert_ne!(witness(&app).await.value, before, "it is told now");
    keep_more(&app, &larkfield).await;
    app.finish().await;
}

/// Nodes that keep heads at the same time agree on one sequence of them.
async fn heads_are_numbered_through_by_all_nodes(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    let another = app.another_node().await;
    for _ in 0..5 {
        app.signed_in(Role::User, &larkfield).await;
        let (one, other) = tokio::join!(keep(&app), keep(&another));
        assert_eq!([one, other], [const { Vec::<String>::new() }; 2]);
        assert_eq!(keep(&app).await, [""; 0]);
    }
    app.finish().await;
}
