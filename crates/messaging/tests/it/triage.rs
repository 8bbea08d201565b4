//! Uploaded files are split into documents of the Intake.

use crate::{
    chores::stored_now,
    faults::{Harm, POINTS},
    refusals::plan_without,
    support::*,
};
use chrono::Duration;
use documents::paging::{self, PickedPage};
use messaging::storage_sweep::sweep;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{
    triage_batch::{self, BatchState},
    triage_file, triage_part, triage_sheet,
};
use testkit::{Answer, Client, Db, Options, Practice, TestApp};
use uuid::Uuid;
use workflow::probe::Verdict;

testkit::on_both_databases! {
    a_scanned_stack_becomes_documents_of_the_intake,
    wherever_a_worker_dies_each_document_is_filed_once,
    whichever_step_runs_twice_each_document_is_filed_once,
}

async fn world(db: Db) -> (TestApp, Practice) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    (app, larkfield)
}

/// A PDF with this number of empty pages of one inch.
fn empty_pages(count: usize) -> Vec<u8> {
    let numbers = 3..count + 3;
    let kids: String = numbers.clone().map(|number| format!("{number} 0 R ")).collect();
    let pages = numbers.map(|number| format!("{number} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n"));
    format!(
        "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [{kids}] \
         /Count {count} /MediaBox [0 0 72 72] >>\nendobj\n{}trailer\n<< /Root 1 0 R >>\n%%EOF\n",
        pages.collect::<String>()
    )
    .into_bytes()
}

/// Two letters with a separator sheet between them and an empty page at the end.
fn stack() -> Vec<u8> {
    let sheet = paging::separator_sheet("Outside records").expect("a sheet");
    let files = [note_pdf(), sheet, empty_pages(1)];
    let order = [0, 1, 0, 2].map(|file| PickedPage { file, page: 1, turn: 0, straighten: false });
    paging::assemble(&[&files[0], &files[1], &files[2]], &order).expect("a stack")
}

async fn begin(client: &Client) -> String {
    text(&client.post("/api/triage", &json!({})).await.ok(), "id").to_owned()
}

async fn add(client: &Client, batch: &str, name: &str, content: Vec<u8>) -> Answer {
    let form = Form::new().part("file", Part::bytes(content).file_name(name.to_owned()));
    client.send(client.request(Method::POST, &format!("/api/triage/{batch}/files")).multipart(form)).await
}

async fn view(client: &Client, batch: &str) -> Value {
    client.get(&format!("/api/triage/{batch}")).await.ok()
}

async fn save(client: &Client, batch: &Value) -> Answer {
    client.put(&format!("/api/triage/{}", text(batch, "id")), batch).await
}

async fn file(client: &Client, batch: &Value) -> Answer {
    client
        .post(&format!("/api/triage/{}/file", text(batch, "id")), &json!({ "version": batch["version"] }))
        .await
}

/// A batch with this file, after its pages were read.
async fn batch_of(app: &TestApp, client: &Client, name: &str, content: Vec<u8>) -> Value {
    let id = begin(client).await;
    add(client, &id, name, content).await.ok();
    app.drain().await;
    view(client, &id).await
}

