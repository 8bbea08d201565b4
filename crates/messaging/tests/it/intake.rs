//! The Intake: its list, its order, and actions of staff on messages.

use crate::support::*;
use chrono::Duration;
use platform::{Role, audit::event};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait,
    QueryFilter, Statement,
};
use serde_json::{Value, json};
use store::entities::{audit_entry, organization};
use testkit::{Client, Db, Practice, TestApp, document};

testkit::on_both_databases! {
    pages_hold_what_was_asked_for_and_go_on_by_cursor,
    the_list_is_narrowed_by_status_kind_and_own_address,
    messages_of_several_statuses_stand_in_one_list,
    the_list_can_be_turned_round_and_ordered_by_sender_and_status,
    quick_views_count_what_they_hold,
    what_a_search_finds_is_counted_apart_from_its_page,
    messages_are_found_by_the_beginnings_of_their_words,
    a_message_knows_its_neighbours,
    a_deleted_message_is_in_no_list_and_no_search,
    nothing_of_another_organization_is_listed_or_found,
}

/// Subjects in the order of arrival.
const SUBJECTS: [&str; 5] =
    ["Lab report", "Ménière follow-up", "Referral to cardiology", "Referral to neurology", "Visit note"];

/// A practice with five received messages, a minute apart.
async fn world(db: Db) -> (TestApp, Practice, Practice) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for subject in SUBJECTS {
        larkfield.client.send_document(&larkfield.address, &[&summit.address], subject).await;
        app.drain().await;
        app.advance(Duration::minutes(1));
    }
    (app, larkfield, summit)
}

fn newest_first() -> Vec<&'static str> {
    SUBJECTS.into_iter().rev().collect()
}

async fn id_by_subject(client: &Client, subject: &str) -> String {
    let list = intake(client, json!({ "pageSize": 100 })).await;
    let items = list["items"].as_array().expect("items");
    let row = items.iter().find(|i| i["subject"] == subject).unwrap_or_else(|| panic!("no {subject}"));
    text(row, "id").to_owned()
}

async fn counts(client: &Client, request: Value) -> Value {
    client.post("/api/intake/counts", &request).await.ok()
}

/// Number of searches in the audit trail.
async fn searches(app: &TestApp) -> u64 {
    let searched = audit_entry::Column::EventType.eq(event::SEARCHED);
    audit_entry::Entity::find().filter(searched).count(app.store.db()).await.expect("the trail")
}

async fn pages_hold_what_was_asked_for_and_go_on_by_cursor(db: Db) {
    let (app, _, summit) = world(db).await;
    let all = newest_first();
    assert_eq!(subjects(&summit.client, json!({})).await, all);
    assert_eq!(summit.client.post("/api/messages", &json!({})).await.ok()["totalCount"], 5, "the older name");
    let mut cursor = Value::Null;
    for (page, expected) in [(1, &all[0..2]), (2, &all[2..4]), (3, &all[4..5]), (4, &[][..])] {
        let request = json!({ "pageStart": page, "pageSize": 2 });
        let list = intake(&summit.client, request.clone()).await;
        assert_eq!((&list["totalCount"], &list["totalIsCapped"]), (&json!(5), &json!(false)));
        assert_eq!(subjects(&summit.client, request).await, expected);
        if !cursor.is_null() {
            let by_cursor = json!({ "pageStart": 5001, "pageSize": 2, "cursor": cursor });
            assert_eq!(
                subjects(&summit.client, by_cursor).await,
                expected,
                "the cursor leads to page {page}"
            );
        }
        cursor = list["nextCursor"].clone();
    }
    assert!(cursor.is_null(), "behind the last page there is nothing");
    let found = json!({ "filter": "referral", "pageSize": 1 });
    let list = intake(&summit.client, found).await;
    let rest = json!({ "filter": "referral", "pageSize": 1, "cursor": list["nextCursor"] });
    assert_eq!(subjects(&summit.client, rest).await, ["Referral to cardiology"], "a search has a cursor too");
    app.finish().await;
}

#[tokio::test]
async fn a_page_that_cannot_be_is_refused() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    for request in [
        json!({ "pageSize": 0 }),
        json!({ "pageSize": 101 }),
        json!({ "pageStart": 0 }),
        json!({ "pageStart": 1001, "pageSize": 10 }),
        json!({ "cursor": "not ours" }),
    ] {
        summit.client.post("/api/intake", &request).await.problem(400);
    }
    for (field, request) in [
        ("statuses[0]", json!({ "statuses": [7] })),
        ("statuses", json!({ "statuses": ["Invented"] })),
        ("sourceTypes", json!({ "sourceTypes": ["Pigeon"] })),
        ("startDate", json!({ "startDate": "yesterday" })),
    ] {
        let problem = summit.client.post("/api/intake", &request).await.problem(422);
        let text = json!(["Please enter a valid value for this field."]);
        assert_eq!(problem["modelState"][field], text, "{problem}");
    }
    app.finish().await;
}

