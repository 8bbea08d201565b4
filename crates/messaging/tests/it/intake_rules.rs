//! Intake rules: their management, and their effects on arriving messages.

use crate::{
    fax::{SUMMIT, fax, pass_with_arrivals, two},
    support::*,
};
use chrono::Duration;
use platform::Role;
use serde_json::{Value, json};
use testkit::{Client, Db, Practice, TestApp};

testkit::on_both_databases! {
    what_arrives_over_direct_is_assigned_tagged_and_marked_by_the_first_rules_that_match,
    the_list_is_narrowed_to_messages_of_a_rule_and_found_by_tags,
}

const PATH: &str = "/api/settings/intakerules";

async fn rule(admin: &Client, form: Value) -> Value {
    let mut whole = json!({ "isEnabled": true });
    whole.as_object_mut().expect("a form").extend(form.as_object().cloned().expect("a form"));
    admin.post(PATH, &whole).await.ok()
}

fn at(rule: &Value) -> String {
    format!("{PATH}/{}", text(rule, "id"))
}

async fn row(client: &Client) -> Value {
    intake(client, json!({})).await["items"][0].clone()
}

async fn receive(app: &TestApp, from: &Practice, to: &Practice, subject: &str) {
    from.client.send_document(&from.address, &[&to.address], subject).await;
    app.drain().await;
    app.advance(Duration::minutes(1));
}

async fn what_arrives_over_direct_is_assigned_tagged_and_marked_by_the_first_rules_that_match(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let [dana, priya] =
        [app.user(Role::User, &summit.organization).await, app.user(Role::User, &summit.organization).await];
    let of_lab = rule(
        &admin,
        json!({
            "name": "Lab results", "subjects": ["LAB"], "sources": ["Direct"], "people": [dana.id, priya.id],
            "tags": ["lab"], "documentType": "Lab report",
        }),
    )
    .await;
    rule(&admin, json!({ "name": "Off", "isEnabled": false, "isUrgent": true, "people": [dana.id] })).await;
    rule(&admin, json!({ "name": "All of Larkfield", "senders": [larkfield.address], "tags": ["partner"], "stops": true }))
        .await;
    rule(&admin, json!({ "name": "Never reached", "isUrgent": true, "people": [dana.id] })).await;
    receive(&app, &larkfield, &summit, "Lab of today").await;
    let first = row(&summit.client).await;
    assert_eq!((&first["tags"], &first["isUrgent"]), (&json!(["lab", "partner"]), &json!(false)));
    assert_eq!(first["documentType"], "Lab report");
    let reviewer = |row: &Value| text(&row["assignedTo"], "id").to_owned();
    receive(&app, &larkfield, &summit, "Lab of tomorrow").await;
    let second = row(&summit.client).await;
    let mut both = [reviewer(&first), reviewer(&second)];
    both.sort();
    let mut people = [dana.id.to_string(), priya.id.to_string()];
    people.sort();
    assert_eq!(both, people, "each has one");
    receive(&app, &larkfield, &summit, "Visit note").await;
    assert_eq!(row(&summit.client).await["assignedTo"], Value::Null);

    let trail = audit_of(&app, id_of(&first)).await;
    let told: Vec<_> = trail.iter().filter(|entry| entry.detail.contains(text(&of_lab, "id"))).collect();
    assert_eq!(told.len(), 1);
    assert!(
        told[0].detail.contains("assigned, tagged, document type set by rule “Lab results”"),
        "{}",
        told[0].detail
    );
    assert_eq!(told[0].actor_id, None);
    app.finish().await;
}

async fn the_list_is_narrowed_to_messages_of_a_rule_and_found_by_tags(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let visits =
        rule(&admin, json!({ "name": "Visits", "subjects": ["visit"], "tags": ["xylophone"] })).await;
    receive(&app, &larkfield, &summit, "Visit note").await;
    receive(&app, &larkfield, &summit, "Lab report").await;
    for request in [
        json!({ "rules": [visits["id"]] }),
        json!({ "rules": [visits["id"]], "orderBy": "fromAddress" }),
        json!({ "rules": [visits["id"]], "filter": "note" }),
        json!({ "filter": "xylo" }),
    ] {
        assert_eq!(subjects(&summit.client, request.clone()).await, ["Visit note"], "{request}");
    }
    let counted = summit.client.post("/api/intake/counts", &json!({ "rules": [visits["id"]] })).await.ok();
    assert_eq!(counted["totalCount"], 1);
    let problem = summit.client.post("/api/intake", &json!({ "rules": ["mine"] })).await.problem(422);
    assert!(problem["modelState"]["rules"].is_array());
    admin.delete(&at(&visits)).await;
    assert_eq!(
        subjects(&summit.client, json!({ "filter": "xylophone" })).await,
        ["Visit note"],
        "what was done stays"
    );
    app.finish().await;
}