/// MSG-R-143, SES-R-002
async fn a_scanned_stack_becomes_documents_of_the_intake(db: Db) {
    let (app, larkfield) = world(db).await;
    let client = &larkfield.client;
    let mut batch = batch_of(&app, client, "Scan 0931.pdf", stack()).await;
    let row = client.get("/api/triage").await.ok()["items"][0].clone();
    assert_eq!((&row["pageCount"], &row["documentCount"]), (&json!(4), &json!(2)), "{row}");
    let pages = &batch["files"][0]["pages"];
    assert_eq!((&pages[1]["separator"], &pages[3]["isBlank"]), (&json!("Outside records"), &json!(true)));
    let one = |page: u32| json!({ "file": 0, "page": page, "turn": 0 });
    assert_eq!(batch["parts"][0]["name"], "Scan 0931 (1)");
    assert_eq!(batch["parts"][0]["pages"], json!([one(1)]));
    assert_eq!(batch["parts"][1]["name"], "Outside records");
    assert_eq!(batch["leftOut"], json!([one(2), one(4)]));

    let path = format!("/api/triage/{}/files/{}", text(&batch, "id"), text(&batch["files"][0], "id"));
    for picture in ["sheets/0", "pages/4"] {
        assert_eq!(client.get(&format!("{path}/{picture}")).await.header("content-type"), "image/png");
    }
    for nothing in ["sheets/1", "pages/5", "pages/0"] {
        client.get(&format!("{path}/{nothing}")).await.problem(404);
    }

    batch["parts"][0]["name"] = json!("Operative note");
    batch["parts"][0]["documentType"] = json!("Progress note");
    batch["parts"][0]["assignedTo"] = json!(larkfield.user.id);
    batch["parts"][1]["pages"] =
        json!([{ "file": 0, "page": 4, "turn": 0 }, { "file": 0, "page": 3, "turn": 1 }]);
    batch["leftOut"] = json!([one(2)]);
    let saved = save(client, &batch).await.ok();
    assert_eq!(saved["parts"], batch["parts"]);
    assert_eq!(file(client, &saved).await.ok()["state"], "Filing");
    app.drain().await;

    let list = intake(client, json!({ "sourceTypes": ["Triage"] })).await;
    let named = |name: &str| -> Value {
        let items = list["items"].as_array().expect("items");
        items
            .iter()
            .find(|item| item["subject"] == name)
            .unwrap_or_else(|| panic!("{name} is in {list}"))
            .clone()
    };
    let (note, records) = (named("Operative note"), named("Outside records"));
    assert_eq!((&note["status"], &note["sourceType"]), (&json!("Triaged"), &json!("Triage")));
    assert_eq!(note["documentType"], "Progress note");
    assert_eq!(note["assignedTo"]["id"], json!(larkfield.user.id));
    assert!(records["assignedTo"].is_null());
    let records = message(client, text(&records, "id")).await;
    assert_eq!(records["attachments"][0]["pageCount"], 2);
    assert_eq!(records["attachments"][0]["fileName"], "Outside records.pdf");
    assert_eq!(events(&app, id_of(&records)).await, ["Received"]);
    let trail: Vec<_> = audit_of(&app, id_of(&records)).await;
    let made = trail.iter().find(|entry| entry.event_type == "Created").expect("an entry");
    assert!(made.detail.contains(text(&batch, "id")) && made.detail.contains("4, 3"), "{}", made.detail);
    assert_eq!(made.actor_id, Some(larkfield.user.id));

    let original = client.get(&format!("/api/messages/{}/original", text(&records, "id"))).await.ok();
    assert_eq!(original["batchId"], batch["id"]);
    assert_eq!(original["files"][0]["pages"], "4, 3");
    assert_eq!(client.get(&path).await.body, stack());

    let filed = view(client, text(&batch, "id")).await;
    assert_eq!(filed["state"], "Filed");
    assert_eq!(client.get("/api/triage").await.ok()["items"], json!([]));
    assert_eq!(file(client, &filed).await.status, 202, "a second click files nothing more");
    save(client, &filed).await.problem(409);
    client.delete(&format!("/api/triage/{}", text(&batch, "id"))).await.problem(409);
    app.drain().await;
    assert_eq!(intake(client, json!({})).await["totalCount"], 2);
    app.finish().await;
}

async fn wherever_a_worker_dies_each_document_is_filed_once(db: Db) {
    under_harm(db, Verdict::Crash).await;
}

async fn whichever_step_runs_twice_each_document_is_filed_once(db: Db) {
    under_harm(db, Verdict::RunTwice).await;
}