#[tokio::test]
async fn the_list_goes_back_thirty_days_unless_told_otherwise() {
    let (app, larkfield, summit) = world(Db::sqlite()).await;
    pass(&app, Duration::days(29)).await;
    larkfield.client.enter(&larkfield.user).await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "A month later").await;
    app.drain().await;
    summit.client.enter(&summit.user).await;
    assert_eq!(subjects(&summit.client, json!({})).await.len(), 6);
    pass(&app, Duration::days(2)).await;
    summit.client.enter(&summit.user).await;
    assert_eq!(subjects(&summit.client, json!({})).await, ["A month later"]);
    assert_eq!(subjects(&summit.client, json!({ "filter": "referral" })).await, [""; 0]);
    let since = json!({ "startDate": "2026-11-20" });
    assert_eq!(subjects(&summit.client, since).await.len(), 6);
    let span = json!({ "startDate": "2026-11-20", "endDate": "2026-11-20" });
    assert_eq!(subjects(&summit.client, span).await, newest_first(), "the last day counts whole");
    let span = json!({ "startDate": "2026-11-20", "endDate": "2026-11-20", "filter": "referral" });
    assert_eq!(subjects(&summit.client, span).await.len(), 2);
    let evening = json!({ "startDate": "2026-11-20T05:00:00.000Z", "endDate": "2026-11-21T04:59:59.999Z" });
    assert_eq!(subjects(&summit.client, evening).await, newest_first(), "a day of New York");
    let before = json!({ "startDate": "2026-11-19T05:00:00.000Z", "endDate": "2026-11-20T04:59:59.999Z" });
    assert_eq!(subjects(&summit.client, before).await, [""; 0]);
    let span = json!({ "startDate": "2026-11-21", "endDate": "2026-12-01" });
    assert_eq!(subjects(&summit.client, span).await, [""; 0]);
    app.finish().await;
}

async fn the_list_is_narrowed_by_status_kind_and_own_address(db: Db) {
    let (app, larkfield, summit) = world(db).await;
    let triage = app.source(&summit.organization, "triage").await;
    larkfield.client.send_document(&larkfield.address, &[&triage.address], "For triage").await;
    app.drain().await;
    let id = id_by_subject(&summit.client, "Visit note").await;
    let processed = json!({ "isProcessed": true, "processType": "Printed", "acceptsGaps": true });
    summit.client.put(&format!("/api/messages/{id}/process"), &processed).await.ok();
    for (request, expected) in [
        (json!({ "statuses": ["Processed"] }), vec!["Visit note"]),
        (json!({ "processedTypes": ["Printed"] }), vec!["Visit note"]),
        (json!({ "processedTypes": ["PDFExport"] }), vec![]),
        (json!({ "sources": [triage.address.to_uppercase()] }), vec!["For triage"]),
        (json!({ "sourceTypes": ["Fax", "Upload"] }), vec![]),
        (json!({ "statuses": ["Received"], "filter": "note visit" }), vec![]),
        (json!({ "statuses": ["Processed", "Received"], "filter": "note visit" }), vec!["Visit note"]),
    ] {
        assert_eq!(subjects(&summit.client, request.clone()).await, expected, "{request}");
    }
    let direct = intake(&summit.client, json!({ "sourceTypes": ["DirectMessage"] })).await;
    assert_eq!(direct["totalCount"], 6);
    app.finish().await;
}

