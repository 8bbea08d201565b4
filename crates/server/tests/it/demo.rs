//! The demo data is complete, loaded once, and never in production.

use crate::configuration::{carepost, text};
use accounts::branding::http::DEMO_ACCOUNTS;
use chrono::Duration;
use messaging::model::{Direction, Status};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
};
use serde_json::{Value, json};
use std::{fs, path::Path, process::Stdio};
use store::{
    Store,
    entities::{message, message_event, message_event::EventType, organization, plan},
};
use testkit::{Db, Options, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    loading_that_was_killed_goes_on_at_the_next_start,
}

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn environment(db: &Db) -> Vec<(String, String)> {
    vec![
        ("CAREPOST_DATA_DIR".into(), db.folder().display().to_string()),
        ("CAREPOST_DATABASE__URL".into(), db.url()),
        ("CAREPOST_KEYS__MASTER_KEY".into(), KEY.into()),
        ("CAREPOST_HTTP__LISTEN".into(), "127.0.0.1:0".into()),
        ("CAREPOST_SMTP__LISTEN".into(), "127.0.0.1:0".into()),
    ]
}

fn run(arguments: &[&str], environment: &[(String, String)]) -> (bool, String) {
    let environment: Vec<_> = environment.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let output = carepost(arguments, &environment);
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[tokio::test]
async fn every_demo_account_signs_in_and_its_practice_has_mail() {
    let db = Db::sqlite().empty().await;
    let environment = environment(&db);
    let (loaded, said) = run(&["seed-demo"], &environment);
    assert!(loaded && said.contains("is loaded"), "{said}");
    let (again, said) = run(&["seed-demo"], &environment);
    assert!(again && said.contains("was already loaded"), "{said}");
    production_refuses(&environment);

    let options = Options {
        live: true,
        configure: Some(Box::new(|config| config.keys.master_key = Some(KEY.into()))),
        ..Options::default()
    };
    let app = TestApp::start_with(db, options).await;
    for account in DEMO_ACCOUNTS {
        let client = app.client();
        client.sign_in(account.user_name, account.password).await.ok();
        let profile = client.get("/api/users/profiledata").await.ok();
        let is_of_network = profile["isNetworkAdmin"] == true;
        let roles = if is_of_network { json!([]) } else { json!([account.role]) };
        assert_eq!(profile["roles"], roles, "{}", account.user_name);
        let organization = profile["organizationName"].as_str().unwrap_or_default();
        assert!(account.organization.starts_with(organization), "{organization}");
    }
    stay_connected_cannot_send(&app).await;
    let dana = app.client();
    dana.sign_in(DEMO_ACCOUNTS[0].user_name, DEMO_ACCOUNTS[0].password).await.ok();
    let list = dana.post("/api/intake", &json!({ "pageSize": 100 })).await.ok();
    let items = list["items"].as_array().expect("items");
    assert!(items.len() >= 20, "{}", items.len());
    assert!(items.iter().all(|item| item["attachmentCount"] != 0 && item["subject"] != ""), "{list}");
    let events = "/api/messages/events?eventTypes=Processed&start=2020-01-01T00:00:00Z&pageSize=100";
    let events = dana.get(events).await.ok();
    let is_told =
        |id: &Value| events["items"].as_array().expect("events").iter().any(|e| e["messageId"] == *id);
    let mut processed = items.iter().filter(|item| item["status"] == "Processed").peekable();
    assert!(processed.peek().is_some(), "{list}");
    assert!(processed.all(|item| is_told(&item["id"])), "{events}");
    let sent = dana.get("/api/messages?isDraft=false&pageSize=100").await.ok();
    let states: Vec<_> = sent["items"].as_array().expect("items").iter().map(|m| &m["status"]).collect();
    assert!(states.iter().any(|s| *s == "Sent") && states.iter().any(|s| *s == "Failed"), "{states:?}");
    assert_eq!(dana.get("/api/messages?isDraft=true").await.ok()["totalCount"], 2);
    let profile = dana.get("/api/users/profiledata").await.ok();
    assert_eq!(profile["organizations"].as_array().map(Vec::len), Some(2), "dana switches between two");
    app.finish().await;
}

/// SES-R-143, SES-R-144, SES-R-145, SES-R-146, SES-R-147
async fn stay_connected_cannot_send(app: &TestApp) {
    let of_plan = plan::Column::Name.eq("Stay Connected");
    let plan =
        plan::Entity::find().filter(of_plan).one(app.store.db()).await.expect("plans").expect("the plan");
    let row = organization::Entity::find().filter(organization::Column::SubDomain.eq("larkfield"));
    let row = row.one(app.store.db()).await.expect("organizations").expect("the practice");
    let before = row.plan_id;
    let move_to = async |plan_id: Option<Uuid>| {
        let moved =
            organization::ActiveModel { id: Set(row.id), plan_id: Set(plan_id), ..Default::default() };
        moved.update(app.store.db()).await.expect("an organization");
    };
    move_to(Some(plan.id)).await;
    let dana = app.client();
    dana.sign_in(DEMO_ACCOUNTS[0].user_name, DEMO_ACCOUNTS[0].password).await.ok();
    let profile = dana.get("/api/users/profiledata").await.ok();
    for resource in ["forward", "reply", "releaseRoute", "send", "structuredExport", "triage"] {
        assert_eq!(profile["uiResources"][resource], json!(["plan-upgrade-prompt"]), "{resource}");
    }
    let drafts = dana.get("/api/messages?isDraft=true").await.ok();
    let draft = drafts["items"][0]["id"].as_str().expect("a draft");
    let refused = dana.post(&format!("/api/messages/{draft}/send"), &json!({})).await.problem(409);
    assert_eq!(refused["message"], "Your plan does not include sending messages.");
    move_to(before).await;
}

fn production_refuses(environment: &[(String, String)]) {
    let mut environment = environment.to_vec();
    environment.push(("CAREPOST_MODE".into(), "production".into()));
    environment.push(("CAREPOST_HTTP__PUBLIC_URL".into(), "https://care.example".into()));
    environment.push(("CAREPOST_DIRECT__HOST".into(), "care.example".into()));
    let (loaded, said) = run(&["seed-demo"], &environment);
    assert!(!loaded && said.contains("demo mode only"), "{said}");
    let (served, said) = run(&["serve"], &environment);
    assert!(!served && said.contains("demo data"), "{said}");
}

#[test]
fn demo_data_is_not_loaded_in_production() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let environment = [
        ("CAREPOST_DATA_DIR".to_owned(), data.display().to_string()),
        ("CAREPOST_MODE".to_owned(), "production".to_owned()),
        ("CAREPOST_HTTP__PUBLIC_URL".to_owned(), "https://care.example".to_owned()),
        ("CAREPOST_DIRECT__HOST".to_owned(), "care.example".to_owned()),
        ("CAREPOST_KEYS__MASTER_KEY".to_owned(), KEY.to_owned()),
    ];
    let (loaded, said) = run(&["seed-demo"], &environment);
    assert!(!loaded && said.contains("demo mode only"), "{said}");
    assert!(!Path::new(&data).exists() || fs::read_dir(&data).is_ok_and(|mut files| files.next().is_none()));
}

