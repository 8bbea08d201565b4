//! The index of patients: their details, merges of duplicates, and undoing each decision.

use crate::support::*;
use chrono::Duration;
use messaging::known_patients::backfill;
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use store::entities::{installation, patient, patient_source, patient_token};
use testkit::{Client, Db, Practice, TestApp, document};

testkit::on_both_databases! {
    what_a_later_message_leaves_out_is_still_known,
    two_patients_become_one_and_each_merge_is_undone_alone,
    two_people_are_told_apart_once_and_for_all,
    a_correction_counts_more_than_messages_until_it_is_undone,
    a_filed_message_is_taken_to_another_patient,
    a_patient_of_messages_that_may_not_be_read_is_not_shown,
    messages_from_before_the_index_come_into_it_once,
}

/// Sends a message about a patient, and returns its id.
async fn sends(app: &TestApp, by: &Practice, patient: Value, subject: &str) -> String {
    let mut form = document(&by.address, &[by.address.as_str()], subject);
    form["patient"] = patient;
    let draft = by.client.draft(form).await;
    by.client.upload(&draft, "Note.txt", b"A short note.\n".to_vec(), meta()).await;
    by.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.advance(Duration::minutes(1));
    draft
}

/// Sets the patient of an Intake message and files it.
async fn files(client: &Client, id: &str, patient: Value) -> Value {
    let version = message(client, id).await["patientVersion"].clone();
    let patient = with(patient, json!({ "version": version }));
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
    let body = json!({ "isProcessed": true, "acceptsGaps": true });
    client.put(&format!("/api/messages/{id}/process"), &body).await.ok();
    message(client, id).await
}

async fn find(client: &Client, text: &str) -> Vec<Value> {
    let found = client.post("/api/patients/_search", &json!({ "text": text })).await.ok();
    found["items"].as_array().expect("items").clone()
}

async fn only(client: &Client, text: &str) -> Value {
    let found = find(client, text).await;
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].clone()
}

async fn shown(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/patients/{id}")).await.ok()
}

async fn duplicates(client: &Client) -> Vec<Value> {
    client.get("/api/patients/duplicates").await.ok()["items"].as_array().expect("items").clone()
}

async fn decides(client: &Client, act: &str, id: &str, other: &str) -> String {
    let path = format!("/api/patients/{id}/{act}");
    text(&client.post(&path, &json!({ "otherId": other })).await.ok(), "eventId").to_owned()
}

async fn undoes(client: &Client, event: &str) {
    let answer = client.post(&format!("/api/patients/events/{event}/undo"), &json!({})).await;
    assert_eq!(answer.status.as_u16(), 204, "{}", answer.text());
}

fn marisol() -> Value {
    json!({ "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14", "gender": "F" })
}

fn with(mut patient: Value, more: Value) -> Value {
    patient.as_object_mut().expect("a patient").extend(more.as_object().expect("fields").clone());
    patient
}

async fn what_a_later_message_leaves_out_is_still_known(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    let first = with(marisol(), json!({ "patientId": "LFM-08842", "telephone": "5550100142" }));
    let said = sends(&app, &larkfield, first, "With its number").await;
    sends(&app, &larkfield, with(marisol(), json!({ "lastName": "TENNEY" })), "Without").await;
    for typed in ["lfm 08842", "LFM-08842", "3/14/61", "Tenney, Marisol 3/14/61", "ten", "teney", "010-0142"]
    {
        let found = find(client, typed).await;
        let is_found = found.len() == 1 && found[0]["patient"]["patientId"] == "LFM-08842";
        assert!(is_found || typed == "lfm 08842", "{typed}: {found:?}");
    }
    let found = only(client, "tenney").await;
    assert_eq!(found["messageCount"], 2, "one patient of two messages");
    let view = shown(client, text(&found, "id")).await;
    let number =
        view["provenance"].as_array().expect("provenance").iter().find(|told| told["field"] == "patientId");
    assert_eq!(number.expect("is told")["messageId"], json!(said));
    assert_eq!(find(client, "3/15/61").await, [] as [Value; 0]);
    let list = client.get(&format!("/api/patients/{}/messages", text(&found, "id"))).await.ok();
    assert_eq!(
        (list["totalCount"].clone(), list["items"][0]["subject"].clone()),
        (json!(2), json!("Without"))
    );

    let summit = app.practice("summit").await;
    summit.client.get(&format!("/api/patients/{}", text(&found, "id"))).await.problem(404);
    assert_eq!(find(&summit.client, "tenney").await, [] as [Value; 0]);
    app.finish().await;
}