async fn messages_of_several_statuses_stand_in_one_list(db: Db) {
    let (app, _, summit) = world(db).await;
    for subject in ["Lab report", "Referral to neurology"] {
        let id = id_by_subject(&summit.client, subject).await;
        let processed = json!({ "isProcessed": true, "acceptsGaps": true });
        summit.client.put(&format!("/api/messages/{id}/process"), &processed).await.ok();
    }
    let both = |more: Value| {
        let mut request = json!({ "statuses": ["Processed", "Received", "Processed"] });
        request.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        request
    };
    let all = newest_first();
    assert_eq!(subjects(&summit.client, both(json!({}))).await, all);
    assert_eq!(subjects(&summit.client, both(json!({ "orderDir": "asc" }))).await, SUBJECTS);
    let mut cursor = Value::Null;
    for (page, expected) in [(1, &all[0..2]), (2, &all[2..4]), (3, &all[4..5]), (4, &[][..])] {
        let list = intake(&summit.client, both(json!({ "pageStart": page, "pageSize": 2 }))).await;
        assert_eq!((&list["totalCount"], &list["totalIsCapped"]), (&json!(5), &json!(false)));
        let by_number = both(json!({ "pageStart": page, "pageSize": 2 }));
        assert_eq!(subjects(&summit.client, by_number).await, expected, "page {page}");
        if !cursor.is_null() {
            let by_cursor = both(json!({ "pageSize": 2, "cursor": cursor }));
            assert_eq!(subjects(&summit.client, by_cursor).await, expected, "page {page} by cursor");
        }
        cursor = list["nextCursor"].clone();
    }
    let by_status = both(json!({ "orderBy": "status", "orderDir": "desc" }));
    let by_status = subjects(&summit.client, by_status).await;
    assert_eq!(by_status[..2], ["Referral to neurology", "Lab report"]);
    let other = json!({ "statuses": ["Failed", "Processed"] });
    assert_eq!(subjects(&summit.client, other).await, ["Referral to neurology", "Lab report"]);
    app.finish().await;
}

async fn the_list_can_be_turned_round_and_ordered_by_sender_and_status(db: Db) {
    let (app, larkfield, summit) = world(db).await;
    let billing = app.source(&larkfield.organization, "billing").await;
    app.link(&larkfield.user, &billing).await;
    larkfield.client.send_document(&billing.address, &[&summit.address], "From billing").await;
    app.drain().await;
    let id = id_by_subject(&summit.client, "Lab report").await;
    let processed = json!({ "isProcessed": true, "acceptsGaps": true });
    summit.client.put(&format!("/api/messages/{id}/process"), &processed).await.ok();
    let oldest_first = subjects(&summit.client, json!({ "orderDir": "asc" })).await;
    assert_eq!(oldest_first[..5], SUBJECTS);
    let by_sender = json!({ "orderBy": "fromAddress", "orderDir": "asc" });
    assert_eq!(subjects(&summit.client, by_sender).await[0], "From billing");
    let by_sender = json!({ "orderBy": "fromAddress", "orderDir": "desc" });
    assert_eq!(subjects(&summit.client, by_sender).await[5], "From billing");
    let by_status = json!({ "orderBy": "status", "orderDir": "desc" });
    let list = subjects(&summit.client, by_status).await;
    assert_eq!((&*list[0], &*list[1]), ("Lab report", "From billing"), "then newest first");
    let list = intake(&summit.client, json!({ "orderBy": "status", "pageSize": 2 })).await;
    assert!(list["nextCursor"].is_null(), "cursors follow the time only");
    app.finish().await;
}

async fn quick_views_count_what_they_hold(db: Db) {
    let (app, _, summit) = world(db).await;
    let colleague = app.user(Role::User, &summit.organization).await;
    let assign = async |subject: &str, body: Value| {
        let id = id_by_subject(&summit.client, subject).await;
        summit.client.put(&format!("/api/messages/{id}/assign"), &body).await.ok();
    };
    assign("Lab report", json!({ "userId": summit.user.id, "urgent": true })).await;
    assign("Visit note", json!({ "userId": colleague.id })).await;
    let id = id_by_subject(&summit.client, "Lab report").await;
    summit.client.put(&format!("/api/messages/{id}/read"), &json!({})).await.ok();

    let views = json!({
        "all": 5, "unassigned": 3, "assignedToSelf": 1, "urgent": 1, "unread": 4, "snoozed": 0,
    });
    for (request, expected) in [
        (json!({}), newest_first()),
        (json!({ "isAll": true }), newest_first()),
        (json!({ "isUnassigned": true }), newest_first()[1..4].to_vec()),
        (json!({ "isAssignedToSelf": true }), vec!["Lab report"]),
        (json!({ "isUrgent": true }), vec!["Lab report"]),
    ] {
        let counted = counts(&summit.client, request.clone()).await;
        assert_eq!(counted["quickViews"], views, "{request}");
        assert_eq!(counted["totalCount"], expected.len(), "{request}");
        assert_eq!(intake(&summit.client, request.clone()).await["totalCount"], expected.len(), "{request}");
        assert_eq!(subjects(&summit.client, request).await, expected);
    }
    let other = app.browser_of(&colleague).await;
    assert_eq!(subjects(&other, json!({ "isAssignedToSelf": true })).await, ["Visit note"]);
    let narrowed = counts(&summit.client, json!({ "statuses": ["Processed"] })).await;
    assert_eq!(narrowed["quickViews"]["all"], 0, "counts obey the filters");
    let several = counts(&summit.client, json!({ "statuses": ["Processed", "Received", "Processed"] })).await;
    assert_eq!(several["quickViews"], views);
    let on_a_page = json!({ "pageStart": 3, "pageSize": 2, "orderBy": "status" });
    assert_eq!(counts(&summit.client, on_a_page).await["totalCount"], 5, "whatever the page and the order");
    summit.client.post("/api/intake/counts", &json!({ "statuses": ["Eaten"] })).await.problem(422);
    app.finish().await;
}

