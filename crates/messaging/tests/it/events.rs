//! Events of messages: recent activity and the activity report.

use crate::support::*;
use chrono::Duration;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::message_event::EventType;
use store::entities::{audit_entry, message_event};
use testkit::{Client, Db, Practice, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! {
    a_report_is_about_its_days_and_its_kinds,
    a_report_holds_the_newest_events_up_to_its_size,
    recent_activity_goes_back_fourteen_days_in_pages_of_thirty,
    what_was_deleted_keeps_its_events_and_loses_its_subject,
}

const REPORT: &str = "/api/messages/eventsreport";
const ALL: &str = "Delivered,Exported,Forwarded,Replied,Deleted,Bounced,Failed,Processed,Received";
/// A period around the tests' clock.
const YEARS: &str = "start=2020-01-01T00:00:00.000Z&end=2035-12-31T23:59:59.999Z&pageSize=10000";

async fn world(db: Db) -> (TestApp, Practice, Practice) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    app.drain().await;
    (app, larkfield, summit)
}

/// The lines of a report without headers, newest first, each as its cells.
async fn lines(client: &Client, query: &str) -> Vec<Vec<String>> {
    let answer = client.get(&format!("{REPORT}?{query}")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type").as_str()),
        (200, "text/csv; charset=utf-8")
    );
    let text = answer.text();
    let mut lines = text.split("\r\n").filter(|line| !line.is_empty());
    assert_eq!(lines.next(), Some("Time,Event,Direction,Source,From,To,User,Message ID"));
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The event types in a report, in alphabetical order.
async fn kinds(client: &Client, query: &str) -> Vec<String> {
    let mut kinds: Vec<String> = lines(client, query).await.into_iter().map(|line| line[1].clone()).collect();
    kinds.sort();
    kinds
}

async fn activity(client: &Client, query: &str) -> Value {
    client.get(&format!("/api/messages/events?{query}")).await.ok()
}

async fn process(client: &Client, id: &str, kind: Value) {
    let body = json!({ "isProcessed": true, "processType": kind, "acceptsGaps": true });
    client.put(&format!("/api/messages/{id}/process"), &body).await.ok();
}

async fn answer_with(practice: &Practice, original: &str, to: &str, action: &str) -> String {
    let mut fields = document(&practice.address, &[to], "Again");
    fields["originalObjectId"] = json!(original);
    let draft = practice.client.draft(fields).await;
    practice.client.upload(&draft, "Note.txt", b"A short note.\n".to_vec(), meta()).await;
    practice.client.post(&format!("/api/messages/{draft}/{action}"), &json!({})).await.ok();
    draft
}

/// SES-C-053, MSG-C-017, SES-R-355, SES-R-356, SES-T-051, SES-T-052, SES-T-053, SES-T-054, SES-T-055, SES-T-056,
/// SES-T-057, SES-T-058, SES-T-059
#[tokio::test]
async fn the_report_comes_as_pdf_where_that_is_asked_for() {
    let (app, _, summit) = world(Db::sqlite()).await;
    let answer = summit.client.get(&format!("{REPORT}?{YEARS}&asPdf=true")).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type").as_str()), (200, "application/pdf"));
    let pages = documents::pdf::text(&answer.body).expect("a PDF");
    for words in ["Activity report", "Received", "DirectMessage", "Page 1 of 1"] {
        assert!(pages[0].contains(words), "{words}: {pages:?}");
    }
    app.finish().await;
}

#[tokio::test]
async fn what_happens_to_a_message_stands_in_the_report() {
    let (app, larkfield, summit) = world(Db::sqlite()).await;
    let nobody = "nobody@summit.direct.carepost.example";
    larkfield.client.send_document(&larkfield.address, &[nobody], "To nobody").await;
    let came = only(&intake(&summit.client, json!({})).await);
    answer_with(&summit, &came, &larkfield.address, "reply").await;
    answer_with(&summit, &came, &larkfield.address, "forward").await;
    process(&summit.client, &came, json!("PDFExport")).await;
    app.drain().await;
    summit.client.delete(&format!("/api/messages/{came}")).await.ok();

    let sender = kinds(&larkfield.client, &format!("{YEARS}&eventTypes={ALL}")).await;
    assert_eq!(sender, ["Bounced", "Delivered", "Processed", "Received", "Received"]);
    let recipient = kinds(&summit.client, &format!("{YEARS}&eventTypes={ALL}")).await;
    let own = ["Deleted", "Delivered", "Delivered", "Exported", "Forwarded", "Processed"];
    assert_eq!(recipient, [&own[..], &["Processed", "Processed", "Received", "Replied"]].concat());

    let all = lines(&summit.client, YEARS).await;
    let line =
        |kind: &str| all.iter().find(|line| line[1] == kind).unwrap_or_else(|| panic!("{kind}: {all:?}"));
    let name = text(&message_person(&summit.client).await, "fullName").to_owned();
    assert_eq!(
        line("Replied")[2..],
        ["Intake", "DirectMessage", &larkfield.address, &summit.address, &name, &came]
    );
    assert_eq!(line("Received")[6], "", "nobody of the organization did it");
    assert_eq!(line("Delivered")[2..6], ["Release", "", &summit.address, &larkfield.address]);
    app.finish().await;
}

async fn message_person(client: &Client) -> Value {
    client.get("/api/users/profiledata").await.ok()
}

#[tokio::test]
async fn an_export_is_an_event_and_a_print_is_none() {
    let (app, _, summit) = world(Db::sqlite()).await;
    let id = only(&intake(&summit.client, json!({})).await);
    for (kind, expected) in [(json!("Printed"), 0), (Value::Null, 0), (json!("NativeExport"), 1)] {
        process(&summit.client, &id, kind.clone()).await;
        let found = lines(&summit.client, &format!("{YEARS}&eventTypes=Exported")).await;
        assert_eq!(found.len(), expected, "{kind}");
    }
    let undone = json!({ "isProcessed": false, "processType": "PDFExport" });
    summit.client.put(&format!("/api/messages/{id}/process"), &undone).await.ok();
    assert_eq!(lines(&summit.client, &format!("{YEARS}&eventTypes=Exported")).await.len(), 1);
    app.finish().await;
}

/// Adds an event to the only message of a practice.
async fn event(app: &TestApp, practice: &Practice, kind: EventType, back: Duration, user: &str) {
    let message: Uuid = only(&intake(&practice.client, json!({})).await).parse().expect("an id");
    let row = message_event::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(practice.organization.id),
        message_id: Set(message),
        event_type: Set(kind),
        at: Set(app.clock.now() - back),
        user_id: Set(None),
        user_name: Set(user.into()),
    };
    message_event::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("an event");
}

