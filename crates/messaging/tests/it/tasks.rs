//! Exports and prints in the background.

use crate::{
    faults::{Harm, POINTS},
    refusals::plan_without,
    support::*,
};
use chrono::Duration;
use messaging::{exports::expire, storage_sweep::sweep};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};
use store::entities::{export_file, export_task};
use testkit::{Client, Db, Options, Practice, Role, TestApp, document};
use workflow::probe::Verdict;
use zip::ZipArchive;

testkit::on_both_databases! {
    messages_leave_as_one_archive_and_are_processed,
    wherever_a_worker_dies_each_message_is_exported_once,
    whichever_run_happens_twice_each_message_is_exported_once,
}

/// Summit has received this number of messages with a PDF and a text each, oldest first.
async fn world(db: Db, count: usize) -> (TestApp, Practice, Practice, Vec<String>) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    for number in 1..=count {
        send(&larkfield, &summit, &format!("Letter {number}")).await;
        app.drain().await;
        app.advance(Duration::minutes(1));
    }
    let ids = received(&summit.client).await;
    (app, larkfield, summit, ids)
}

async fn send(from: &Practice, to: &Practice, subject: &str) {
    let client = &from.client;
    let draft = client.draft(document(&from.address, &[&to.address], subject)).await;
    client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    client.upload(&draft, "Words.txt", b"Words.\n".to_vec(), meta()).await;
    client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
}

/// Sets the patient of a message.
async fn name(client: &Client, id: &str) {
    let version = message(client, id).await["patientVersion"].clone();
    let patient = json!({ "firstName": "Marisol", "lastName": "Tenney", "birthDate": "1961-03-14", "version": version });
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
}

async fn received(client: &Client) -> Vec<String> {
    let list = intake(client, json!({ "pageSize": 100 })).await;
    list["items"].as_array().expect("items").iter().rev().map(|row| text(row, "id").to_owned()).collect()
}

async fn begin(client: &Client, request: Value) -> String {
    text(&client.post("/api/tasks", &request).await.ok(), "id").to_owned()
}

async fn task(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/tasks/{id}")).await.ok()
}

async fn files(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/tasks/{id}/files")).await.ok()
}

/// The files of an archive, by path.
fn unpacked(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        let mut content = Vec::new();
        file.read_to_end(&mut content).expect("its content");
        files.insert(file.name().to_owned(), content);
    }
    files
}

async fn set(app: &TestApp, practice: &Practice, directory: &str, option: &str) {
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let path = "/api/settings/interoperability";
    let mut form = admin.get(path).await.ok();
    form["exportDirectoryType"] = directory.into();
    form["exportOption"] = option.into();
    form["exportVisitDirectory"] = true.into();
    admin.put(path, &form).await.ok();
}

