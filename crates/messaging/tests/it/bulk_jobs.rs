//! Bulk jobs, and undoing deletions.

use crate::support::*;
use chrono::Duration;
use messaging::bulk::forget;
use platform::audit::event;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use store::entities::bulk_item;
use testkit::{Client, Db, Practice, TestApp};
use uuid::Uuid;

const JOBS: &str = "/api/messages/bulk/jobs";

testkit::on_both_databases! {
    all_that_match_are_processed_and_taken_back,
    a_deleted_message_comes_back_whole,
}

/// A practice with received messages of these subjects, a minute apart.
async fn world(db: Db, subjects: &[&str]) -> (TestApp, Practice, Practice) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for subject in subjects {
        larkfield.client.send_document(&larkfield.address, &[&summit.address], subject).await;
        app.drain().await;
        app.advance(Duration::minutes(1));
    }
    (app, larkfield, summit)
}

async fn ended(app: &TestApp, client: &Client, job: &Value) -> Value {
    app.drain().await;
    client.get(&format!("{JOBS}/{}", text(job, "id"))).await.ok()
}

async fn all_that_match_are_processed_and_taken_back(db: Db) {
    let (app, larkfield, summit) = world(db, &["Lab one", "Lab two", "Visit note"]).await;
    let client = &summit.client;
    for wrong in [json!({ "act": "read" }), json!({ "act": "read", "intake": {}, "release": {} })] {
        client.post(JOBS, &wrong).await.problem(400);
    }
    let started = client.post(JOBS, &json!({ "act": "process", "intake": { "filter": "lab" } })).await.ok();
    assert_eq!((&started["state"], &started["done"]), (&json!("Running"), &json!(0)));
    client.post(JOBS, &json!({ "act": "read", "intake": {} })).await.problem(409);
    let path = format!("{JOBS}/{}", text(&started, "id"));
    larkfield.client.get(&path).await.problem(404);
    larkfield.client.get(&format!("{path}/refused")).await.problem(404);
    larkfield.client.post(&format!("{path}/stop"), &json!({})).await.problem(404);
    assert_eq!(larkfield.client.get(JOBS).await.ok()["items"], json!([]));

    // No message has a patient or type, so each is refused until that is confirmed.
    let job = ended(&app, client, &started).await;
    assert_eq!(
        (&job["state"], &job["total"], &job["isCounted"], &job["done"], &job["refused"]),
        (&json!("Done"), &json!(2), &json!(true), &json!(0), &json!(2)),
        "{job}"
    );
    let refused = client.get(&format!("{path}/refused?pageSize=1&pageStart=1")).await.ok();
    assert_eq!((&refused["totalCount"], &refused["items"][0]["subject"]), (&json!(2), &json!("Lab two")));
    assert_eq!(refused["items"][0]["canBeConfirmed"], true);

    let confirm = json!({ "act": "process", "acceptsGaps": true, "confirm": started["id"] });
    larkfield.client.post(JOBS, &confirm).await.problem(404);
    let confirmed = client.post(JOBS, &confirm).await.ok();
    let confirmed = ended(&app, client, &confirmed).await;
    assert_eq!((&confirmed["state"], &confirmed["done"]), (&json!("Done"), &json!(2)), "{confirmed}");
    let processed = json!({ "statuses": ["Processed"] });
    assert_eq!(subjects(client, processed.clone()).await, ["Lab two", "Lab one"]);

    let undo = json!({ "act": "reopen", "undo": confirmed["id"] });
    larkfield.client.post(JOBS, &undo).await.problem(404);
    client.post(JOBS, &json!({ "act": "delete", "undo": confirmed["id"] })).await.problem(422);
    let undone = client.post(JOBS, &undo).await.ok();
    assert_eq!(ended(&app, client, &undone).await["done"], 2);
    assert_eq!(subjects(client, processed).await, [""; 0]);

    let stopped = client.post(JOBS, &json!({ "act": "delete", "intake": {} })).await.ok();
    let stop = format!("{JOBS}/{}/stop", text(&stopped, "id"));
    assert_eq!(client.post(&stop, &json!({})).await.ok()["state"], "Stopped");
    assert_eq!(ended(&app, client, &stopped).await["done"], 0);
    assert_eq!(subjects(client, json!({})).await.len(), 3);
    app.finish().await;
}

