//! The audit trail cannot be changed unnoticed.

use platform::{
    Role, audit,
    audit::{Finding, heads},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use store::entities::audit_entry;
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

/// What somebody does first who has full access to the database.
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

/// Whoever has the whole database removes what they like, and what is left fits together.
async fn entries_that_are_removed_with_their_head_are_named(db: Db) {
    let (app, larkfield) = with_entries(db).await;
    assert_eq!(keep(&app).await, [""; 0]);
    let third = entry(&app, &larkfield, 3).await;
    let literal = if app.db.is_postgres() { "'\\x" } else { "x'" };
    let hash: String = third.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    tamper(&app, "DELETE FROM audit_entry WHERE seq > 3").await;
    let head =
        format!("UPDATE audit_chain SET last_seq = 3, last_hash = {literal}{hash}' WHERE last_seq = 5");
    run(&app, &head).await.expect("the statement runs");
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
    heads::accept(&app).await.expect("accepted");
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
    assert_eq!(keep(&app).await, [heads::FORGED]);
}
