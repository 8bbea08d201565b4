//! Feature toggles, for everybody and per organization.

use platform::{Role, audit::event};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use store::entities::audit_entry;
use testkit::{Client, Db, TestApp};

const LIST: &str = "/api/admin/features";

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

async fn named(operator: &Client, name: &str) -> Value {
    operator.get(&format!("{LIST}?search={name}")).await.ok()["items"][0].clone()
}

/// Saves a feature with some members changed.
async fn switch(operator: &Client, name: &str, change: Value) -> Value {
    let mut feature = named(operator, name).await;
    let path = format!("{LIST}/{}", feature["id"].as_str().expect("an id"));
    for (member, value) in change.as_object().expect("members") {
        feature[member] = value.clone();
    }
    operator.put(&path, &feature).await.ok()
}

async fn is_on(client: &Client, name: &str) -> bool {
    let features = client.get("/api/features").await.ok();
    let all = features["features"].as_array().expect("features");
    all.iter().any(|feature| feature["name"] == name && feature["isEnabled"] == true)
}

/// ADB-C-001 ADB-C-002 ADB-C-003 ADB-C-004 ADB-C-005 ADB-R-016 ADB-R-025
#[tokio::test]
async fn a_feature_is_created_switched_and_deleted_with_a_trail() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let form = json!({ "name": " Faster Triage ", "enabled": true, "isOrganizationFeature": false });
    let feature = operator.post(LIST, &form).await.ok();
    assert_eq!((&feature["name"], &feature["enabled"]), (&json!("Faster Triage"), &json!(true)));
    for member in ["createdBy", "createDate", "modifiedBy", "modifiedDate"] {
        assert!(feature[member].is_string(), "{member}");
    }
    let path = format!("{LIST}/{}", feature["id"].as_str().expect("an id"));
    assert_eq!(operator.get(&path).await.ok(), feature);
    let saved = switch(&operator, "faster", json!({ "enabled": false })).await;
    assert_eq!((&saved["enabled"], &saved["isOrganizationFeature"]), (&json!(false), &json!(false)));
    let saved = switch(&operator, "faster", json!({ "isOrganizationFeature": true })).await;
    assert_eq!((&saved["enabled"], &saved["isOrganizationFeature"]), (&json!(false), &json!(true)));
    operator.put(&path, &feature).await.problem(409);
    operator.delete(&path).await.ok();
    operator.get(&path).await.problem(404);
    let id = feature["id"].as_str().expect("an id");
    let trail: Vec<String> = audit_entry::Entity::find()
        .filter(audit_entry::Column::ObjectId.eq(id))
        .order_by_asc(audit_entry::Column::Seq)
        .all(app.store.db())
        .await
        .expect("entries")
        .into_iter()
        .map(|entry| entry.event_type)
        .collect();
    assert_eq!(trail, [event::CREATED, event::CHANGED, event::CHANGED, event::DELETED]);
    app.finish().await;
}

/// ADB-R-017
#[tokio::test]
async fn a_switch_holds_with_the_next_call_on_every_node() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let (with, without) = (app.practice("larkfield").await, app.practice("summit").await);
    app.enable(&with.organization, "IntakeCdaViewer").await;
    let name = "IntakeCdaViewer";
    let on = async || (is_on(&with.client, name).await, is_on(&without.client, name).await);
    assert_eq!(on().await, (true, false));
    switch(&operator, name, json!({ "isOrganizationFeature": false })).await;
    assert_eq!(on().await, (true, true));
    switch(&operator, name, json!({ "enabled": false })).await;
    assert_eq!(on().await, (false, false));
    app.finish().await;
}

/// Open apps are notified.
#[tokio::test]
async fn open_screens_are_told_of_a_switch() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let practice = app.practice("larkfield").await;
    let mut events = practice.client.hub("events").await;
    events.expect("alive").await;
    switch(&operator, "IntakeCdaViewer", json!({ "enabled": false })).await;
    events.expect("features").await;
    events.close().await;
    app.finish().await;
}

/// ADB-R-022 ADB-R-023 ADB-R-024 ADB-R-029
#[tokio::test]
async fn what_the_product_or_an_organization_needs_stays() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    for name in ["", "abc", &"x".repeat(151)] {
        let refused = operator.post(LIST, &json!({ "name": name })).await.problem(422);
        assert!(refused["modelState"]["name"].is_array(), "{name}");
    }
    let taken = operator.post(LIST, &json!({ "name": "intakecdaviewer" })).await.problem(422);
    assert_eq!(taken["modelState"]["name"], json!(["Another feature has this name."]));
    let known = named(&operator, "IntakeCdaViewer").await;
    let path = format!("{LIST}/{}", known["id"].as_str().expect("an id"));
    operator.delete(&path).await.problem(409);
    let mut renamed = known.clone();
    renamed["name"] = json!("Viewer");
    assert!(operator.put(&path, &renamed).await.problem(422)["modelState"]["name"].is_array());

    let form = json!({ "name": "Faster Triage", "enabled": true, "isOrganizationFeature": true });
    let own = operator.post(LIST, &form).await.ok();
    let practice = app.practice("larkfield").await;
    app.enable(&practice.organization, "Faster Triage").await;
    let path = format!("{LIST}/{}", own["id"].as_str().expect("an id"));
    let used = operator.delete(&path).await.problem(409);
    assert_eq!(used["message"], "1 organization uses this entry, so it cannot be deleted.");
    switch(&operator, "faster", json!({ "name": "Quick Triage" })).await;
    assert!(is_on(&practice.client, "Quick Triage").await, "a feature keeps its organizations");
    practice.client.get(LIST).await.problem(403);
    app.finish().await;
}

#[tokio::test]
async fn a_new_installation_begins_with_the_whole_intake_and_later_is_as_people_switched_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let on = async || {
        let all = accounts::profile::features::enabled(app.store.db(), None).await.expect("features");
        let mut all: Vec<String> = all.into_iter().collect();
        all.sort();
        all
    };
    let begin = async || accounts::profile::features::begin(&app).await.expect("a beginning");
    assert_eq!(on().await, ["DirectInterface"]);
    begin().await;
    assert_eq!(on().await, ["DirectInterface", "IntakeCdaViewer", "OptimizedIntake", "PatientExtractionAPI"]);
    let operator = operator(&app).await;
    switch(&operator, "IntakeCdaViewer", json!({ "isOrganizationFeature": true })).await;
    begin().await;
    assert_eq!(on().await, ["DirectInterface", "OptimizedIntake", "PatientExtractionAPI"]);
    app.finish().await;
}