/// MSG-R-142, MSG-R-163, MSG-R-256
async fn messages_leave_as_one_archive_and_are_processed(db: Db) {
    let (app, larkfield, summit, ids) = world(db, 2).await;
    let client = &summit.client;
    let mut hub = client.hub("events").await;
    hub.expect("alive").await;
    let wanted = json!({ "ids": ids, "isProcessed": true, "acceptsGaps": true });
    let begun = client.post("/api/tasks", &wanted).await.ok();
    assert_eq!((&begun["type"], &begun["result"]), (&json!("file"), &json!("accepted")), "{begun}");
    assert_eq!(begun["worker"], json!({ "inProgress": true, "inError": false }));
    assert!(begun["href"].is_null());
    hub.expect("tasks").await;
    let id = text(&begun, "id");
    client.get(&format!("/api/tasks/{id}/content")).await.problem(409);
    app.drain().await;

    let made = task(client, id).await;
    assert_eq!((&made["state"], &made["result"]), (&json!("Ready"), &json!("success")), "{made}");
    assert_eq!((&made["messagesDone"], &made["fileCount"]), (&json!(2), &json!(4)));
    assert_eq!(made["form"], "NativeExport", "as the settings say");
    let answer = client.get(text(&made, "href")).await;
    assert_eq!(answer.header("content-type"), "application/zip");
    assert!(answer.header("content-disposition").ends_with(".zip"));
    let content = unpacked(&answer.body);
    let stamp = text(&made, "fileName");
    assert!(stamp.contains("_native-export_") && stamp.ends_with('Z'), "{stamp}");
    let names = ["Note.pdf", "Note_2.pdf", "Words.txt", "Words_2.txt"].map(|name| format!("{stamp}_{name}"));
    assert_eq!(content.keys().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    assert_eq!(content[&names[0]], note_pdf());
    let one = client.get(&format!("/api/tasks/{id}/files/1")).await;
    assert_eq!((one.status.as_u16(), &one.body[..]), (200, &b"Words.\n"[..]));

    for message_id in &ids {
        let view = message(client, message_id).await;
        assert_eq!((&view["isProcessed"], &view["processedType"]), (&json!(true), &json!("NativeExport")));
        let what = events(&app, id_of(&view)).await;
        assert_eq!(what, ["Received", "Exported", "Processed"]);
        let trail = audit_of(&app, id_of(&view)).await;
        assert_eq!(trail.iter().filter(|entry| entry.event_type == "Exported").count(), 1);
    }
    let trail = audit_of(&app, id.parse().expect("an id")).await;
    assert_eq!(trail.iter().filter(|entry| entry.event_type == "Downloaded").count(), 2);

    let colleague = app.signed_in(Role::User, &summit.organization).await;
    for other in [&colleague, &larkfield.client] {
        for path in ["", "/files", "/files/0", "/content"] {
            other.get(&format!("/api/tasks/{id}{path}")).await.problem(404);
        }
        other.put(&format!("/api/tasks/{id}/retry"), &json!({})).await.problem(404);
        other.delete("/api/tasks").await;
        assert_eq!(other.get("/api/tasks").await.ok()["items"], json!([]));
    }
    larkfield.client.post("/api/tasks", &json!({ "ids": ids })).await.problem(404);
    assert_eq!(task(client, id).await["state"], "Ready", "others clear their own alone");
    app.finish().await;
}

#[tokio::test]
async fn documents_leave_in_the_form_that_is_asked_for() {
    let (app, _, summit, ids) = world(Db::sqlite(), 1).await;
    let client = &summit.client;
    name(client, &ids[0]).await;
    for (form, kind, mime_type, begin_with) in [
        ("PDFExport", "file", "application/pdf", "%PDF"),
        ("Printed", "print", "application/pdf", "%PDF"),
        ("StructuredExport", "file", "text/xml", "<?xml"),
    ] {
        let id = begin(client, json!({ "ids": ids, "form": form })).await;
        app.drain().await;
        let made = task(client, &id).await;
        assert_eq!((&made["type"], &made["state"]), (&json!(kind), &json!("Ready")), "{form}: {made}");
        let list = files(client, &id).await;
        for file in list["items"].as_array().expect("files") {
            assert_eq!(file["mimeType"], mime_type, "{form}");
            let answer = client.get(&format!("/api/tasks/{id}/files/{}", file["position"])).await;
            assert!(answer.text().starts_with(begin_with), "{form}: {file}");
            assert_eq!(answer.body.len() as u64, file["sizeInBytes"].as_u64().expect("a size"));
            if form == "StructuredExport" {
                assert!(answer.text().contains("<nonXMLBody>") && answer.text().contains("Tenney"));
            }
        }
    }
    assert_eq!(message(client, &ids[0]).await["isProcessed"], false, "nobody asked for it");
    app.finish().await;
}

/// MSG-R-159, MSG-R-158
#[tokio::test]
async fn files_lie_in_the_folders_that_the_organization_wants() {
    let (app, _, summit, ids) = world(Db::sqlite(), 1).await;
    let client = &summit.client;
    name(client, &ids[0]).await;
    for (directory, option, folder) in [
        ("single_directory", "standard", ""),
        ("patient_folder", "standard", "Tenney, Marisol - 1961-03-14/No visit/"),
        ("patient_folder", "xds-sd_cda", "Tenney, Marisol - 1961-03-14/"),
    ] {
        set(&app, &summit, directory, option).await;
        let id = begin(client, json!({ "ids": ids })).await;
        app.drain().await;
        let made = task(client, &id).await;
        assert_eq!(made["hasFolders"], !folder.is_empty());
        let kind = if option == "standard" { "native-export" } else { "xds-sd-cda" };
        let list = files(client, &id).await;
        let path = text(&list["items"][0], "path").to_owned();
        let name = path.strip_prefix(folder).unwrap_or_else(|| panic!("{path} lies in {folder}"));
        assert!(!name.contains('/') && name.contains(kind), "{name}");
    }
    app.finish().await;
}

/// MSG-R-019, SES-R-147
#[tokio::test]
async fn a_plan_can_exclude_clinical_documents() {
    let (app, _, summit, ids) = world(Db::sqlite(), 1).await;
    plan_without(&app, &summit, &["structuredExport"]).await;
    let client = &summit.client;
    client.post("/api/tasks", &json!({ "ids": ids, "form": "StructuredExport" })).await.problem(409);
    let process = json!({ "isProcessed": true, "processType": "StructuredExport" });
    client.put(&format!("/api/messages/{}/process", ids[0]), &process).await.problem(409);
    let file = text(&message(client, &ids[0]).await["attachments"][0], "id").to_owned();
    client.put(&format!("{}/convert?type=Cda", file_path(&ids[0], &file)), &json!({})).await.problem(409);
    client.post("/api/tasks", &json!({ "ids": ids, "form": "PDFExport" })).await.ok();
    app.finish().await;
}

/// MSG-R-458
#[tokio::test]
async fn ten_tasks_are_kept_and_each_can_be_stopped_and_go_on() {
    let (app, _, summit, ids) = world(Db::sqlite(), 1).await;
    let client = &summit.client;
    let mut begun = Vec::new();
    for _ in 0..10 {
        begun.push(begin(client, json!({ "ids": ids })).await);
    }
    client.post("/api/tasks", &json!({ "ids": ids })).await.problem(409);
    let first = format!("/api/tasks/{}", begun[0]);
    assert_eq!(client.put(&format!("{first}/cancel"), &json!({})).await.ok()["state"], "Cancelled");
    client.put(&format!("{first}/cancel"), &json!({})).await.problem(409);
    app.drain().await;
    assert_eq!(task(client, &begun[0]).await["fileCount"], 0, "nothing was made of it");
    client.put(&format!("{first}/retry"), &json!({})).await.ok();
    app.drain().await;
    assert_eq!(task(client, &begun[0]).await["state"], "Ready");
    client.put(&format!("{first}/retry"), &json!({})).await.problem(409);

    let newest = begin(client, json!({ "ids": ids })).await;
    let list = client.get("/api/tasks").await.ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(10));
    assert_eq!(list["items"][0]["id"], json!(newest));
    client.get(&first).await.problem(404);
    client.delete(&format!("/api/tasks/{}", begun[1])).await;
    client.get(&format!("/api/tasks/{}", begun[1])).await.problem(404);
    client.delete("/api/tasks").await;
    let left = client.get("/api/tasks").await.ok();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1), "what is being made stays");
    app.finish().await;
}