/// Loads the demo data and kills the process as soon as the condition holds.
async fn kill_as_soon_as(environment: &[(String, String)], is_time: impl AsyncFn() -> bool) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_carepost"));
    let quiet =
        command.arg("seed-demo").envs(environment.to_vec()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut loading = quiet.spawn().expect("the program starts");
    let mut look = tokio::time::interval(std::time::Duration::from_millis(10));
    while !is_time().await {
        look.tick().await;
        assert!(loading.try_wait().expect("a child").is_none(), "it ended before it could be killed");
    }
    loading.kill().expect("it is killed");
    loading.wait().expect("it is gone");
}

async fn loading_that_was_killed_goes_on_at_the_next_start(db: Db) {
    let db = db.empty().await;
    let environment = environment(&db);
    let store = Store::open_and_migrate(&db.url()).await.expect("the database opens");
    let messages = async || message::Entity::find().count(store.db()).await.expect("messages");
    let is_processed = message::Column::Status.eq(Status::Processed);
    let processed = message::Entity::find().filter(message::Column::Direction.eq(Direction::Intake));
    let processed = processed.filter(is_processed);
    let done = async || processed.clone().count(store.db()).await.expect("processed messages");
    kill_as_soon_as(&environment, async || messages().await >= 9).await;
    let begun = messages().await;
    kill_as_soon_as(&environment, async || done().await >= 1).await;

    let (loaded, said) = run(&["seed-demo"], &environment);
    assert!(loaded && said.contains("is loaded"), "{said}");
    assert!(messages().await > begun);
    let (again, said) = run(&["seed-demo"], &environment);
    assert!(again && said.contains("was already loaded"), "{said}");

    let told = message_event::Entity::find()
        .filter(message_event::Column::EventType.eq(EventType::Processed))
        .filter(
            message_event::Column::MessageId
                .in_subquery(processed.clone().select_only().column(message::Column::Id).into_query()),
        )
        .count(store.db())
        .await
        .expect("events");
    assert_eq!(told, done().await, "each processed message is told of once");
    let whole = message::Entity::find().filter(message::Column::DeletedAt.is_null());
    let all = whole.order_by_asc(message::Column::ReceivedAt).all(store.db()).await.expect("messages");
    let (released, arrived): (Vec<_>, Vec<_>) =
        all.iter().filter(|m| !m.is_draft).partition(|m| m.direction == Direction::Release);
    let sent = released.iter().filter(|m| m.status == Status::Sent).count();
    assert_eq!((sent, released.len() - sent), (arrived.len(), 1), "all arrived but the one to nobody");
    assert_eq!(all.len() - released.len() - arrived.len(), 2, "drafts");
    for (n, one) in released.iter().enumerate() {
        let again = released[..n].iter().find(|other| {
            (other.organization_id, &other.to_address) == (one.organization_id, &one.to_address)
                && one.received_at - other.received_at < Duration::minutes(10)
        });
        assert!(again.is_none(), "a letter was sent twice at {}", one.received_at);
    }
}