/// SES-R-353, SES-R-354
async fn a_report_is_about_its_days_and_its_kinds(db: Db) {
    let (app, _, summit) = world(db).await;
    for (kind, days) in [
        (EventType::Exported, 3),
        (EventType::Forwarded, 3),
        (EventType::Replied, 40),
        (EventType::Uncertain, 3),
    ] {
        event(&app, &summit, kind, Duration::days(days), "").await;
    }
    let at =
        |days: i64| (app.clock.now() - Duration::days(days)).format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string();
    let kinds = async |query: String| kinds(&summit.client, &query).await;
    assert_eq!(kinds(format!("start={}&end={}", at(7), at(0))).await, ["Exported", "Forwarded", "Received"]);
    assert_eq!(
        kinds(format!("start={}&end={}", at(3), at(3))).await,
        ["Exported", "Forwarded"],
        "both ends count"
    );
    assert_eq!(kinds(format!("start={}&end={}", at(50), at(4))).await, ["Replied"]);
    assert_eq!(kinds(format!("{YEARS}&eventTypes=Replied, Exported")).await, ["Exported", "Replied"]);
    assert_eq!(kinds(format!("{YEARS}&eventTypes=Bounced")).await, [""; 0]);
    app.finish().await;
}

/// SES-R-352, MSG-R-456
async fn a_report_holds_the_newest_events_up_to_its_size(db: Db) {
    let (app, _, summit) = world(db).await;
    let message: Uuid = only(&intake(&summit.client, json!({})).await).parse().expect("an id");
    let rows: Vec<_> = (0..1_500_i64)
        .map(|n| message_event::ActiveModel {
            id: Set(Uuid::now_v7()),
            organization_id: Set(summit.organization.id),
            message_id: Set(message),
            // Many at the same time, so that a chunk ends among them.
            at: Set(app.clock.now() - Duration::minutes(1 + n / 300)),
            event_type: Set(if n % 2 == 0 { EventType::Exported } else { EventType::Replied }),
            user_id: Set(None),
            user_name: Set(format!("Number {n}")),
        })
        .collect();
    for some in rows.chunks(500) {
        let some = message_event::Entity::insert_many(some.to_vec());
        some.exec_without_returning(app.store.db()).await.expect("events");
    }
    let all = lines(&summit.client, YEARS).await;
    assert_eq!(all.len(), 1_501);
    let mut names: Vec<&str> = all.iter().map(|line| line[6].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 1_501, "each stands once");
    let times: Vec<&String> = all.iter().map(|line| &line[0]).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "newest first");
    let some = lines(&summit.client, &YEARS.replace("10000", "1100")).await;
    assert_eq!(some, all[..1_100]);
    app.finish().await;
}