async fn two_patients_become_one_and_each_merge_is_undone_alone(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    for (patient, subject) in [
        (with(marisol(), json!({ "patientId": "LFM-1001" })), "One"),
        (with(marisol(), json!({ "lastName": "Reyes", "patientId": "LFM-1001" })), "Other"),
        (with(marisol(), json!({ "birthDate": "1961-03-15" })), "Third"),
    ] {
        sends(&app, &larkfield, patient, subject).await;
    }
    let (one, other) = (only(client, "LFM-1001 tenney").await, only(client, "reyes").await);
    let third = only(client, "3/15/1961").await;
    let id = |of: &Value| text(of, "id").to_owned();
    let pairs = duplicates(client).await;
    assert!(pairs.len() >= 2, "who may be one person is asked about: {pairs:?}");
    assert!(pairs[0]["percent"].as_i64() >= pairs[1]["percent"].as_i64());

    let first = decides(client, "merge", &id(&one), &id(&other)).await;
    let second = decides(client, "merge", &id(&third), &id(&one)).await;
    assert_eq!(shown(client, &id(&other)).await["id"], third["id"], "who went leads to who stayed");
    let all = shown(client, &id(&third)).await;
    assert_eq!(all["messageCount"], 3);
    let reyes = find(client, "reyes").await;
    assert_eq!(reyes[0]["id"], third["id"], "a former name leads to the patient");
    assert_eq!(duplicates(client).await, [] as [Value; 0]);

    // Only the first merge, although another one came after it.
    undoes(client, &first).await;
    let back = shown(client, &id(&other)).await;
    assert_eq!((back["id"].clone(), back["messageCount"].clone()), (other["id"].clone(), json!(1)));
    assert_eq!(shown(client, &id(&one)).await["id"], third["id"], "the second merge stands");
    assert_eq!(shown(client, &id(&third)).await["messageCount"], 2);
    undoes(client, &second).await;
    assert_eq!(shown(client, &id(&one)).await["messageCount"], 1);
    undoes(client, &second).await;
    let history = client.get(&format!("/api/patients/{}/history", id(&one))).await.ok();
    assert_eq!(history["items"].as_array().map(Vec::len), Some(2));
    assert!(history["items"][0]["undoneAt"].is_string() && history["items"][0]["canUndo"] == false);

    let path = format!("/api/patients/{}/merge", id(&one));
    client.post(&path, &json!({ "otherId": id(&one) })).await.problem(409);
    client.post(&path, &json!({ "otherId": uuid::Uuid::now_v7() })).await.problem(404);
    let summit = app.practice("summit").await;
    summit.client.post(&path, &json!({ "otherId": id(&other) })).await.problem(404);
    summit.client.post(&format!("/api/patients/events/{first}/undo"), &json!({})).await.problem(404);
    app.finish().await;
}

async fn two_people_are_told_apart_once_and_for_all(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    sends(&app, &larkfield, marisol(), "One").await;
    sends(&app, &larkfield, with(marisol(), json!({ "firstName": "Marisa" })), "Her twin").await;
    let pairs = duplicates(client).await;
    assert_eq!(pairs.len(), 1);
    let (one, other) = (text(&pairs[0]["one"], "id").to_owned(), text(&pairs[0]["other"], "id").to_owned());
    let event = decides(client, "distinct", &one, &other).await;
    assert_eq!(duplicates(client).await, [] as [Value; 0]);
    sends(
        &app,
        &larkfield,
        with(marisol(), json!({ "firstName": "Marisa", "telephone": "5550100142" })),
        "Again",
    )
    .await;
    assert_eq!(duplicates(client).await, [] as [Value; 0], "it is never asked again");
    client.post(&format!("/api/patients/{one}/merge"), &json!({ "otherId": other })).await.problem(409);
    undoes(client, &event).await;
    assert_eq!(duplicates(client).await.len(), 1);
    app.finish().await;
}

async fn a_correction_counts_more_than_messages_until_it_is_undone(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    sends(&app, &larkfield, with(marisol(), json!({ "patientId": "LFM-1001" })), "One").await;
    let id = text(&only(client, "tenney").await, "id").to_owned();
    let path = format!("/api/patients/{id}/corrections");
    let right = json!({ "patientId": "LFM-2002", "version": shown(client, &id).await["version"] });
    let event = text(&client.post(&path, &right).await.ok(), "eventId").to_owned();
    client.post(&path, &right).await.problem(409);
    client.post(&path, &json!({ "version": 1 })).await.problem(422);
    sends(&app, &larkfield, with(marisol(), json!({ "patientId": "LFM-1001" })), "Later").await;
    let view = shown(client, &id).await;
    assert_eq!(view["patient"]["patientId"], "LFM-2002");
    assert_eq!(view["contradictions"], json!(["patientId"]), "two numbers are seen");
    undoes(client, &event).await;
    let view = shown(client, &id).await;
    assert_eq!((&view["patient"]["patientId"], &view["contradictions"]), (&json!("LFM-1001"), &json!([])));
    app.finish().await;
}