async fn what_a_search_finds_is_counted_apart_from_its_page(db: Db) {
    let (app, _, summit) = world(db).await;
    for (request, expected) in [
        (json!({ "filter": "referral" }), 2),
        (json!({ "filter": "refer cardio" }), 1),
        (json!({ "filter": "referral lab" }), 0),
        (json!({ "filter": "referral", "statuses": ["Processed"] }), 0),
        (json!({ "filter": "referral", "isUnassigned": true, "pageStart": 2, "pageSize": 1 }), 2),
        (json!({ "filter": "referral", "sources": [summit.address] }), 2),
        (json!({ "filter": "referral", "startDate": "1999-01-01", "endDate": "1999-01-02" }), 0),
    ] {
        let counted = counts(&summit.client, request.clone()).await;
        let expected = json!({
            "totalCount": expected, "totalIsCapped": false, "quickViews": null, "nextWakeAt": null,
            "mentionCount": 0, "mentionedIn": null,
        });
        assert_eq!(counted, expected, "{request}");
        // The search for few messages has reached the end.
        assert_eq!(intake(&summit.client, request).await["totalCount"], expected["totalCount"]);
    }
    let before = searches(&app).await;
    counts(&summit.client, json!({ "filter": "referral" })).await;
    assert_eq!(searches(&app).await, before + 1, "how many messages hold a name says something of a patient");
    app.finish().await;
}