async fn under_harm(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let larkfield = app.practice("larkfield").await;
    let mut filed = 0;
    for step in ["ReadTriageFile", "FileTriagePart"] {
        for point in POINTS {
            harm.arm(step, point, 0);
            larkfield.client.enter(&larkfield.user).await;
            let id = begin(&larkfield.client).await;
            add(&larkfield.client, &id, "Scan.pdf", stack()).await.ok();
            pass(&app, Duration::minutes(10)).await;
            larkfield.client.enter(&larkfield.user).await;
            let batch = view(&larkfield.client, &id).await;
            assert_eq!(batch["parts"].as_array().map(Vec::len), Some(2), "{step} {point:?}: {batch}");
            file(&larkfield.client, &batch).await.ok();
            pass(&app, Duration::minutes(10)).await;
            assert!(harm.was_done(), "{step} came to {point:?}");
            larkfield.client.enter(&larkfield.user).await;
            assert_eq!(view(&larkfield.client, &id).await["state"], "Filed", "{step} {point:?}");
            filed += 2;
            assert_eq!(intake(&larkfield.client, json!({})).await["totalCount"], filed, "{step} {point:?}");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_and_the_others_go_on() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let id = begin(client).await;
    let refused = add(client, &id, "Program.exe", b"MZ".to_vec()).await;
    assert_eq!(refused.texts("file"), ["Your attachment file type exe is not supported"]);
    add(client, &id, "Broken.pdf", note_pdf()[..300].to_vec()).await.ok();
    add(client, &id, "Book.pdf", empty_pages(10_000)).await.ok();
    add(client, &id, "Nothing.pdf", empty_pages(0)).await.ok();
    add(client, &id, "Good.pdf", note_pdf()).await.ok();
    let early = view(client, &id).await;
    save(client, &early).await.problem(409);
    file(client, &early).await.problem(409);
    app.drain().await;
    let batch = view(client, &id).await;
    let said: Vec<_> = batch["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|file| (text(file, "name"), file["problem"].as_str().unwrap_or("none")))
        .collect();
    assert_eq!(
        said,
        [
            ("Broken.pdf", "It is damaged and cannot be opened."),
            ("Book.pdf", "It has 10000 pages, but a batch can have at most 500."),
            ("Nothing.pdf", "It is damaged and cannot be opened."),
            ("Good.pdf", "none"),
        ]
    );
    file(client, &batch).await.ok();
    app.drain().await;
    assert_eq!(subjects(client, json!({})).await, ["Good"]);
    app.finish().await;
}

#[tokio::test]
async fn a_batch_has_five_hundred_pages_at_most_and_one_at_least() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let id = begin(client).await;
    let nothing = view(client, &id).await;
    let problem = file(client, &nothing).await.problem(409);
    assert_eq!(problem["message"], "There is no document in this batch to file.");
    add(client, &id, "Stack.pdf", empty_pages(500)).await.ok();
    app.drain().await;
    add(client, &id, "One more.pdf", empty_pages(1)).await.ok();
    app.drain().await;
    let batch = view(client, &id).await;
    assert_eq!(batch["leftOut"].as_array().map(Vec::len), Some(500), "they are blank");
    assert_eq!(batch["files"][0]["pages"].as_array().map(Vec::len), Some(500));
    let words = "With it, the batch would have 501 pages, but it can have at most 500.";
    assert_eq!(batch["files"][1]["problem"], words);
    file(client, &batch).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn an_untouched_file_is_filed_byte_for_byte() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let admin = app.signed_in(platform::Role::Admin, &larkfield.organization).await;
    let settings = "/api/settings/interoperability";
    let mut own = admin.get(settings).await.ok();
    own["recordNumberAuthorities"] = json!(["9.9"]);
    admin.put(settings, &own).await.ok();
    let id = begin(client).await;
    let files = [("Summary.xml", ccd()), ("Letter.pdf", note_pdf()), ("Note.txt", b"A note.\n".to_vec())];
    for (name, content) in &files {
        add(client, &id, name, content.clone()).await.ok();
    }
    app.drain().await;
    let mut batch = view(client, &id).await;
    let original = |at: usize| format!("/api/triage/{id}/files/{}", text(&batch["files"][at], "id"));
    let shown = get_as(client, &original(0), "text/html").await;
    assert!(shown.header("content-type").starts_with("text/html") && shown.text().contains("<html"));
    get_as(client, &original(2), "text/html").await.problem(409);
    let mut mixed = batch.clone();
    let page = mixed["parts"][0]["pages"][0].clone();
    mixed["parts"][1]["pages"].as_array_mut().expect("pages").push(page);
    mixed["parts"][0]["pages"] = json!([]);
    let refused = save(client, &mixed).await;
    assert_eq!(
        refused.texts("parts[0].pages"),
        ["A file without pages cannot be combined, turned or straightened."]
    );
    batch["parts"][1]["name"] = json!("Referral 3/4");
    let saved = save(client, &batch).await.ok();
    file(client, &saved).await.ok();
    app.drain().await;
    for item in intake(client, json!({})).await["items"].as_array().expect("items") {
        let file = &item["attachments"][0];
        let (name, wanted) = match text(item, "subject") {
            "Referral 3/4" => ("Referral 3-4.pdf", &files[1].1),
            "Summary" => ("Summary.xml", &files[0].1),
            _ => ("Note.txt", &files[2].1),
        };
        assert_eq!(text(file, "fileName"), name);
        let got = client.get(&file_path(text(item, "id"), text(file, "id"))).await.body;
        assert!(got == *wanted, "{name} is as it was uploaded");
        if name == "Summary.xml" {
            assert!(!text(item, "patientName").is_empty(), "a clinical document says whose it is");
            let patient = message(client, text(item, "id")).await["patient"].clone();
            assert!(patient["patientId"].is_null(), "a number of another house is no record number here");
            assert!(patient["patientIds"][0]["id"].is_string(), "and is kept: {patient}");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn a_plan_that_loses_pages_or_is_outdated_or_names_strangers_is_refused() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    let client = &larkfield.client;
    let batch = batch_of(&app, client, "Scan.pdf", stack()).await;
    let changed = |edit: &dyn Fn(&mut Value)| {
        let mut plan = batch.clone();
        edit(&mut plan);
        plan
    };
    let lost = save(client, &changed(&|plan| plan["leftOut"] = json!([]))).await;
    let words = "Every page of the batch must be in the plan exactly once. Please load the batch again.";
    assert_eq!(lost.texts("parts"), [words]);
    let turned = save(client, &changed(&|plan| plan["parts"][0]["pages"][0]["turn"] = json!(4))).await;
    assert!(!turned.texts("parts").is_empty());
    let stranger =
        save(client, &changed(&|plan| plan["parts"][1]["assignedTo"] = json!(summit.user.id))).await;
    assert_eq!(stranger.texts("parts[1].assignedTo"), ["This person does not work in your organization."]);
    let unknown = save(client, &changed(&|plan| plan["parts"][0]["documentType"] = json!("Nonsense"))).await;
    assert!(!unknown.texts("parts[0].documentType").is_empty(), "{}", unknown.text());
    let long = save(client, &changed(&|plan| plan["parts"][0]["name"] = json!("a".repeat(256)))).await;
    assert!(!long.texts("parts[0].name").is_empty(), "{}", long.text());

    let nameless = save(client, &changed(&|plan| plan["parts"][1]["name"] = json!(""))).await.ok();
    let problem = file(client, &nameless).await;
    assert_eq!(problem.texts("parts[1].name"), ["Please name document 2."]);
    let colleague = app.signed_in(platform::Role::User, &larkfield.organization).await;
    let problem =
        save(&colleague, &changed(&|plan| plan["parts"][0]["name"] = json!("Mine"))).await.problem(409);
    assert_eq!(problem["reason"], "Changed in the meantime.");
    file(&colleague, &batch).await.problem(409);
    save(client, &changed(&|plan| plan["version"] = Value::Null)).await.problem(422);

    let id = text(&batch, "id");
    summit.client.get(&format!("/api/triage/{id}")).await.problem(404);
    save(&summit.client, &batch).await.problem(404);
    client.delete(&format!("/api/triage/{id}")).await.ok();
    client.get(&format!("/api/triage/{id}")).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn a_separator_sheet_says_once_that_it_is_a_pdf() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let sheet = larkfield.client.post("/api/triage/separatorsheet", &json!({ "label": "Referral" })).await;
    let kinds: Vec<_> = sheet.headers.get_all("content-type").iter().map(|kind| kind.as_bytes()).collect();
    assert_eq!((sheet.status.as_u16(), kinds), (200, vec![&b"application/pdf"[..]]));
    assert!(sheet.body.starts_with(b"%PDF-"));
    app.finish().await;
}

/// MSG-R-018, SES-R-146
#[tokio::test]
async fn a_plan_can_exclude_triage() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let batch = batch_of(&app, &larkfield.client, "Scan.pdf", note_pdf()).await;
    plan_without(&app, &larkfield, &["triage"]).await;
    let words = "Your plan does not include triage.";
    let client = &larkfield.client;
    for answer in [
        client.get("/api/triage").await,
        client.post("/api/triage", &json!({})).await,
        client.post("/api/triage/separatorsheet", &json!({})).await,
        add(client, text(&batch, "id"), "Scan.pdf", note_pdf()).await,
        save(client, &batch).await,
        file(client, &batch).await,
    ] {
        assert_eq!(answer.problem(409)["message"], words);
    }
    app.finish().await;
}

/// As if these documents of a filed batch had failed.
async fn fail_parts(app: &TestApp, batch: Uuid, which: Condition) {
    let db = app.store.db();
    let open = triage_batch::ActiveModel { state: Set(BatchState::Filing), ..Default::default() };
    let own = triage_batch::Column::Id.eq(batch);
    triage_batch::Entity::update_many().set(open).filter(own).exec(db).await.expect("a batch");
    let problem = Set(Some("It could not be created.".to_owned()));
    let row = triage_part::ActiveModel { filed_at: Set(None), problem, ..Default::default() };
    triage_part::Entity::update_many().set(row).filter(which).exec(db).await.expect("a part");
}

#[tokio::test]
async fn the_pages_of_a_document_that_cannot_be_made_are_planned_anew_and_what_is_filed_stays() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let batch = batch_of(&app, client, "Scan.pdf", stack()).await;
    file(client, &batch).await.ok();
    app.drain().await;
    fail_parts(&app, id_of(&batch), Condition::all().add(triage_part::Column::Position.eq(1))).await;
    let mut stuck = view(client, text(&batch, "id")).await;
    assert_eq!((&stuck["parts"], &stuck["leftOut"]), (&json!([batch["parts"][1]]), &batch["leftOut"]));
    let one = |page: u32| json!({ "file": 0, "page": page, "turn": 0 });
    let mut greedy = stuck.clone();
    greedy["parts"][0]["pages"] = json!([one(1), one(3)]);
    assert!(!save(client, &greedy).await.texts("parts").is_empty(), "page 1 is in the Intake");

    stuck["parts"] = json!([{ "name": "One page of it", "pages": [one(4)] }]);
    stuck["leftOut"] = json!([one(2), one(3)]);
    let saved = save(client, &stuck).await.ok();
    assert_eq!(saved["state"], "Open");
    let row = client.get("/api/triage").await.ok()["items"][0].clone();
    assert_eq!((&row["documentCount"], &row["filedCount"]), (&json!(2), &json!(1)), "{row}");
    file(client, &saved).await.ok();
    app.drain().await;
    let filed = view(client, text(&batch, "id")).await;
    let names: Vec<_> =
        filed["documents"].as_array().expect("documents").iter().map(|d| text(d, "name")).collect();
    assert_eq!((text(&filed, "state"), names), ("Filed", vec!["Scan (1)", "One page of it"]));
    app.finish().await;
}

#[tokio::test]
async fn documents_that_cannot_be_made_are_given_up_and_the_others_keep_their_original() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let batch = batch_of(&app, client, "Scan.pdf", stack()).await;
    let (id, path) = (id_of(&batch), format!("/api/triage/{}", text(&batch, "id")));
    file(client, &batch).await.ok();
    client.delete(&path).await.problem(409);
    app.drain().await;
    client.delete(&path).await.problem(409);
    fail_parts(&app, id, Condition::all().add(triage_part::Column::Position.eq(1))).await;
    let row = client.get("/api/triage").await.ok()["items"][0].clone();
    assert_eq!((&row["filedCount"], &row["failedCount"]), (&json!(1), &json!(1)), "{row}");
    client.delete(&path).await.ok();
    let rest = view(client, text(&batch, "id")).await;
    assert_eq!((&rest["state"], rest["documents"].as_array().map(Vec::len)), (&json!("Filed"), Some(1)));
    let made = text(&rest["documents"][0], "messageId");
    client.get(&format!("/api/messages/{made}/original")).await.ok();
    fail_parts(&app, id, Condition::all()).await;
    client.delete(&path).await.ok();
    client.get(&path).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn what_reads_a_discarded_batch_leaves_nothing_behind() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let id = begin(client).await;
    add(client, &id, "Scan.pdf", stack()).await.ok();
    client.delete(&format!("/api/triage/{id}")).await.ok();
    app.drain().await;
    assert_eq!(triage_sheet::Entity::find().count(app.store.db()).await.expect("a number"), 0);
    app.finish().await;
}

#[tokio::test]
async fn originals_stay_as_long_as_their_batch_and_go_with_it() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let filed = batch_of(&app, client, "Filed.pdf", stack()).await;
    let open = batch_of(&app, client, "Open.pdf", stack()).await;
    let gone = batch_of(&app, client, "Gone.pdf", stack()).await;
    file(client, &filed).await.ok();
    client.delete(&format!("/api/triage/{}", text(&gone, "id"))).await.ok();
    let rows = triage_file::Entity::find().all(app.store.db()).await.expect("files");
    assert_eq!(rows.len(), 2, "the files of the discarded batch are forgotten");
    app.drain().await;
    stored_now(&app.config.blob_dir(), app.clock.now());
    pass(&app, Duration::days(2)).await;
    let removed = sweep(&app).await.expect("a sweep");
    // The original and the images of the discarded batch, and the images of the filed one.
    assert_eq!(removed, 3);
    client.enter(&larkfield.user).await;
    for batch in [&filed, &open] {
        let path = format!("/api/triage/{}/files/{}", text(batch, "id"), text(&batch["files"][0], "id"));
        assert_eq!(client.get(&path).await.body, stack());
    }
    app.finish().await;
}

/// ADA-R-179
#[tokio::test]
async fn an_organization_that_is_not_activated_brings_nothing_into_the_intake_by_triage() {
    let (app, larkfield) = world(Db::sqlite()).await;
    let batch = begin(&larkfield.client).await;
    let row = store::entities::organization::ActiveModel {
        id: Set(larkfield.organization.id),
        is_activated: Set(false),
        ..Default::default()
    };
    sea_orm::ActiveModelTrait::update(row, app.store.db()).await.expect("the organization");
    larkfield.client.post("/api/triage", &json!({})).await.problem(409);
    add(&larkfield.client, &batch, "Stack.pdf", stack()).await.problem(409);
    let filed = larkfield.client.post(&format!("/api/triage/{batch}/file"), &json!({ "version": 1 })).await;
    assert!(filed.status.is_client_error(), "{}", filed.status);
    view(&larkfield.client, &batch).await;
    app.finish().await;
}