async fn a_filed_message_is_taken_to_another_patient(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &summit.client;
    let ruth = json!({ "firstName": "Ruth", "lastName": "Abara", "birthDate": "1950-06-01", "gender": "F" });
    sends(&app, &summit, ruth.clone(), "Of Ruth").await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    app.drain().await;
    let message_id = {
        let list = intake(client, json!({ "pageSize": 100 })).await;
        let items = list["items"].as_array().expect("items").clone();
        let found = items.into_iter().find(|item| item["subject"] == "Knee pain").expect("it arrived");
        text(&found, "id").to_owned()
    };
    let view = files(client, &message_id, marisol()).await;
    let wrong = text(&view["patient"], "knownPatientId").to_owned();
    let right = text(&only(client, "abara").await, "id").to_owned();
    let put = with(ruth.clone(), json!({ "knownPatientId": right, "version": view["patientVersion"] }));
    let moved = client.put(&format!("/api/messages/{message_id}/patient"), &put).await.ok();
    assert_eq!(moved["patient"]["knownPatientId"], json!(right));
    assert_eq!(shown(client, &right).await["messageCount"], 2);
    // A patient of another organization does not match.
    sends(
        &app,
        &larkfield,
        json!({ "firstName": "Ruth", "lastName": "Abara", "birthDate": "1950-06-01", "gender": "F" }),
        "There",
    )
    .await;
    let foreign = text(&only(&larkfield.client, "abara").await, "id").to_owned();
    let put = with(put, json!({ "knownPatientId": foreign, "version": moved["patientVersion"] }));
    let kept = client.put(&format!("/api/messages/{message_id}/patient"), &put).await.ok();
    assert_eq!(kept["patient"]["knownPatientId"], json!(right));
    let history = client.get(&format!("/api/patients/{right}/history")).await.ok();
    assert_eq!(
        (&history["items"][0]["kind"], &history["items"][0]["other"]["id"]),
        (&json!("Moved"), &json!(wrong))
    );
    client.get(&format!("/api/patients/{wrong}")).await.problem(404);
    app.finish().await;
}

async fn a_patient_of_messages_that_may_not_be_read_is_not_shown(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    app.drain().await;
    let id = crate::support::only(&intake(&summit.client, json!({})).await);
    files(&summit.client, &id, marisol()).await;
    let known = text(&only(&summit.client, "tenney").await, "id").to_owned();
    limit_readers(&app, &summit, summit.user.id).await;
    let other = app.signed_in(platform::Role::User, &summit.organization).await;
    assert_eq!(find(&other, "tenney").await, [] as [Value; 0]);
    other.get(&format!("/api/patients/{known}")).await.problem(404);
    other.get(&format!("/api/patients/{known}/messages")).await.problem(404);
    assert_eq!(find(&summit.client, "tenney").await.len(), 1);
    app.finish().await;
}

async fn messages_from_before_the_index_come_into_it_once(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    sends(&app, &larkfield, with(marisol(), json!({ "patientId": "LFM-1001" })), "One").await;
    sends(&app, &larkfield, marisol(), "Two").await;
    let db = app.store.db();
    patient::Entity::delete_many().exec(db).await.expect("rows");
    patient_source::Entity::delete_many().exec(db).await.expect("rows");
    patient_token::Entity::delete_many().exec(db).await.expect("rows");
    let before = only(client, "tenney").await;
    assert_eq!(before["id"], Value::Null, "found by the messages meanwhile");
    while backfill::is_going_on(&app).await.expect("a row") {
        backfill::backfill_some(&app).await.expect("a round");
    }
    let known = only(client, "tenney").await;
    assert_eq!((&known["messageCount"], &known["patient"]["patientId"]), (&json!(2), &json!("LFM-1001")));
    let again = installation::ActiveModel {
        name: sea_orm::ActiveValue::Set(backfill::SETTING.into()),
        value: sea_orm::ActiveValue::Set(r#"{"behind":null,"until":null}"#.into()),
    };
    installation::Entity::insert(again).exec_without_returning(db).await.expect("a row");
    let sources = patient_source::Entity::find().count(db).await.expect("rows");
    while backfill::is_going_on(&app).await.expect("a row") {
        backfill::backfill_some(&app).await.expect("a round");
    }
    assert_eq!(patient_source::Entity::find().count(db).await.expect("rows"), sources);
    assert_eq!(only(client, "tenney").await["id"], known["id"]);
    app.finish().await;
}