async fn messages_are_found_by_the_beginnings_of_their_words(db: Db) {
    let (app, larkfield, summit) = world(db).await;
    let draft =
        larkfield.client.draft(testkit::document(&larkfield.address, &[&summit.address], "Summary")).await;
    larkfield.client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let patient = documents::samples::patients()[0].last.to_uppercase();
    for (words, expected) in [
        ("referral", vec!["Referral to neurology", "Referral to cardiology"]),
        ("REFER card", vec!["Referral to cardiology"]),
        ("card refer", vec!["Referral to cardiology"]),
        ("  neuro-logy ", vec![]),
        ("meniere", vec!["Ménière follow-up"]),
        ("MÉNI up", vec!["Ménière follow-up"]),
        ("ardiology", vec![]),
        ("referral lab", vec![]),
        (&patient, vec!["Summary"]),
    ] {
        assert_eq!(subjects(&summit.client, json!({ "filter": words })).await, expected, "{words}");
    }
    for everything in ["larkfield", "records@larkfield", " "] {
        let list = intake(&summit.client, json!({ "filter": everything })).await;
        assert_eq!(list["totalCount"], 6, "{everything:?}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_message_is_recent_for_an_hour_and_unread_until_somebody_reads_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "New").await;
    app.drain().await;
    let row = async || {
        summit.client.enter(&summit.user).await;
        intake(&summit.client, json!({})).await["items"][0].clone()
    };
    let first = row().await;
    assert_eq!((&first["recent"], &first["isRead"]), (&json!(true), &json!(false)));
    let path = format!("/api/messages/{}/read", text(&first, "id"));
    for _ in 0..2 {
        assert_eq!(summit.client.put(&path, &json!({})).await.status, 204, "reading twice is no error");
    }
    pass(&app, Duration::minutes(60)).await;
    let read = row().await;
    assert_eq!((&read["recent"], &read["isRead"]), (&json!(true), &json!(true)));
    pass(&app, Duration::minutes(1)).await;
    assert_eq!(row().await["recent"], false);
    app.finish().await;
}

#[tokio::test]
async fn urgent_needs_somebody_who_reviews() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Review me").await;
    app.drain().await;
    let path = format!("/api/messages/{}/assign", only(&intake(&summit.client, json!({})).await));
    let assign = async |body: Value| summit.client.put(&path, &body).await;
    let problem = assign(json!({ "urgent": true })).await.problem(422);
    assert_eq!(problem["modelState"]["urgent"], json!(["An urgent message needs a reviewer."]));
    assign(json!({ "userId": larkfield.user.id })).await.problem(422);

    let view = assign(json!({ "userId": summit.user.id, "urgent": true })).await.ok();
    assert_eq!((&view["isUrgent"], &view["assignedTo"]["id"]), (&json!(true), &json!(summit.user.id)));
    assert_eq!(view["assignedTo"]["name"], "Priya Nandakumar");
    let view = assign(json!({ "userId": summit.user.id })).await.ok();
    assert_eq!(view["isUrgent"], true, "left as it is");
    let view = assign(json!({ "userId": null })).await.ok();
    assert_eq!(
        (&view["isUrgent"], &view["assignedTo"]),
        (&json!(false), &Value::Null),
        "nobody, so not urgent"
    );
    app.finish().await;
}

#[tokio::test]
async fn a_message_is_processed_and_that_can_be_taken_back() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "File me").await;
    app.drain().await;
    let id = only(&intake(&summit.client, json!({})).await);
    let path = format!("/api/messages/{id}/process");
    let wrong = json!({ "isProcessed": true, "processType": "Shredded" });
    summit.client.put(&path, &wrong).await.problem(422);
    let mut body = json!({ "isProcessed": true, "processType": "PDFExport", "subject": "Filed" });
    let gaps = summit.client.put(&path, &body).await.problem(422)["modelState"].clone();
    let patient = "There is no patient yet, so it will not show up under any patient.";
    assert_eq!(gaps, json!({ "acceptsGaps": [patient, "No document type is chosen for Note.txt."] }));
    body["acceptsGaps"] = json!(true);
    let view = summit.client.put(&path, &body).await.ok();
    assert_eq!((text(&view, "status"), text(&view, "processedType")), ("Processed", "PDFExport"));
    assert_eq!((&view["isProcessed"], text(&view, "subject")), (&json!(true), "Filed"));
    assert_eq!(
        subjects(&summit.client, json!({ "filter": "filed" })).await,
        ["Filed"],
        "found by its new words"
    );
    assert_eq!(subjects(&summit.client, json!({ "filter": "me" })).await, [""; 0], "and not by the old ones");
    let view = summit.client.put(&path, &json!({ "isProcessed": false })).await.ok();
    assert_eq!((text(&view, "status"), &view["processedType"]), ("Received", &Value::Null));
    assert_eq!(events(&app, id.parse().expect("an id")).await, ["Received", "Exported", "Processed"]);
    app.finish().await;
}

#[tokio::test]
async fn an_organization_may_refuse_what_nobody_could_find_again() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "File me").await;
    app.drain().await;
    let read = only_message(&summit.client).await;
    let (path, file) = (format!("/api/messages/{}", text(&read, "id")), &read["attachments"][0]);
    let setting = |value: Value| organization::ActiveModel {
        id: Set(summit.organization.id),
        settings: Set(json!({ "interoperability": value })),
        ..Default::default()
    };
    setting(json!({ "gaps": "refuse" })).update(app.store.db()).await.expect("an organization");
    let patient = json!({ "version": read["patientVersion"] });
    summit.client.put(&format!("{path}/patient"), &patient).await.ok();
    let process = json!({ "isProcessed": true, "acceptsGaps": true });
    let gaps =
        summit.client.put(&format!("{path}/process"), &process).await.problem(422)["modelState"].clone();
    assert_eq!(
        gaps,
        json!({ "isProcessed": [
            "There is no patient yet, so it will not show up under any patient.",
            "No document type is chosen for Note.txt.",
        ] })
    );
    let patient = json!({ "lastName": "Okafor", "version": 1 });
    summit.client.put(&format!("{path}/patient"), &patient).await.ok();
    let meta = json!({ "attachmentMeta": { "documentType": "Progress note" }, "version": file["attachmentMeta"]["version"] });
    summit.client.put(&file_path(text(&read, "id"), text(file, "id")), &meta).await.ok();
    summit.client.put(&format!("{path}/process"), &json!({ "isProcessed": true })).await.ok();
    summit.client.put(&format!("{path}/process"), &json!({ "isProcessed": false })).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn what_is_printed_needs_neither_patient_nor_type() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "File me").await;
    app.drain().await;
    let on_paper = organization::ActiveModel {
        id: Set(summit.organization.id),
        settings: Set(json!({ "interoperability": { "exportMode": "print", "gaps": "refuse" } })),
        ..Default::default()
    };
    on_paper.update(app.store.db()).await.expect("an organization");
    let id = only(&intake(&summit.client, json!({})).await);
    summit.client.put(&format!("/api/messages/{id}/process"), &json!({ "isProcessed": true })).await.ok();
    app.finish().await;
}