/// MSG-R-372, MSG-R-217
#[tokio::test]
async fn an_administrator_keeps_the_rules_and_their_order() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let (admin, stranger) = (
        app.signed_in(Role::Admin, &practice.organization).await,
        app.signed_in(Role::Admin, &app.organization("summit").await).await,
    );
    practice.client.get(PATH).await.problem(403);
    let foreign = app.user(Role::User, &app.organization("bayline").await).await;
    for (field, wrong) in [
        ("name", json!({ "name": "x", "stops": true })),
        ("isUrgent", json!({ "name": "Nothing" })),
        ("isUrgent", json!({ "name": "Urgent for nobody", "isUrgent": true, "tags": ["soon"] })),
        ("people", json!({ "name": "Others", "people": [foreign.id] })),
        ("tags", json!({ "name": "Tags", "tags": ["a,b"] })),
        ("subjects", json!({ "name": "Long", "stops": true, "subjects": vec!["a"; 21] })),
        (
            "patientNames",
            json!({ "name": "Who", "stops": true, "patient": "Unknown", "patientNames": ["Rosa"] }),
        ),
        ("sources", json!({ "name": "Pigeons", "stops": true, "sources": ["Pigeon"] })),
    ] {
        let problem = admin.post(PATH, &wrong).await.problem(422);
        let fields = problem["modelState"].as_object().expect("fields");
        assert!(fields.keys().any(|name| name.starts_with(field)), "{field}: {problem}");
    }
    let first = rule(&admin, json!({ "name": "First", "stops": true })).await;
    let second = rule(&admin, json!({ "name": "Second", "stops": true, "patient": "Known" })).await;
    admin.post(PATH, &json!({ "name": "first", "stops": true })).await.problem(422);
    stranger.get(&at(&first)).await.problem(404);
    stranger.put(&at(&first), &json!({ "name": "Ours", "stops": true, "version": 1 })).await.problem(404);
    stranger.delete(&at(&first)).await.problem(404);

    let order = |ids: Value| json!({ "ids": ids });
    let put = async |ids: Value| admin.put(&format!("{PATH}/order"), &order(ids)).await;
    put(json!([second["id"]])).await.problem(409);
    assert_eq!(put(json!([second["id"], first["id"]])).await.status, 204);
    let list = admin.get(PATH).await.ok();
    let names: Vec<_> = list["items"].as_array().expect("items").iter().map(|r| text(r, "name")).collect();
    assert_eq!(names, ["Second", "First"]);

    let now = admin.get(&at(&first)).await.ok();
    let changed =
        json!({ "name": "First of all", "stops": true, "isEnabled": true, "version": now["version"] });
    assert_eq!(admin.put(&at(&first), &changed).await.ok()["name"], "First of all");
    assert_eq!(admin.put(&at(&first), &changed).await.problem(409)["reason"], "Changed in the meantime.");
    assert_eq!(admin.delete(&at(&first)).await.status, 204);
    let trail = audit_of(&app, id_of(&first)).await;
    assert!(trail.iter().all(|entry| !entry.detail.contains("sealed")), "terms are not in the trail");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_is_sorted_by_the_number_it_came_to_and_by_its_unknown_patient() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let reviewer = app.user(Role::User, &summit.organization).await;
    let wanted = json!({
        "people": [reviewer.id], "name": "Unknown patients by fax", "sources": ["Fax"], "recipients": [SUMMIT], "patient": "Unknown",
        "isUrgent": true, "tags": ["identify"], "documentType": "Fax",
    });
    rule(&admin, wanted).await;
    rule(&admin, json!({ "name": "Known", "patient": "Known", "tags": ["known"] })).await;
    fax(&larkfield, SUMMIT, "Visit note").await;
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    let arrived = row(&summit.client).await;
    assert_eq!((&arrived["isUrgent"], &arrived["tags"]), (&json!(true), &json!(["identify"])));
    assert_eq!(arrived["documentType"], "Fax");
    app.finish().await;
}

#[tokio::test]
async fn a_dry_run_says_what_would_have_matched_and_why_and_changes_nothing() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    receive(&app, &larkfield, &summit, "Old lab").await;
    app.advance(Duration::days(31));
    larkfield.client.enter(&larkfield.user).await;
    for subject in ["Lab one", "Visit note", "Lab two"] {
        receive(&app, &larkfield, &summit, subject).await;
    }
    let client = app.signed_in(Role::Admin, &summit.organization).await;
    let run = async |body: Value| client.post(&format!("{PATH}/dryrun"), &body).await.ok();
    let nothing = run(json!({})).await;
    assert_eq!((&nothing["items"], &nothing["examined"]), (&json!([]), &json!(0)), "there are no rules");
    let form = json!({ "name": "Labs", "subjects": ["lab"], "isUrgent": true, "people": [summit.user.id] });
    let first = run(json!({ "rule": form, "pageSize": 1 })).await;
    assert_eq!(first["items"][0]["subject"], "Lab two");
    assert_eq!(first["items"][0]["matches"][0]["reasons"], json!(["The subject contains “lab”"]));
    assert_eq!((&first["items"][0]["isUrgent"], &first["examined"]), (&json!(true), &json!(1)));
    let rest = run(json!({ "rule": form, "cursor": first["nextCursor"] })).await;
    let found: Vec<_> = rest["items"].as_array().expect("items").iter().map(|r| text(r, "subject")).collect();
    assert_eq!((found, &rest["nextCursor"], &rest["examined"]), (vec!["Lab one"], &Value::Null, &json!(2)));
    rule(&client, json!({ "name": "Visits", "subjects": ["visit"], "tags": ["visit"] })).await;
    let saved = run(json!({})).await;
    assert_eq!(saved["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(saved["items"][0]["matches"][0]["name"], "Visits");
    client.post(&format!("{PATH}/dryrun"), &json!({ "rule": { "name": "x" } })).await.problem(422);
    let list = client.post("/api/intake", &json!({})).await.ok();
    let untouched = |row: &Value| row["isUrgent"] == false && row["tags"] == json!([]);
    assert!(list["items"].as_array().expect("items").iter().all(untouched));
    app.finish().await;
}
