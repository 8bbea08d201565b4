//! Working through the Intake: snoozing, taking over from a colleague, notes, document types, saved filters and
//! duplicates.

use crate::support::*;
use chrono::Duration;
use messaging::messages::assignment_expiry::return_due;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{attachment, document_type, email, message_note};
use testkit::{Client, Db, Practice, Socket, TestApp};
use uuid::Uuid;

testkit::on_both_databases! {
    snoozed_messages_leave_what_is_to_do_and_come_back_by_themselves,
    what_a_colleague_has_open_is_processed_by_whoever_takes_it_over,
    notes_stay_within_the_organization_and_tell_the_colleagues_they_name,
    filters_are_kept_for_oneself_or_shared,
    an_assignment_comes_back_when_its_time_is_over,
    the_same_file_and_the_same_patient_and_date_are_noticed,
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

async fn id_of_subject(client: &Client, subject: &str) -> String {
    let list = intake(client, json!({ "pageSize": 100 })).await;
    let items = list["items"].as_array().expect("items");
    text(items.iter().find(|i| i["subject"] == subject).expect("the message"), "id").to_owned()
}

async fn bulk(client: &Client, act: Value) -> Value {
    client.post("/api/messages/bulk", &act).await.ok()
}

async fn snoozed_messages_leave_what_is_to_do_and_come_back_by_themselves(db: Db) {
    let (app, larkfield, summit) = world(db, &["Lab report", "Referral", "Visit note"]).await;
    let id = id_of_subject(&summit.client, "Referral").await;
    let until = app.clock.now() + Duration::minutes(20);
    let to_do = json!({ "hidesSnoozed": true });
    let asleep = json!({ "isSnoozed": true });
    let snooze = json!({ "act": "snooze", "ids": [id], "until": until });
    assert_eq!(bulk(&larkfield.client, snooze.clone()).await["done"], json!([]), "another organization's");
    assert_eq!(bulk(&summit.client, snooze.clone()).await["done"], json!([id]));
    for order in ["createdDate", "fromAddress", "status"] {
        let list = json!({ "hidesSnoozed": true, "orderBy": order, "statuses": ["Received", "Failed"] });
        assert_eq!(subjects(&summit.client, list).await.len(), 2, "{order}");
        let list = json!({ "isSnoozed": true, "orderBy": order, "statuses": ["Received"] });
        assert_eq!(subjects(&summit.client, list).await, ["Referral"], "{order}");
    }
    assert_eq!(subjects(&summit.client, to_do.clone()).await, ["Visit note", "Lab report"]);
    assert_eq!(
        subjects(&summit.client, json!({ "isSnoozed": true, "sources": [summit.address] })).await,
        ["Referral"]
    );
    assert_eq!(
        subjects(&summit.client, json!({ "isSnoozed": true, "statuses": ["Processed"] })).await,
        [""; 0]
    );
    assert_eq!(subjects(&summit.client, json!({})).await.len(), 3, "who does not ask sees it all");
    let counted = summit.client.post("/api/intake/counts", &to_do).await.ok();
    assert_eq!((&counted["quickViews"]["all"], &counted["quickViews"]["snoozed"]), (&json!(2), &json!(1)));
    assert_eq!(counted["nextWakeAt"], json!(until));
    assert_eq!(events_of(&app, &id).await.last().map(|a| a.1["snoozedUntil"].clone()), Some(json!(until)));

    app.advance(Duration::minutes(21));
    summit.client.enter(&summit.user).await;
    assert_eq!(subjects(&summit.client, to_do.clone()).await, ["Visit note", "Referral", "Lab report"]);
    assert_eq!(subjects(&summit.client, asleep).await, [""; 0]);
    let counted = summit.client.post("/api/intake/counts", &to_do).await.ok();
    assert_eq!((&counted["quickViews"]["snoozed"], &counted["nextWakeAt"]), (&json!(0), &Value::Null));

    for wrong in [until, app.clock.now() + Duration::days(400)] {
        let answer = bulk(&summit.client, json!({ "act": "snooze", "ids": [id], "until": wrong })).await;
        assert_eq!(answer["refused"][0]["reasons"], json!(["Please choose a time within the next year."]));
    }
    let later = app.clock.now() + Duration::hours(1);
    bulk(&summit.client, json!({ "act": "snooze", "ids": [id], "until": later })).await;
    bulk(&summit.client, json!({ "act": "process", "ids": [id], "acceptsGaps": true })).await;
    assert_eq!(
        message(&summit.client, &id).await["snoozedUntil"],
        Value::Null,
        "what is done sleeps no more"
    );
    let answer = bulk(&summit.client, json!({ "act": "snooze", "ids": [id], "until": later })).await;
    assert_eq!(answer["refused"][0]["reasons"], json!(["The message is already processed."]));
    app.finish().await;
}

/// The audit trail of a message: event types and details.
async fn events_of(app: &TestApp, id: &str) -> Vec<(String, Value)> {
    use sea_orm::QueryOrder;
    use store::entities::audit_entry::{Column, Entity};
    let entries = Entity::find().filter(Column::ObjectId.eq(id)).order_by_asc(Column::Seq);
    let entries = entries.all(app.store.db()).await.expect("the trail");
    let detail = |text: String| serde_json::from_str(&text).unwrap_or_default();
    entries.into_iter().map(|e| (e.event_type, detail(e.detail))).collect()
}

async fn open(client: &Client, message: &str) -> Socket {
    let mut socket = client.hub("messagepresence").await;
    socket.send(json!({ "type": "open", "messageId": message })).await;
    socket.expect("present").await;
    socket
}

async fn what_a_colleague_has_open_is_processed_by_whoever_takes_it_over(db: Db) {
    let (app, larkfield, summit) = world(db, &["Lab report"]).await;
    let id = only(&intake(&summit.client, json!({})).await);
    let colleague = app.user(Role::User, &summit.organization).await;
    let other = app.browser_of(&colleague).await;
    let process = format!("/api/messages/{id}/process");
    let done = json!({ "isProcessed": true, "acceptsGaps": true });

    let _first = open(&summit.client, &id).await;
    app.advance(Duration::seconds(1));
    let _second = open(&other, &id).await;
    assert_eq!(message(&summit.client, &id).await["heldBy"], Value::Null);
    assert_eq!(message(&other, &id).await["heldBy"]["id"], json!(summit.user.id));
    let refused = other.put(&process, &done).await;
    let words = "Priya Nandakumar currently has this message open. Take it over to process it.";
    assert_eq!(refused.texts("takesOver"), [words]);
    let answer = bulk(&other, json!({ "act": "process", "ids": [id], "acceptsGaps": true })).await;
    assert_eq!(answer["refused"][0]["reasons"], json!([words]));
    assert_eq!(message(&other, &id).await["isProcessed"], false);

    let path = format!("/api/messages/{id}/takeover");
    larkfield.client.put(&path, &json!({})).await.problem(404);
    assert_eq!(other.put(&path, &json!({})).await.ok()["heldBy"], Value::Null);
    assert_eq!(message(&summit.client, &id).await["heldBy"]["id"], json!(colleague.id));
    summit.client.put(&process, &done).await.problem(422);
    let third = app.user(Role::User, &summit.organization).await;
    let late = app.browser_of(&third).await;
    assert_eq!(late.put(&path, &json!({})).await.ok()["heldBy"], Value::Null);
    app.advance(Duration::seconds(1));
    let _third = open(&late, &id).await;
    let words = "whose browser tells only now that it has the message open";
    assert_eq!(message(&late, &id).await["heldBy"], Value::Null, "{words}");
    other.put(&path, &json!({})).await.ok();
    other.put(&process, &done).await.ok();
    assert!(events_of(&app, &id).await.iter().any(|(_, detail)| detail["takenOver"] == true));

    other.put(&process, &json!({ "isProcessed": false })).await.ok();
    let anyway = json!({ "isProcessed": true, "acceptsGaps": true, "takesOver": true });
    summit.client.put(&process, &anyway).await.ok();
    app.finish().await;
}

async fn notes_stay_within_the_organization_and_tell_the_colleagues_they_name(db: Db) {
    let (app, larkfield, summit) = world(db, &["Lab report"]).await;
    let id = only(&intake(&summit.client, json!({})).await);
    let colleague = app.user(Role::User, &summit.organization).await;
    let other = app.browser_of(&colleague).await;
    let path = format!("/api/messages/{id}/notes");
    let note =
        json!({ "text": "  Ask Marisol for her new number.\n", "mentioned": [colleague.id, colleague.id] });
    larkfield.client.post(&path, &note).await.problem(404);
    let stranger = json!({ "text": "Please", "mentioned": [larkfield.user.id] });
    assert!(!summit.client.post(&path, &stranger).await.texts("mentioned").is_empty());
    let empty = summit.client.post(&path, &json!({ "text": " " })).await;
    assert_eq!(empty.texts("text"), ["Please enter a note of up to 2,000 characters."]);

    let mails = async || email::Entity::find().all(app.store.db()).await.expect("mails").len();
    let before = mails().await;
    summit.client.post(&path, &note).await.ok();
    assert_eq!(mails().await, before + 1, "each colleague is told once");
    let mentions = async |client: &Client| {
        let counts = client.post("/api/intake/counts", &json!({})).await.ok();
        (counts["mentionCount"].clone(), counts["mentionedIn"].clone())
    };
    assert_eq!(mentions(&other).await, (json!(1), json!(id)), "the bell tells whoever is named");
    assert_eq!(mentions(&summit.client).await, (json!(0), Value::Null));
    let seen = message(&other, &id).await["notes"].clone();
    assert_eq!(seen.as_array().map(Vec::len), Some(1), "{seen}");
    assert_eq!(mentions(&other).await.0, 0, "until the message is open");
    let seen = &seen[0];
    assert_eq!(seen["text"], "Ask Marisol for her new number.");
    assert_eq!((&seen["author"]["id"], &seen["isOwn"]), (&json!(summit.user.id), &json!(false)));
    assert_eq!(seen["mentioned"][0]["id"], json!(colleague.id));
    let stored = message_note::Entity::find().all(app.store.db()).await.expect("notes").remove(0);
    assert!(!String::from_utf8_lossy(&stored.sealed_text).contains("Marisol"), "it is sealed");

    // It is not included when a message is sent, forwarded or copied.
    let forward = summit.client.post(&format!("/api/messages/{id}/copy"), &json!({})).await.ok();
    assert_eq!(message(&summit.client, text(&forward, "id")).await["notes"], json!([]));

    let one = format!("{path}/{}", text(seen, "id"));
    other.delete(&one).await.problem(403);
    larkfield.client.delete(&one).await.problem(404);
    assert_eq!(summit.client.delete(&one).await.ok()["notes"], json!([]));
    let acts: Vec<String> =
        events_of(&app, &stored.id.to_string()).await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(acts, ["Created", "Deleted"]);
    app.finish().await;
}

#[tokio::test]
async fn the_document_type_of_several_messages_is_set_at_once() {
    let (app, _, summit) = world(Db::sqlite(), &["Lab report", "Referral"]).await;
    let of_summit = document_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(summit.organization.id)),
        name: Set("Laboratory results".into()),
        name_key: Set("laboratory results".into()),
        source: Set("organization".into()),
        code: Set(String::new()),
        version: Set(1),
    };
    of_summit.insert(app.store.db()).await.expect("a document type");
    let ids =
        [id_of_subject(&summit.client, "Lab report").await, id_of_subject(&summit.client, "Referral").await];
    let unknown =
        bulk(&summit.client, json!({ "act": "type", "ids": ids, "documentType": "Nonsense" })).await;
    assert_eq!(unknown["refused"].as_array().map(Vec::len), Some(2), "{unknown}");
    let typed = json!({ "act": "type", "ids": ids, "documentType": "Laboratory results" });
    assert_eq!(bulk(&summit.client, typed).await["done"], json!(ids));
    for row in intake(&summit.client, json!({})).await["items"].as_array().expect("rows") {
        assert_eq!(row["documentType"], "Laboratory results");
    }
    let file = &message(&summit.client, &ids[0]).await["attachments"][0]["attachmentMeta"].clone();
    assert_eq!((&file["documentType"], &file["version"]), (&json!("Laboratory results"), &json!(1)));
    app.finish().await;
}