#[tokio::test]
async fn a_request_that_cannot_be_answered_is_refused() {
    let (app, _, summit) = world(Db::sqlite()).await;
    let wrong = "Please enter a valid value for this field.";
    for (query, field, text) in [
        ("end=2026-11-20T00:00:00Z", "start", wrong),
        ("start=2026-11-20T00:00:00Z", "end", wrong),
        (&format!("{YEARS}&eventTypes=Received,Invented"), "eventTypes", wrong),
        (&format!("{YEARS}&eventTypes=Uncertain"), "eventTypes", wrong),
        (
            "start=2026-11-21T00:00:00Z&end=2026-11-20T00:00:00Z",
            "start",
            "Start Date must be smaller or equal than End Date.",
        ),
    ] {
        let problem = summit.client.get(&format!("{REPORT}?{query}")).await.problem(422);
        assert_eq!(problem["modelState"][field], json!([text]), "{query}");
    }
    for query in ["start=yesterday&end=today".to_owned(), YEARS.replace("10000", "10001")] {
        summit.client.get(&format!("{REPORT}?{query}")).await.problem(400);
    }
    for query in ["pageSize=101", "pageStart=0", "start=yesterday"] {
        summit.client.get(&format!("/api/messages/events?{query}")).await.problem(400);
    }
    app.finish().await;
}

/// SES-C-050, MSG-C-016
async fn recent_activity_goes_back_fourteen_days_in_pages_of_thirty(db: Db) {
    let (app, larkfield, summit) = world(db).await;
    let list = activity(&summit.client, "").await;
    assert_eq!(list["totalCount"], 1);
    let first = &list["items"][0];
    assert_eq!((&first["eventType"], &first["direction"]), (&json!("Received"), &json!("Intake")));
    assert_eq!((&first["subject"], &first["fromAddress"]), (&json!("Knee pain"), &json!(larkfield.address)));
    for n in 0..35 {
        event(&app, &summit, EventType::Forwarded, Duration::hours(1 + n), "Robin Vale").await;
    }
    event(&app, &summit, EventType::Replied, Duration::days(15), "").await;
    let list = activity(&summit.client, "").await;
    assert_eq!((&list["totalCount"], list["items"].as_array().map(Vec::len)), (&json!(36), Some(30)));
    let rest = activity(&summit.client, "pageStart=2").await;
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(6));
    assert_eq!(rest["items"][5]["userName"], "Robin Vale");
    let replies = activity(&summit.client, "eventTypes=Replied&start=2020-01-01T00:00:00Z").await;
    assert_eq!(replies["totalCount"], 1);
    app.finish().await;
}

async fn what_was_deleted_keeps_its_events_and_loses_its_subject(db: Db) {
    let (app, _, summit) = world(db).await;
    let id = only(&intake(&summit.client, json!({})).await);
    summit.client.delete(&format!("/api/messages/{id}")).await.ok();
    let list = activity(&summit.client, "").await;
    assert_eq!(list["items"][0]["eventType"], "Deleted");
    for item in list["items"].as_array().expect("items") {
        assert_eq!((&item["subject"], &item["isDeleted"]), (&json!(""), &json!(true)));
    }
    assert_eq!(kinds(&summit.client, YEARS).await, ["Deleted", "Received"]);
    app.finish().await;
}

#[tokio::test]
async fn no_event_of_another_organization_is_shown() {
    let (app, _, summit) = world(Db::sqlite()).await;
    let bayline = app.practice("bayline").await;
    assert_eq!(lines(&bayline.client, YEARS).await.len(), 0);
    assert_eq!(activity(&bayline.client, "").await["items"], json!([]));
    assert_eq!(lines(&summit.client, YEARS).await.len(), 1);
    for path in [&format!("{REPORT}?{YEARS}"), "/api/messages/events"] {
        app.client().get(path).await.problem(401);
    }
    app.finish().await;
}