#[tokio::test]
async fn more_than_one_run_finds_and_deletes_drafts_of_the_release_and_brings_them_back() {
    let (app, _, summit) = world(Db::sqlite(), &[]).await;
    let client = &summit.client;
    for at in 0..120 {
        let fields = json!({ "subject": format!("Put aside {at}"), "fromAddress": summit.address });
        client.put("/api/messages", &fields).await.ok();
    }
    let drafts = async || client.get("/api/messages?isDraft=true").await.ok()["totalCount"].clone();
    let job = client.post(JOBS, &json!({ "act": "delete", "release": { "isDraft": true } })).await.ok();
    let job = ended(&app, client, &job).await;
    assert_eq!((&job["total"], &job["done"]), (&json!(120), &json!(120)), "{job}");
    assert_eq!(drafts().await, 0);
    let undone = client.post(JOBS, &json!({ "act": "restore", "undo": job["id"] })).await.ok();
    assert_eq!(ended(&app, client, &undone).await["done"], 120);
    assert_eq!(drafts().await, 120);

    app.advance(Duration::days(6));
    forget(&app).await.expect("a round");
    let kept = async || bulk_item::Entity::find().count(app.store.db()).await.expect("items");
    assert_eq!(kept().await, 240, "it ended less than a week ago");
    app.advance(Duration::days(1) + Duration::minutes(1));
    forget(&app).await.expect("a round");
    assert_eq!(kept().await, 0);
    app.finish().await;
}

async fn a_deleted_message_comes_back_whole(db: Db) {
    let (app, larkfield, summit) = world(db, &["Treatment plan"]).await;
    let client = &summit.client;
    let id = only(&intake(client, json!({})).await);
    let before = message(client, &id).await;
    let bulk = async |client: &Client, act: &str| {
        client.post("/api/messages/bulk", &json!({ "act": act, "ids": [id] })).await.ok()
    };
    assert!(client.delete(&format!("/api/messages/{id}")).await.status.is_success());
    assert_eq!(subjects(client, json!({ "filter": "treatment" })).await, [""; 0]);
    assert_eq!(bulk(&larkfield.client, "restore").await["done"], json!([]), "another organization's");
    assert_eq!(bulk(client, "restore").await["done"], json!([id]));
    assert_eq!(bulk(client, "restore").await["done"], json!([id]), "a second time changes nothing");
    let after = message(client, &id).await;
    for same in ["subject", "attachments", "patient", "status", "toAddress"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(subjects(client, json!({ "filter": "treatment" })).await, ["Treatment plan"]);
    let file = &after["attachments"][0];
    assert!(client.get(&file_path(&id, text(file, "id"))).await.status.is_success());
    let uuid: Uuid = id.parse().expect("an id");
    assert!(!events(&app, uuid).await.contains(&"Deleted".to_owned()), "it was not deleted in the end");
    let acts: Vec<String> = audit_of(&app, uuid).await.into_iter().map(|e| e.event_type).collect();
    assert!(acts.contains(&event::DELETED.to_owned()) && acts.contains(&event::RESTORED.to_owned()));

    bulk(client, "delete").await;
    app.advance(Duration::minutes(61));
    client.enter(&summit.user).await;
    let late = bulk(client, "restore").await;
    assert_eq!(
        late["refused"][0]["reasons"],
        json!(["This message was deleted too long ago to be restored."])
    );
    let kept = store::entities::message::Entity::find_by_id(uuid).one(app.store.db()).await.expect("rows");
    assert!(kept.is_some_and(|row| row.deleted_at.is_some()));
    app.finish().await;
}