#[tokio::test]
async fn several_messages_become_urgent_at_once_and_each_has_a_reviewer() {
    let (app, _, summit) = world(Db::sqlite(), &["Lab report", "Referral"]).await;
    let colleague = app.user(Role::User, &summit.organization).await;
    let report = id_of_subject(&summit.client, "Lab report").await;
    let referral = id_of_subject(&summit.client, "Referral").await;
    let to = json!({ "userId": colleague.id });
    summit.client.put(&format!("/api/messages/{report}/assign"), &to).await.ok();
    let ids = json!([report, referral, Uuid::now_v7()]);
    let answer = bulk(&summit.client, json!({ "act": "urgent", "ids": ids, "urgent": true })).await;
    assert_eq!(answer["done"], json!([report, referral]));
    assert_eq!(answer["refused"][0]["reasons"], json!(["This message no longer exists."]));
    for (id, reviewer) in [(&report, colleague.id), (&referral, summit.user.id)] {
        let urgent = message(&summit.client, id).await;
        assert_eq!((&urgent["isUrgent"], &urgent["assignedTo"]["id"]), (&json!(true), &json!(reviewer)));
    }
    bulk(&summit.client, json!({ "act": "urgent", "ids": [report], "urgent": false })).await;
    let calm = message(&summit.client, &report).await;
    assert_eq!((&calm["isUrgent"], &calm["assignedTo"]["id"]), (&json!(false), &json!(colleague.id)));
    app.finish().await;
}