#[tokio::test]
async fn what_is_refused_is_named_and_tried_again_once_it_is_confirmed() {
    let (app, larkfield, summit, mut ids) = world(Db::sqlite(), 1).await;
    let client = &summit.client;
    let gone = ids[0].clone();
    send(&larkfield, &summit, "Letter 2").await;
    app.drain().await;
    ids = received(client).await;
    let id = begin(client, json!({ "ids": ids, "isProcessed": true })).await;
    client.delete(&format!("/api/messages/{gone}")).await;
    app.drain().await;
    let made = task(client, &id).await;
    // A message that cannot be filed is exported anyway.
    assert_eq!((&made["state"], &made["fileCount"]), (&json!("Ready"), &json!(2)), "{made}");
    assert_eq!((&made["problemCount"], &made["unfiledCount"]), (&json!(1), &json!(1)), "{made}");
    assert_eq!(made["message"], "Ready. 1 of 2 messages is incomplete or left out. 1 message not filed.");
    let problems = files(client, &id).await["problems"].clone();
    assert_eq!(problems[0]["reasons"], json!(["This message no longer exists."]));
    assert_eq!((&problems[1]["messageId"], &problems[1]["subject"]), (&json!(ids[1]), &json!("Letter 2")));
    assert_ne!(problems[1]["reasons"], json!([]));
    assert_eq!(message(client, &ids[1]).await["isProcessed"], false);

    client.put(&format!("/api/tasks/{id}/retry"), &json!({ "acceptsGaps": true })).await.ok();
    app.drain().await;
    let made = task(client, &id).await;
    assert_eq!((&made["state"], &made["problemCount"]), (&json!("Ready"), &json!(1)), "{made}");
    assert_eq!((&made["unfiledCount"], &made["fileCount"]), (&json!(0), &json!(2)), "{made}");
    assert_eq!(message(client, &ids[1]).await["processedType"], "NativeExport");

    for wrong in [json!([]), json!(vec![ids[1].clone(); 1001])] {
        client.post("/api/tasks", &json!({ "ids": wrong })).await.problem(422);
    }
    client.post("/api/tasks", &json!({ "ids": ids, "form": "Photocopy" })).await.problem(422);
    app.finish().await;
}