async fn a_message_knows_its_neighbours(db: Db) {
    let (app, _, summit) = world(db).await;
    let list = intake(&summit.client, json!({})).await;
    let ids: Vec<_> = list["items"].as_array().expect("items").iter().map(|i| i["id"].clone()).collect();
    for (position, id) in ids.iter().enumerate() {
        let view = message(&summit.client, id.as_str().expect("an id")).await;
        let newer = position.checked_sub(1).map_or(&Value::Null, |p| &ids[p]);
        let older = ids.get(position + 1).unwrap_or(&Value::Null);
        assert_eq!((&view["previousId"], &view["nextId"]), (newer, older), "at {position}");
    }
    app.finish().await;
}

async fn a_deleted_message_is_in_no_list_and_no_search(db: Db) {
    let (app, _, summit) = world(db).await;
    let id = id_by_subject(&summit.client, "Referral to cardiology").await;
    let answer = summit.client.delete(&format!("/api/messages/{id}")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["message"], "Message has been deleted");
    assert_eq!(subjects(&summit.client, json!({})).await.len(), 4);
    assert_eq!(subjects(&summit.client, json!({ "filter": "referral" })).await, ["Referral to neurology"]);
    assert_eq!(counts(&summit.client, json!({})).await["quickViews"]["all"], 4);
    assert_eq!(counts(&summit.client, json!({ "filter": "referral" })).await["totalCount"], 1);
    summit.client.get(&format!("/api/messages/{id}")).await.problem(404);
    summit.client.delete(&format!("/api/messages/{id}")).await.problem(404);
    let neighbour = id_by_subject(&summit.client, "Ménière follow-up").await;
    assert_ne!(message(&summit.client, &neighbour).await["previousId"], id.as_str());
    assert_eq!(events(&app, id.parse().expect("an id")).await, ["Received", "Deleted"]);
    app.finish().await;
}

async fn nothing_of_another_organization_is_listed_or_found(db: Db) {
    let (app, larkfield, summit) = world(db).await;
    let stranger = app.practice("bayline").await;
    for request in [json!({}), json!({ "filter": "referral" }), json!({ "isUnassigned": true })] {
        let list = intake(&stranger.client, request.clone()).await;
        assert_eq!((&list["totalCount"], &list["items"]), (&json!(0), &json!([])), "{request}");
        assert_eq!(counts(&stranger.client, request.clone()).await["totalCount"], 0, "{request}");
        assert_eq!(
            subjects(&larkfield.client, request).await,
            [""; 0],
            "the sender has a Release, no Intake"
        );
    }
    let list = intake(&summit.client, json!({ "pageSize": 2 })).await;
    let cursor = json!({ "cursor": list["nextCursor"] });
    assert_eq!(subjects(&stranger.client, cursor).await, [""; 0], "a cursor opens no door");
    for path in ["/api/messages", "/api/messages?filter=referral"] {
        assert_eq!(stranger.client.get(path).await.ok()["totalCount"], 0, "{path}");
    }
    app.finish().await;
}

/// If it expects many messages, PostgreSQL searches in parallel or reads whole lists, where one lookup is enough.
#[tokio::test]
async fn postgres_expects_few_messages_to_many_addresses() {
    let Some(db) = Db::postgres() else { return };
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    for number in 0..30 {
        let fields =
            document(&larkfield.address, &["intake@summit.direct.example"], &format!("Note {number}"));
        larkfield.client.draft(fields).await;
    }
    let sql = |text: &str| Statement::from_string(app.store.backend(), text);
    app.store.db().execute_raw(sql("ANALYZE message")).await.expect("statistics");
    let explained = "EXPLAIN (FORMAT JSON) SELECT id FROM message WHERE LENGTH(to_address) > 250";
    let plan = app.store.db().query_one_raw(sql(explained)).await.expect("an answer").expect("a plan");
    let plan: Value = plan.try_get_by_index(0).expect("a plan");
    assert_eq!(plan[0]["Plan"]["Plan Rows"], 1, "{plan}");
    app.finish().await;
}