async fn an_assignment_comes_back_when_its_time_is_over(db: Db) {
    let (app, _, summit) = world(db, &["Lab report", "Referral"]).await;
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let settings = async |hours: u32| {
        let mut form = admin.get("/api/settings/interoperability").await.ok();
        form["returnAssignmentsAfterHours"] = json!(hours);
        admin.put("/api/settings/interoperability", &form).await
    };
    for wrong in [0, 721] {
        assert!(!settings(wrong).await.texts("returnAssignmentsAfterHours").is_empty());
    }
    settings(4).await.ok();
    let report = id_of_subject(&summit.client, "Lab report").await;
    let referral = id_of_subject(&summit.client, "Referral").await;
    for id in [&report, &referral] {
        let to = json!({ "userId": summit.user.id, "urgent": true });
        summit.client.put(&format!("/api/messages/{id}/assign"), &to).await.ok();
    }
    bulk(&summit.client, json!({ "act": "process", "ids": [referral], "acceptsGaps": true })).await;
    app.advance(Duration::minutes(239));
    return_due(&app).await.expect("a round");
    summit.client.enter(&summit.user).await;
    assert_eq!(message(&summit.client, &report).await["assignedTo"]["id"], json!(summit.user.id));
    app.advance(Duration::minutes(2));
    let mut events = summit.client.hub("events").await;
    events.expect("alive").await;
    return_due(&app).await.expect("a round");
    assert_eq!(text(&events.expect("intake").await, "messageId"), report, "open lists are told");
    let back = message(&summit.client, &report).await;
    assert_eq!((&back["assignedTo"], &back["isUrgent"]), (&Value::Null, &json!(false)));
    assert!(events_of(&app, &report).await.iter().any(|(_, d)| d["cameBackFrom"] == json!(summit.user.id)));
    let done = message(&summit.client, &referral).await;
    assert_eq!(done["assignedTo"]["id"], json!(summit.user.id), "what is done stays whose it was");
    summit
        .client
        .put(&format!("/api/messages/{referral}/process"), &json!({ "isProcessed": false }))
        .await
        .ok();
    app.advance(Duration::minutes(241));
    return_due(&app).await.expect("a round");
    summit.client.enter(&summit.user).await;
    assert_eq!(
        message(&summit.client, &referral).await["assignedTo"],
        Value::Null,
        "what is open again comes back"
    );
    app.finish().await;
}

