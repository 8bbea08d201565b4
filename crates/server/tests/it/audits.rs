//! The audit trail for operators and administrators.

use platform::Role;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp};

testkit::on_both_databases! {
    entries_are_found_by_time_person_event_and_words,
    the_trail_is_verified_part_by_part,
}

const AUDITS: &str = "/api/admin/audits";

async fn operator(app: &TestApp) -> Client {
    let home = app.organization("home").await;
    app.signed_in(Role::SysAdmin, &home).await
}

fn search(app: &TestApp, more: Value) -> Value {
    let today = app.clock.now().date_naive();
    let mut search = json!({ "startDate": today, "endDate": today });
    for (member, value) in more.as_object().expect("members") {
        search[member] = value.clone();
    }
    search
}

fn all<'a>(page: &'a Value, member: &str) -> Vec<&'a str> {
    page["items"].as_array().expect("items").iter().map(|e| e[member].as_str().expect("a text")).collect()
}

/// ADB-C-036 ADB-C-037 ADB-R-229 ADB-R-230 ADB-R-233 ADB-R-238
async fn entries_are_found_by_time_person_event_and_words(db: Db) {
    let app = TestApp::start(db).await;
    let operator = operator(&app).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft = larkfield.client.draft(json!({ "subject": "Referral" })).await;
    let found = async |more: Value| operator.post(AUDITS, &search(&app, more)).await.ok();

    let page = found(json!({ "pageSize": 100 })).await;
    let times = all(&page, "timestamp");
    assert!(times.is_sorted_by(|a, b| a >= b), "newest first");
    let one = found(json!({ "username": larkfield.user.user_name, "eventTypes": ["Created"] })).await;
    let entry = one["items"].as_array().expect("items").iter().find(|e| e["objectId"] == draft.as_str());
    let entry = entry.expect("the draft");
    assert_eq!(entry["createdBy"], larkfield.user.user_name.as_str());
    assert_eq!(entry["organizationId"], larkfield.organization.id.to_string());
    assert!(all(&one, "eventType").iter().all(|event| *event == "Created"));
    assert!(all(&one, "createdBy").iter().all(|name| *name == larkfield.user.user_name));
    let words = found(json!({ "search": format!("MESSAGE {draft}") })).await;
    assert!(all(&words, "objectId").iter().all(|id| *id == draft) && words["totalCount"] != 0);
    let other = found(json!({ "username": summit.user.user_name, "search": draft })).await;
    assert_eq!(other["totalCount"], 0);
    let tomorrow = app.clock.now().date_naive().succ_opt().expect("a day");
    let later = found(json!({ "startDate": tomorrow, "endDate": tomorrow })).await;
    assert_eq!(later["totalCount"], 0);

    let types = operator.get("/api/admin/audits/eventtypes").await.ok();
    assert!(
        types["items"]
            .as_array()
            .expect("types")
            .contains(&json!({ "eventType": "SignInFailed", "label": "Sign in failed" }))
    );
    larkfield.client.post(AUDITS, &search(&app, json!({}))).await.problem(403);
    operator.post(AUDITS, &json!({ "startDate": "2026-11-02", "endDate": "2026-11-01" })).await.problem(422);
    app.finish().await;
}

/// ADB-R-235
#[tokio::test]
async fn a_download_holds_the_whole_span_and_is_recorded() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let practice = app.practice("larkfield").await;
    let path = format!("{AUDITS}/csv");
    let csv = operator.post(&path, &search(&app, json!({ "username": practice.user.user_name }))).await;
    assert!(csv.status.is_success());
    let day = app.clock.now().format("%m%d%Y");
    assert!(csv.header("content-disposition").contains(&format!("AuditEntries_{day}-{day}.csv")));
    let text = csv.text();
    let head = "Time,User,Name,Event,Data,Organization,Object type,Object,Object ID,Outcome,Address\r\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.lines().skip(1).all(|line| line.contains(&practice.user.user_name)), "{text}");
    let recorded = operator.post(AUDITS, &search(&app, json!({ "eventTypes": ["Downloaded"] }))).await.ok();
    assert_eq!(all(&recorded, "objectId"), ["audits"]);
    app.finish().await;
}

#[tokio::test]
async fn operators_read_what_entries_are_about_and_no_names_of_patients() {
    let app = TestApp::start(Db::sqlite()).await;
    let operator = operator(&app).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    let word = operator.post("/api/reservedwords", &json!({ "name": "Northgate" })).await.ok();
    app.drain().await;
    let name_of = async |object: &str| {
        let page = operator.post(AUDITS, &search(&app, json!({ "search": object }))).await.ok();
        let entry =
            page["items"].as_array().expect("items").iter().find(|e| e["objectId"] == object).cloned();
        entry.unwrap_or_else(|| panic!("no entry about {object}: {page}"))["objectName"].clone()
    };
    assert_eq!(name_of(&id).await, json!(format!("To {}", summit.address)));
    assert_eq!(name_of(word["id"].as_str().expect("an id")).await, "Northgate");
    let csv = operator.post(&format!("{AUDITS}/csv"), &search(&app, json!({}))).await.text();
    assert!(csv.contains(&format!(",message,To {},{id},", summit.address)), "{csv}");
    assert!(csv.contains(&format!(",message,From {},", larkfield.address)), "the address alone: {csv}");
    assert!(!csv.contains("Knee pain"), "{csv}");
    app.finish().await;
}