#[tokio::test]
async fn exports_are_forgotten_after_a_day_with_what_was_made_for_them() {
    let (app, _, summit, ids) = world(Db::sqlite(), 1).await;
    let id = begin(&summit.client, json!({ "ids": ids, "form": "StructuredExport" })).await;
    app.drain().await;
    pass(&app, Duration::hours(23)).await;
    expire(&app).await.expect("a round");
    summit.client.enter(&summit.user).await;
    assert_eq!(task(&summit.client, &id).await["state"], "Ready");
    pass(&app, Duration::hours(2)).await;
    summit.client.enter(&summit.user).await;
    summit.client.get(&format!("/api/tasks/{id}")).await.problem(404);
    expire(&app).await.expect("a round");
    let db = app.store.db();
    assert_eq!(export_task::Entity::find().count(db).await.expect("tasks"), 0);
    assert_eq!(export_file::Entity::find().count(db).await.expect("files"), 0);
    sweep(&app).await.expect("a sweep");
    assert_eq!(message(&summit.client, &ids[0]).await["attachments"].as_array().map(Vec::len), Some(2));
    app.finish().await;
}

async fn wherever_a_worker_dies_each_message_is_exported_once(db: Db) {
    under_harm(db, Verdict::Crash).await;
}

async fn whichever_run_happens_twice_each_message_is_exported_once(db: Db) {
    under_harm(db, Verdict::RunTwice).await;
}

async fn under_harm(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    // One more than a run takes.
    for number in 1..=11 {
        larkfield
            .client
            .send_document(&larkfield.address, &[&summit.address], &format!("Letter {number}"))
            .await;
    }
    app.drain().await;
    let ids = received(&summit.client).await;
    for (point, run) in POINTS.into_iter().flat_map(|point| [(point, 0), (point, 1)]) {
        harm.arm("MakeExport", point, run);
        summit.client.enter(&summit.user).await;
        let wanted = json!({ "ids": ids, "isProcessed": true, "acceptsGaps": true });
        let id = begin(&summit.client, wanted).await;
        pass(&app, Duration::minutes(10)).await;
        assert!(harm.was_done(), "a run came to {point:?}");
        summit.client.enter(&summit.user).await;
        let made = task(&summit.client, &id).await;
        assert_eq!(
            (&made["state"], &made["fileCount"]),
            (&json!("Ready"), &json!(11)),
            "{point:?} {run}: {made}"
        );
        assert_eq!(unpacked(&summit.client.get(text(&made, "href")).await.body).len(), 11, "{point:?} {run}");
    }
    let what = events(&app, ids[0].parse().expect("an id")).await;
    assert_eq!(what.iter().filter(|kind| *kind == "Processed").count(), 1, "{what:?}");
    app.finish().await;
}