async fn filters_are_kept_for_oneself_or_shared(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let colleague = app.signed_in(Role::User, &summit.organization).await;
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let form = |name: &str, shared: bool| {
        let filter = json!({ "view": "unassigned", "sourceTypes": ["Fax"], "statuses": ["Received"] });
        json!({ "name": name, "isShared": shared, "filter": filter, "version": 1 })
    };
    let names = async |client: &Client| -> Vec<String> {
        let all = client.get("/api/intake/filters").await.ok();
        all["items"].as_array().expect("filters").iter().map(|f| text(f, "name").to_owned()).collect()
    };
    let post = async |body: Value| summit.client.post("/api/intake/filters", &body).await;
    let own = post(form("My faxes", false)).await.json();
    let shared = post(form("Faxes of nobody", true)).await.json();
    assert_eq!(own["filter"]["sourceTypes"], json!(["Fax"]));
    assert_eq!(names(&summit.client).await, ["Faxes of nobody", "My faxes"]);
    assert_eq!(names(&colleague).await, ["Faxes of nobody"]);
    assert_eq!(names(&larkfield.client).await, [""; 0]);
    assert_eq!(
        post(form("My faxes", false)).await.texts("name"),
        ["You have a filter of this name already."]
    );
    for (field, wrong) in [
        ("filter.view", json!({ "view": "elsewhere" })),
        ("filter.statuses", json!({ "statuses": ["Invented"] })),
        ("filter.sourceTypes", json!({ "sourceTypes": ["Pigeon"] })),
    ] {
        let answer = post(json!({ "name": "Wrong", "filter": wrong })).await;
        assert!(!answer.texts(field).is_empty(), "{field}");
    }
    let of = |filter: &Value| format!("/api/intake/filters/{}", text(filter, "id"));
    colleague.put(&of(&own), &form("Mine now", false)).await.problem(404);
    colleague.put(&of(&shared), &form("Mine now", true)).await.problem(403);
    colleague.delete(&of(&shared)).await.problem(403);
    larkfield.client.delete(&of(&shared)).await.problem(404);
    let renamed = admin.put(&of(&shared), &form("Unassigned faxes", true)).await.ok();
    assert_eq!(renamed["version"], 2);
    summit.client.put(&of(&shared), &form("Too late", true)).await.problem(409);
    assert_eq!(admin.delete(&of(&shared)).await.status, 204);
    assert_eq!(names(&summit.client).await, ["My faxes"]);
    app.finish().await;
}