#[tokio::test]
async fn no_spreadsheet_computes_what_others_wrote() {
    let (app, _, summit) = world(Db::sqlite()).await;
    event(&app, &summit, EventType::Forwarded, Duration::hours(1), "=1+1").await;
    let forwarded = lines(&summit.client, &format!("{YEARS}&eventTypes=Forwarded")).await;
    assert_eq!(forwarded[0][6], "'=1+1");
    app.finish().await;
}

/// SES-R-357
#[tokio::test]
async fn whoever_takes_a_report_stands_in_the_audit_trail() {
    let (app, _, summit) = world(Db::sqlite()).await;
    let answer = summit.client.get(&format!("{REPORT}?{YEARS}&eventTypes=Received")).await;
    let name = answer.header("content-disposition");
    assert!(name.ends_with("Z.csv"), "{name}");
    assert!(!answer.text().contains("Knee pain"), "neither subject nor patient leaves the product");
    let entries = audit_entry::Entity::find().all(app.store.db()).await.expect("audit entries");
    let entry = entries.iter().find(|e| e.object_type == "report").expect("an entry");
    assert_eq!((entry.event_type.as_str(), entry.object_id.as_str()), ("Downloaded", "events"));
    assert_eq!(entry.organization_id, Some(summit.organization.id));
    assert!(entry.detail.contains(r#""eventTypes":["Received"]"#), "{}", entry.detail);
    app.finish().await;
}

#[tokio::test]
async fn events_are_found_by_message_and_by_person() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for subject in ["First", "Second"] {
        larkfield.client.send_document(&larkfield.address, &[&summit.address], subject).await;
        app.drain().await;
        app.advance(Duration::minutes(1));
    }
    let list = intake(&summit.client, json!({})).await;
    let first = text(&list["items"][1], "id");
    let process = json!({ "isProcessed": true, "acceptsGaps": true });
    summit.client.put(&format!("/api/messages/{first}/process"), &process).await.ok();
    let found = async |query: &str| {
        let page = summit.client.get(&format!("/api/events?{query}")).await.ok();
        let items = page["items"].as_array().expect("items").clone();
        items.iter().map(|e| format!("{} {}", text(e, "eventType"), text(e, "subject"))).collect::<Vec<_>>()
    };
    let user = summit.user.id;
    assert_eq!(found("").await, ["Processed First", "Received Second", "Received First"]);
    assert_eq!(found(&format!("messageId={first}")).await, ["Processed First", "Received First"]);
    assert_eq!(found(&format!("userId={user}")).await, ["Processed First"]);
    assert!(found(&format!("userId={user}&eventTypes=Received")).await.is_empty());
    assert!(found("end=2026-01-01").await.is_empty());
    summit.client.get(&format!("/api/events?userId={}", larkfield.user.id)).await.problem(404);
    let sent = larkfield.client.get("/api/messages?isDraft=false").await.ok()["items"][0]["id"].clone();
    summit.client.get(&format!("/api/events?messageId={}", sent.as_str().expect("an id"))).await.problem(404);
    app.finish().await;
}

/// SES-C-051
#[tokio::test]
async fn what_happened_is_counted_by_kind_in_a_time_and_for_a_person() {
    let (app, larkfield, summit) = world(Db::sqlite()).await;
    let id = only(&intake(&summit.client, json!({})).await);
    process(&summit.client, &id, json!("Printed")).await;
    let count = async |query: &str, kind: &str| {
        let answer = summit.client.get(&format!("/api/messages/statistics?{query}")).await.ok();
        let items = answer["items"].as_array().expect("items").clone();
        items.iter().find(|i| i["eventType"] == kind).map(|i| i["count"].clone())
    };
    assert_eq!(count("", "Received").await, Some(json!(1)));
    assert_eq!(count("", "Failed").await, Some(json!(0)));
    assert_eq!(count("eventTypes=Processed", "Received").await, None);
    let of_person = format!("userId={}", summit.user.id);
    assert_eq!(count(&of_person, "Received").await, Some(json!(0)));
    assert_eq!(count(&of_person, "Processed").await, Some(json!(1)));
    assert_eq!(count("end=2026-01-01", "Received").await, Some(json!(0)));
    let path = |query: &str| format!("/api/messages/statistics?{query}");
    summit.client.get(&path(&format!("userId={}", larkfield.user.id))).await.problem(404);
    summit.client.get(&path("eventTypes=Dreamt")).await.problem(422);
    app.finish().await;
}