async fn the_trail_is_verified_part_by_part(db: Db) {
    let app = TestApp::start(db).await;
    let operator = operator(&app).await;
    let practice = app.practice("larkfield").await;
    for _ in 0..3 {
        practice.client.draft(json!({ "subject": "Referral" })).await;
    }
    let path = format!("{AUDITS}/verification");
    let right = operator.post(&path, &json!({})).await.ok();
    assert_eq!((&right["findings"], &right["next"]), (&json!([]), &Value::Null));
    assert!(right["checked"].as_u64() >= Some(3) && right["heads"].is_object());
    // From the middle of a chain, as for the next part of a long one.
    let from = json!({ "from": { "chainId": practice.organization.id, "seq": 1 } });
    assert_eq!(operator.post(&path, &from).await.ok()["findings"], json!([]));

    let guards: &[&str] = if app.db.is_postgres() {
        &["DROP TRIGGER audit_entry_append_only ON audit_entry"]
    } else {
        &["DROP TRIGGER audit_entry_no_UPDATE", "DROP TRIGGER audit_entry_no_DELETE"]
    };
    let tamper = "UPDATE audit_entry SET outcome = 'Failure' WHERE seq = 2 AND organization_id IS NOT NULL";
    for statement in guards.iter().copied().chain([tamper]) {
        app.store.db().execute_unprepared(statement).await.expect("a statement");
    }
    let wrong = operator.post(&path, &json!({})).await.ok();
    let findings = wrong["findings"].as_array().expect("findings");
    let own = findings.iter().find(|f| f["organizationId"] == practice.organization.id.to_string());
    let own = own.expect("a finding");
    assert_eq!((&own["seq"], &own["problem"]), (&json!(2), &json!("Changed")));
    assert!(own["organizationName"].is_string());
}

/// MSG-C-075 MSG-C-076 MSG-C-077 MSG-C-078
#[tokio::test]
async fn administrators_read_what_happened_in_their_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &larkfield.organization).await;
    let stranger = app.signed_in(Role::Admin, &summit.organization).await;
    let draft = larkfield.client.draft(json!({ "subject": "Referral" })).await;

    let events = admin.get(&format!("/api/audit/{draft}/events?eventType=Created")).await.ok();
    assert_eq!((&events["totalCount"], all(&events, "objectType")), (&json!(1), vec!["message"]));
    let entry = &events["items"][0];
    let path = format!("/api/audit/{}", entry["id"].as_str().expect("an id"));
    assert_eq!(&admin.get(&path).await.ok(), entry);
    let of_type = admin.get("/api/audit/entries/message").await.ok();
    assert!(all(&of_type, "objectId").contains(&draft.as_str()));
    let misspelt = admin.get("/api/audit/entries/message?eventtype=Created&page=1").await.problem(400);
    assert!(misspelt["message"].as_str().expect("a text").contains("eventType, start, end"), "{misspelt}");
    let of_user = format!("/api/audit/user?userId={}", larkfield.user.id);
    assert!(all(&admin.get(&of_user).await.ok(), "objectId").contains(&draft.as_str()));
    let own = admin.get("/api/audit/user").await.ok();
    assert!(
        own["items"].as_array().expect("items").iter().all(|e| e["userId"] != larkfield.user.id.to_string())
    );

    let csv = "/api/audit/entries/message/csv";
    let file = admin.get(&format!("{csv}?eventType=Created")).await.text();
    assert!(file.starts_with("Time,User,Event,What,Object type,Object,Object ID\r\n"), "{file}");
    let line = format!(",Created,,message,,{draft}\r\n");
    assert_eq!(file.matches(&line).count(), 1, "{file}");
    assert!(!file.contains(",Viewed,"), "{file}");
    let id = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    let named = admin.get(&format!("/api/audit/{id}/events")).await.ok();
    let of = &named["items"][0];
    assert_eq!(of["objectName"], json!(format!("To {}", summit.address)), "{of}");
    assert_eq!((&of["messageId"], &of["direction"]), (&json!(id), &json!("Release")));
    let reports = admin.get("/api/audit/entries/report?eventType=Downloaded").await.ok();
    assert_eq!(all(&reports, "objectId"), ["trail"]);
    assert!(!stranger.get(csv).await.text().contains(&draft));
    larkfield.client.get(csv).await.problem(403);

    for path in [format!("/api/audit/{draft}/events"), path, of_user.clone()] {
        stranger.get(&path).await.problem(404);
        larkfield.client.get(&path).await.problem(403);
    }
    let foreign = stranger.get("/api/audit/entries/message").await.ok();
    assert!(!all(&foreign, "objectId").contains(&draft.as_str()));
    app.finish().await;
}
