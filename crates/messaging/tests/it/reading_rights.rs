//! Mail to an address with limited readers is hidden from everybody else, everywhere.

use crate::support::*;
use platform::audit::event;
use serde_json::{Value, json};
use testkit::{Client, Db, Role, TestApp};

testkit::on_both_databases! {
    a_message_that_may_not_be_read_any_more_is_named_nowhere,
}

const MAY_NOT_READ: &str = "This person may not read messages to this address.";

async fn id_of_subject(client: &Client, subject: &str) -> String {
    let list = intake(client, json!({ "pageSize": 100 })).await;
    let items = list["items"].as_array().expect("items");
    text(items.iter().find(|i| i["subject"] == subject).expect("the message"), "id").to_owned()
}

/// The subjects of a list, sorted.
fn named(list: &Value) -> Vec<String> {
    let items = list.as_array().expect("a list");
    let mut subjects: Vec<String> = items.iter().map(|item| text(item, "subject").to_owned()).collect();
    subjects.sort();
    subjects
}

/// Sets the patient and the date of a message's document.
async fn describe(client: &Client, id: &str) {
    let view = message(client, id).await;
    let version = &view["patientVersion"];
    let patient = json!({ "firstName": "Marisol", "lastName": "Tenney", "version": version });
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
    let file = &view["attachments"][0];
    let meta = json!({ "documentDate": "2026-11-18", "documentDateType": "selected" });
    let dated = json!({ "attachmentMeta": meta, "version": file["attachmentMeta"]["version"] });
    client.put(&file_path(id, text(file, "id")), &dated).await.ok();
}

async fn a_message_that_may_not_be_read_any_more_is_named_nowhere(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let desk = app.source(&summit.organization, "desk").await;
    let client = &summit.client;
    for (to, subject) in [(&summit.address, "Hidden"), (&summit.address, "Gone"), (&desk.address, "Open")] {
        larkfield.client.send_document(&larkfield.address, &[to.as_str()], subject).await;
        app.drain().await;
    }
    let hidden = id_of_subject(client, "Hidden").await;
    let (gone, open) = (id_of_subject(client, "Gone").await, id_of_subject(client, "Open").await);
    for id in [&hidden, &open] {
        describe(client, id).await;
    }
    client.delete(&format!("/api/messages/{gone}")).await.ok();
    let signers = format!("/api/messages/{hidden}/signers");
    client.post(&signers, &json!({ "signers": [summit.user.id] })).await.ok();
    client.get(&signers).await.ok();
    let read = audit_of(&app, hidden.parse().expect("an id")).await;
    assert!(read.iter().any(|e| e.object_type == "signature" && e.event_type == event::LISTED));
    // Neither has a document type, so both are refused.
    let job = client.post("/api/messages/bulk/jobs", &json!({ "act": "process", "intake": {} })).await.ok();
    let task = client.post("/api/tasks", &json!({ "ids": [hidden, open], "isProcessed": true })).await.ok();
    app.drain().await;

    let refused = format!("/api/messages/bulk/jobs/{}/refused", text(&job, "id"));
    let problems = format!("/api/tasks/{}/files", text(&task, "id"));
    let alike = format!("/api/messages/{open}/duplicates");
    let lists = async || {
        [
            named(&client.get(&refused).await.ok()["items"]),
            named(&client.get(&problems).await.ok()["problems"]),
            named(&client.get(&alike).await.ok()["items"]),
            named(&client.get("/api/messages/signatures").await.ok()["items"]),
        ]
    };
    let list = |subjects: &[&str]| subjects.iter().map(|&subject| subject.to_owned()).collect::<Vec<_>>();
    let both = list(&["Hidden", "Open"]);
    assert_eq!(lists().await, [both.clone(), both, list(&["Hidden"]), list(&["Hidden"])]);

    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let trail = format!("/api/audit/message/{hidden}");
    assert_eq!(admin.get(&trail).await.ok()["items"][0]["messageId"], json!(hidden));

    let reader = app.user(Role::User, &summit.organization).await;
    limit_readers(&app, &summit, reader.id).await;
    let own = list(&["Open"]);
    let entry = &admin.get(&trail).await.ok()["items"][0];
    assert_eq!((&entry["objectName"], &entry["messageId"]), (&json!(""), &Value::Null), "{entry}");
    assert_eq!(lists().await, [own.clone(), own, list(&[]), list(&[])]);
    let restore = json!({ "act": "restore", "ids": [gone] });
    let restored = client.post("/api/messages/bulk", &restore).await.ok();
    assert_eq!(restored["refused"][0]["reasons"], json!(["This message no longer exists."]));
    let reader = app.browser_of(&reader).await;
    assert_eq!(reader.post("/api/messages/bulk", &restore).await.ok()["done"], json!([gone]));
    app.finish().await;
}

#[tokio::test]
async fn who_may_not_read_a_message_is_asked_for_nothing_and_gets_it_by_no_rule() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let colleague = app.user(Role::User, &summit.organization).await;
    limit_readers(&app, &summit, summit.user.id).await;
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let rule = json!({ "name": "All to one", "isEnabled": true, "people": [colleague.id], "tags": ["seen"] });
    let made = admin.post("/api/settings/intakerules", &rule).await;
    assert!(made.status.is_success(), "{}", made.text());
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Hidden").await;
    app.drain().await;
    let client = &summit.client;
    let list = intake(client, json!({})).await;
    let row = &list["items"][0];
    assert_eq!((&row["assignedTo"], &row["tags"]), (&Value::Null, &json!(["seen"])), "the rule did the rest");
    let of = |tail: &str| format!("/api/messages/{}/{tail}", text(row, "id"));
    let signers = client.post(&of("signers"), &json!({ "signers": [colleague.id] })).await;
    assert_eq!(signers.texts("signers"), [MAY_NOT_READ]);
    let note = json!({ "text": "Please look at this.", "mentioned": [colleague.id] });
    assert_eq!(client.post(&of("notes"), &note).await.texts("mentioned"), [MAY_NOT_READ]);
    let assign = client.put(&of("assign"), &json!({ "userId": colleague.id })).await;
    assert_eq!(assign.texts("userId"), [MAY_NOT_READ]);
    app.finish().await;
}