#[tokio::test]
async fn saved_filters_are_small_and_so_is_what_an_organization_shares() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    let colleague = app.signed_in(Role::User, &summit.organization).await;
    let form = |name: &str, shared: bool, sources: Vec<String>| json!({ "name": name, "isShared": shared, "filter": { "sources": sources }, "version": 1 });
    let post = async |client: &Client, body: Value| client.post("/api/intake/filters", &body).await;
    let addresses = |count: usize| -> Vec<String> {
        (0..count).map(|n| format!("desk-{n:03}@summit.direct.carepost.example")).collect()
    };
    let large = post(&summit.client, form("Many", true, vec!["a".repeat(900); 100])).await;
    assert_eq!(large.status, 422);
    assert_eq!(large.texts("filter"), ["This filter has too many choices to be saved. Please choose fewer."]);
    let saved = post(&summit.client, form("Desks", false, addresses(60))).await.json();
    for client in [&summit.client, &colleague] {
        for n in 0..25 {
            let name = format!("Shared {n}");
            assert_eq!(post(client, form(&name, true, addresses(60))).await.status, 201, "{name}");
        }
    }
    let words = "Your organization shares 50 filters, which is the limit. Save this one for yourself only, or ask for a shared one to be deleted.";
    let one_more = post(&summit.client, form("One more", true, vec![])).await;
    assert_eq!(one_more.problem(409)["message"], words);
    let of_saved = format!("/api/intake/filters/{}", text(&saved, "id"));
    let shared_now = summit.client.put(&of_saved, &form("Desks", true, addresses(60))).await;
    assert_eq!(shared_now.problem(409)["message"], words);
    let all = colleague.get("/api/intake/filters").await;
    assert!(all.body.len() < 250_000, "{} bytes", all.body.len());
    let first =
        all.json()["items"].as_array().expect("filters").iter().find(|f| f["isChangeable"] == true).cloned();
    let of_first = format!("/api/intake/filters/{}", text(&first.expect("an own one"), "id"));
    colleague.put(&of_first, &form("Renamed", true, vec![])).await.ok();
    app.finish().await;
}

