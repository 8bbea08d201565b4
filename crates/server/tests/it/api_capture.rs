//! Calls of organizations whose capture is switched on are kept, and nobody else's.

use chrono::Duration;
use platform::{Role, capture};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use store::entities::{api_capture, organization};
use testkit::{Client, Db, Options, Practice, TestApp};

testkit::on_both_databases! { captured_calls_are_found_by_every_filter }

const CALLS: &str = "/api/diagnostics/apicapture";

async fn offering(db: Db) -> TestApp {
    let configure = |config: &mut platform::Config| config.api_capture.enabled = true;
    TestApp::start_with(db, Options { configure: Some(Box::new(configure)), ..Options::default() }).await
}

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

async fn captured(app: &TestApp, name: &str) -> Practice {
    let practice = app.practice(name).await;
    let on = organization::ActiveModel {
        id: Set(practice.organization.id),
        api_capture: Set(true),
        ..Default::default()
    };
    on.update(app.store.db()).await.expect("an organization");
    practice
}

/// The calls that are found, which are so many.
async fn calls(app: &TestApp, operator: &Client, query: &str, count: u64) -> Value {
    app.capture.settled().await;
    let found = operator.get(&format!("{CALLS}?{query}")).await.ok();
    assert_eq!(found["totalCount"], count, "{query}: {found}");
    found
}

/// ADB-C-035 ADB-R-217 ADB-R-218 ADB-R-224 ADB-R-226 ADB-R-227
async fn captured_calls_are_found_by_every_filter(db: Db) {
    let app = offering(db).await;
    let operator = operator(&app).await;
    let (larkfield, summit) = (captured(&app, "larkfield").await, app.practice("summit").await);
    larkfield.client.get("/api/features").await.ok();
    app.advance(Duration::seconds(1));
    larkfield.client.get(&format!("/api/messages/{}", uuid::Uuid::now_v7())).await.problem(404);
    summit.client.get("/api/features").await.ok();
    let all = calls(&app, &operator, "", 2).await;
    let newest = &all["items"][0];
    assert_eq!(
        (&newest["value"]["response"]["status"], &newest["userName"]),
        (&json!(404), &json!(larkfield.user.user_name))
    );
    let search = |search: Value| format!("search={search}");
    for (query, count) in [
        (search(json!({ "tenantId": larkfield.organization.id })), 2),
        (search(json!({ "tenantId": summit.organization.id })), 0),
        (search(json!({ "networkId": uuid::Uuid::now_v7() })), 0),
        (search(json!({ "userId": larkfield.user.id })), 2),
        (search(json!({ "userId": larkfield.user.user_name })), 2),
        (search(json!({ "url": "API/FEAT" })), 1),
        (search(json!({ "method": "get", "statusCode": "404" })), 1),
        (search(json!({ "statusCode": 200 })), 1),
        ("start=2020-01-01&end=2020-01-02".to_owned(), 0),
    ] {
        calls(&app, &operator, &query, count).await;
    }
    let oldest = calls(&app, &operator, "sortDir=asc", 2).await;
    assert_eq!(oldest["items"][0]["value"]["request"]["url"], "/api/features");
    operator.get(&format!("{CALLS}?search={{")).await.problem(400);
    let wrong = operator.get(&format!("{CALLS}?search={}", json!({ "tenantId": "01" }))).await.problem(422);
    assert!(wrong["modelState"]["tenantId"].is_array());
    operator.get(&format!("{CALLS}?start=2026-02-01&end=2026-01-01")).await.problem(422);
    larkfield.client.get(CALLS).await.problem(403);
    app.finish().await;
}

/// ADB-R-220 ADB-R-221
#[tokio::test]
async fn bodies_are_sealed_and_shown_to_whoever_says_why() {
    let app = offering(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = captured(&app, "larkfield").await;
    let filter = json!({ "filter": "xylophone" });
    larkfield.client.post("/api/intake", &filter).await.ok();
    let call = calls(&app, &operator, "", 1).await["items"][0].clone();
    assert!(call["value"]["request"]["body"].is_null() && call["value"]["response"]["body"].is_null());
    let token = call["value"]["request"]["headers"]["authorization"].as_str().expect("a header");
    assert_eq!(token, format!("Bearer sha256:{}", call["tokenHash"].as_str().expect("a hash")));
    let row = api_capture::Entity::find().one(app.store.db()).await.expect("a row").expect("a row");
    assert!(!row.sealed_exchange.windows(9).any(|bytes| bytes == b"xylophone"), "it is sealed");

    let path = format!("{CALLS}/{}/reveal", call["id"].as_str().expect("an id"));
    operator.post(&path, &json!({ "reason": "" })).await.problem(422);
    let whole =
        operator.post(&path, &json!({ "reason": "Ticket 4711: the search finds nothing" })).await.ok();
    assert_eq!(whole["value"]["request"]["body"], filter.to_string());
    let answer: Value =
        serde_json::from_str(whole["value"]["response"]["body"].as_str().expect("a body")).expect("JSON");
    assert_eq!(answer["items"], json!([]));
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let seen = admin.get("/api/audit/entries/apicapture?eventType=Viewed").await.ok();
    assert_eq!(seen["items"][0]["objectId"], call["id"], "the organization can see who looked");
    app.finish().await;
}

#[tokio::test]
async fn captured_calls_are_forgotten_in_time() {
    let app = offering(Db::sqlite()).await;
    let operator = operator(&app).await;
    let larkfield = captured(&app, "larkfield").await;
    larkfield.client.get("/api/features").await.ok();
    calls(&app, &operator, "", 1).await;
    assert_eq!(capture::sweep(&app).await.expect("a sweep"), 0);
    app.advance(Duration::days(15));
    assert_eq!(capture::sweep(&app).await.expect("a sweep"), 1);
    app.finish().await;
}

/// What waits is written before the node has stopped.
#[tokio::test]
async fn a_node_that_stops_writes_what_waits_and_nothing_where_capture_is_not_offered() {
    for (is_offered, count) in [(true, 1), (false, 0)] {
        let app = offering(Db::sqlite()).await;
        let app = app.restart_with(|config| config.api_capture.enabled = is_offered).await;
        let larkfield = captured(&app, "larkfield").await;
        larkfield.client.get("/api/features").await.ok();
        let app = app.restart().await;
        let kept = api_capture::Entity::find().count(app.store.db()).await.expect("a count");
        assert_eq!(kept, count);
        app.finish().await;
    }
}