async fn the_same_file_and_the_same_patient_and_date_are_noticed(db: Db) {
    let (app, larkfield, summit) = world(db, &["Lab report", "Lab report again"]).await;
    let draft = larkfield
        .client
        .draft(testkit::document(&larkfield.address, &[&summit.address], "Visit of Marisol"))
        .await;
    larkfield.client.upload(&draft, "Other.txt", b"Quite another note.\n".to_vec(), meta()).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let first = id_of_subject(&summit.client, "Lab report").await;
    let again = id_of_subject(&summit.client, "Lab report again").await;
    let visit = id_of_subject(&summit.client, "Visit of Marisol").await;
    let alike = async |id: &str| -> Vec<(String, String)> {
        let found = summit.client.get(&format!("/api/messages/{id}/duplicates")).await.ok();
        let items = found["items"].as_array().expect("items").clone();
        items.iter().map(|d| (text(d, "subject").to_owned(), text(d, "likeness").to_owned())).collect()
    };
    let pair = |subject: &str, likeness: &str| vec![(subject.to_owned(), likeness.to_owned())];
    assert_eq!(alike(&again).await, pair("Lab report", "SameFile"));
    assert_eq!(alike(&first).await, pair("Lab report again", "SameFile"));
    assert_eq!(alike(&visit).await, [], "of the same size is not the same");
    let hashes = async || -> Vec<Option<Vec<u8>>> {
        let of_summit = attachment::Column::OrganizationId.eq(summit.organization.id);
        let files = attachment::Entity::find().filter(of_summit).all(app.store.db()).await.expect("files");
        files.into_iter().map(|file| file.content_hash).collect()
    };
    assert!(hashes().await.iter().all(Option::is_some), "they are noted as files arrive");
    let nothing = attachment::ActiveModel { content_hash: Set(None), ..Default::default() };
    attachment::Entity::update_many().set(nothing).exec(app.store.db()).await.expect("older files");
    assert_eq!(alike(&again).await, pair("Lab report", "SameFile"));
    assert!(hashes().await.iter().flatten().count() >= 2, "what was read is noted");
    larkfield.client.get(&format!("/api/messages/{first}/duplicates")).await.problem(404);

    let patient = json!({ "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14" });
    for id in [&first, &visit] {
        let version = message(&summit.client, id).await["patientVersion"].clone();
        let mut form = patient.clone();
        form["version"] = version;
        summit.client.put(&format!("/api/messages/{id}/patient"), &form).await.ok();
        let file = message(&summit.client, id).await["attachments"][0].clone();
        let meta = json!({ "documentDate": "2026-11-18", "documentDateType": "selected" });
        let dated = json!({ "attachmentMeta": meta, "version": file["attachmentMeta"]["version"] });
        summit.client.put(&file_path(id, text(&file, "id")), &dated).await.ok();
    }
    assert_eq!(alike(&visit).await, pair("Lab report", "SamePatientAndDate"));
    app.finish().await;
}
