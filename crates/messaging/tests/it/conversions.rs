//! Conversion of files in place and their restoration, the order of files, and their patients.

use crate::{
    faults::{Harm, POINTS},
    support::*,
};
use documents::samples;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Value, json};
use store::entities::{attachment_original, workflow_step};
use testkit::{Client, Db, Options, Practice, TestApp, document};
use workflow::probe::Verdict;

async fn world(db: Db) -> (TestApp, Practice, String) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    (app, larkfield, draft)
}

fn scan() -> Vec<u8> {
    samples::scanned_tiff(&note_pdf())
}

async fn convert(client: &Client, path: &str, to: &str) -> Value {
    let answer = client.put(&format!("{path}/convert?type={to}"), &json!({})).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("retry-after")),
        (202, "1".into()),
        "{}",
        answer.text()
    );
    answer.ok()
}

async fn metadata(client: &Client, path: &str) -> Value {
    client.get(&format!("{path}/metadata")).await.ok()
}

testkit::on_both_databases! {
    a_scan_becomes_a_pdf_in_place_and_its_original_is_restored,
    wherever_a_worker_dies_a_file_is_converted_once,
}

// MSG-R-149, MSG-R-214
async fn a_scan_becomes_a_pdf_in_place_and_its_original_is_restored(db: Db) {
    let (app, larkfield, draft) = world(db).await;
    let client = &larkfield.client;
    let file = client.upload(&draft, "Scan 1.tif", scan(), meta()).await;
    let path = file_path(&draft, &file);
    let view = convert(client, &path, "pdf").await;
    assert_eq!((text(&view, "transformStatus"), &view["isRestorable"]), ("Pending", &json!(false)));
    assert_eq!(convert(client, &path, "Pdf").await["transformStatus"], "Pending", "it is asked for twice");
    client.put(&format!("{path}/convert?type=Cda"), &json!({})).await.problem(409);
    client.put(&format!("{path}/restore"), &json!({})).await.problem(409);
    assert_eq!(app.drain().await, 1, "it is made once");

    let view = metadata(client, &path).await;
    assert_eq!((text(&view, "fileName"), text(&view, "mimeType")), ("Scan 1.pdf", "application/pdf"));
    assert_eq!((&view["transformStatus"], &view["isRestorable"]), (&Value::Null, &json!(true)));
    assert_eq!(text(&view, "previewAvailable"), "Available");
    assert_eq!(view["attachmentMeta"]["confidentiality"], "Normal", "what is said about it stays");
    assert!(client.get(&path).await.body.starts_with(b"%PDF"));
    assert_eq!(
        client.put(&format!("{path}/convert?type=Pdf"), &json!({})).await.problem(409)["message"],
        "This file is already a PDF."
    );

    let copy = client.post(&format!("/api/messages/{draft}/copy"), &json!({})).await.ok();
    let copy = message(client, text(&copy, "id")).await;
    let view = client.put(&format!("{path}/restore"), &json!({})).await.ok();
    assert_eq!((text(&view, "fileName"), &view["isRestorable"]), ("Scan 1.tif", &json!(false)));
    assert_eq!(sha256(&client.get(&path).await.body), sha256(&scan()));
    client.put(&format!("{path}/restore"), &json!({})).await.problem(409);

    let copied = file_path(text(&copy, "id"), text(&copy["attachments"][0], "id"));
    let view = client.put(&format!("{copied}/restore"), &json!({})).await.ok();
    assert_eq!(text(&view, "fileName"), "Scan 1.tif", "a copy has an original of its own");
    app.finish().await;
}

async fn wherever_a_worker_dies_a_file_is_converted_once(db: Db) {
    let harm = Harm::new(Verdict::Crash);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let larkfield = app.practice("larkfield").await;
    let client = &larkfield.client;
    for point in POINTS {
        client.enter(&larkfield.user).await;
        let draft = client.draft(json!({})).await;
        let file = client.upload(&draft, "Scan.tif", scan(), meta()).await;
        app.drain().await;
        let path = file_path(&draft, &file);
        harm.arm("ConvertAttachment", point, 0);
        convert(client, &path, "Pdf").await;
        pass(&app, chrono::Duration::minutes(6)).await;
        assert!(harm.was_done(), "it came to {point:?}");
        client.enter(&larkfield.user).await;
        let view = metadata(client, &path).await;
        assert_eq!((text(&view, "fileName"), &view["isRestorable"]), ("Scan.pdf", &json!(true)), "{point:?}");
        let view = client.put(&format!("{path}/restore"), &json!({})).await.ok();
        assert_eq!(text(&view, "fileName"), "Scan.tif", "{point:?}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_picture_becomes_a_document_about_its_patient_by_way_of_a_pdf() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    client
        .put(
            &format!("/api/messages/{draft}/patient"),
            &json!({ "firstName": "Aiyana", "lastName": "Brooks", "version": 0 }),
        )
        .await
        .ok();
    let said = json!({ "confidentiality": "Restricted", "documentType": "Progress Note", "documentDate": "2026-11-19" });
    let file = client.upload(&draft, "Scan.tif", scan(), said).await;
    let path = file_path(&draft, &file);
    let transforms = json!({ "transforms": ["Pdf", "Cda"] });
    let answer = client.put(&format!("{path}/transforms"), &transforms).await;
    assert_eq!((answer.status.as_u16(), text(&answer.ok(), "transformStatus")), (202, "Pending"));
    app.drain().await;
    let view = metadata(client, &path).await;
    assert_eq!((text(&view, "fileName"), &view["isStructured"]), ("Scan.xml", &json!(true)));
    let outline = client.get(&format!("{path}/outline")).await.ok();
    assert_eq!(
        (text(&outline, "title"), text(&outline["patient"]["name"], "last")),
        ("Progress Note", "Brooks")
    );
    assert_eq!(outline["unstructured"]["mediaType"], "application/pdf", "{outline}");
    assert_eq!(outline["confidentiality"], "Restricted");

    convert(client, &path, "Pdf").await;
    app.drain().await;
    assert_eq!(text(&metadata(client, &path).await, "fileName"), "Scan.pdf");
    let view = client.put(&format!("{path}/restore"), &json!({})).await.ok();
    assert_eq!(text(&view, "fileName"), "Scan.tif", "the first original comes back");
    app.finish().await;
}

#[tokio::test]
async fn what_cannot_be_converted_stays_as_it_is_and_says_why() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let zip = client.upload(&draft, "Letters.zip", archive(), meta()).await;
    let answer = client.put(&format!("{}/convert?type=Pdf", file_path(&draft, &zip)), &json!({})).await;
    assert_eq!(answer.problem(409)["message"], "Files of this type cannot be converted.");
    let file = client.upload(&draft, "Damaged.tif", [&b"II*\0"[..], &[0xff; 64]].concat(), meta()).await;
    let path = file_path(&draft, &file);
    for (call, body, field) in [
        ("convert?type=Word", json!({}), "type"),
        ("transforms", json!({ "transforms": [] }), "transforms"),
        ("transforms", json!({ "transforms": ["Pdf", "Cda", "Pdf"] }), "transforms"),
    ] {
        let problem = client.put(&format!("{path}/{call}"), &body).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{problem}");
    }
    convert(client, &path, "Pdf").await;
    app.drain().await;
    let view = metadata(client, &path).await;
    let why = "The file is damaged and cannot be shown.";
    assert_eq!((text(&view, "transformStatus"), text(&view, "transformError")), ("Failed", why));
    assert_eq!((text(&view, "fileName"), &view["isRestorable"]), ("Damaged.tif", &json!(false)));
    convert(client, &path, "Pdf").await;
    app.finish().await;
}

#[tokio::test]
async fn a_message_is_not_sent_while_a_file_is_converted_and_not_converted_once_sent() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let draft = client.draft(document(&larkfield.address, &[&summit.address], "A scan")).await;
    let file = client.upload(&draft, "Scan.tif", scan(), meta()).await;
    let path = file_path(&draft, &file);
    convert(client, &path, "Pdf").await;
    let send = format!("/api/messages/{draft}/send");
    let problem = client.post(&send, &json!({})).await.problem(422);
    assert!(problem["modelState"]["attachments"].is_array(), "{problem}");
    app.drain().await;
    client.post(&send, &json!({})).await.ok();
    app.drain().await;
    for call in ["convert?type=Cda", "restore"] {
        client.put(&format!("{path}/{call}"), &json!({})).await.problem(409);
    }
    let received = only_message(&summit.client).await;
    let file = &received["attachments"][0];
    assert_eq!((text(file, "fileName"), &file["isRestorable"]), ("Scan.pdf", &json!(false)));
    app.finish().await;
}

// SES-C-043, MSG-R-151, MSG-R-152, MSG-R-393, SES-R-348, SES-R-349
#[tokio::test]
async fn the_preview_of_an_upload_is_made_at_once_unless_it_is_not_wanted() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let post = async |name: &'static str, wishes: Value| {
        let mut said = meta();
        said.as_object_mut().expect("fields").extend(wishes.as_object().cloned().expect("wishes"));
        let file = Part::bytes(if name.ends_with("pdf") { note_pdf() } else { b"A note.\n".to_vec() });
        let form = Form::new().text("attachmentMeta", said.to_string()).part("file", file.file_name(name));
        let path = format!("/api/messages/{draft}/attachments");
        client.send(client.request(Method::POST, &path).multipart(form)).await
    };
    let asked = post("Note.txt", json!({})).await;
    assert_eq!(asked.header("retry-after"), "1");
    assert_eq!(asked.ok()["previewAvailable"], "Processing");
    post("Later.txt", json!({ "usePriorityQueue": false })).await.ok();
    let steps = workflow_step::Entity::find()
        .order_by_asc(workflow_step::Column::RunAt)
        .order_by_asc(workflow_step::Column::Id);
    let steps = steps.all(app.store.db()).await.expect("steps");
    let priorities: Vec<_> = steps.iter().map(|step| step.meta["has_priority"].clone()).collect();
    assert_eq!(priorities, [json!(true), json!(false)]);
    assert_eq!(app.drain().await, 2);
    for (name, wishes) in [("Note.txt", json!({ "convert": false })), ("Note.pdf", json!({}))] {
        let answer = post(name, wishes).await;
        assert_eq!(answer.header("retry-after"), "", "{name}");
    }
    assert_eq!(app.drain().await, 0);
    let problem = post("Note.txt", json!({ "convert": "perhaps" })).await.problem(422);
    assert!(problem["modelState"]["convert"].is_array(), "{problem}");
    app.finish().await;
}

#[tokio::test]
async fn files_are_put_in_an_order_and_described_together() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let mut ids = Vec::new();
    for name in ["A.txt", "B.txt", "C.txt"] {
        ids.push(client.upload(&draft, name, name.as_bytes().to_vec(), meta()).await);
    }
    let path = format!("/api/messages/{draft}/attachments");
    let described =
        json!({ "id": ids[2], "version": 0, "attachmentMeta": { "documentType": "Progress Note" } });
    let order = json!({ "attachments": [described, { "id": ids[0] }, { "id": ids[1] }] });
    let answer = client.put(&path, &order).await.ok();
    let names = |view: &Value| -> Vec<String> {
        view["attachments"]
            .as_array()
            .expect("files")
            .iter()
            .map(|f| text(f, "fileName").to_owned())
            .collect()
    };
    assert_eq!(names(&answer), ["C.txt", "A.txt", "B.txt"]);
    let view = message(client, &draft).await;
    assert_eq!(names(&view), ["C.txt", "A.txt", "B.txt"]);
    assert_eq!(view["attachments"][0]["attachmentMeta"]["documentType"], "Progress Note");
    client.put(&path, &order).await.problem(409);
    let some = json!({ "attachments": [{ "id": ids[0] }] });
    assert!(client.put(&path, &some).await.problem(422)["modelState"]["attachments"].is_array());
    let twice =
        json!({ "attachments": [{ "id": ids[0] }, { "id": ids[0] }, { "id": ids[1] }, { "id": ids[2] }] });
    client.put(&path, &twice).await.problem(404);
    client.upload(&draft, "D.txt", b"D".to_vec(), meta()).await;
    assert_eq!(names(&message(client, &draft).await), ["C.txt", "A.txt", "B.txt", "D.txt"]);
    app.finish().await;
}

#[tokio::test]
async fn a_patient_is_read_once_for_each_content_of_a_file() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let file = client.upload(&draft, "Note.pdf", note_pdf(), json!({})).await;
    let path = format!("{}/patient/extract", file_path(&draft, &file));
    client.get(&path).await.problem(404);
    for _ in 0..2 {
        assert_eq!(client.put(&path, &json!({})).await.ok()["status"], "Processing");
    }
    assert_eq!(
        client.get(&path).await.ok(),
        json!({ "status": "Processing", "patient": null, "marks": [], "page": null })
    );
    assert_eq!(app.drain().await, 1, "it is read once");
    let patient = &samples::patients()[0];
    let answer = client.get(&path).await.ok();
    assert_eq!(answer["status"], "Completed");
    assert_eq!(text(&answer["patient"], "lastName"), patient.last);
    assert_eq!(text(&answer["patient"], "birthDate"), patient.birth_date.to_string());
    let marks = answer["marks"].as_array().expect("marks");
    let mark = marks.iter().find(|mark| mark["field"] == "lastName").expect("the name has its place");
    assert_eq!((&mark["page"], mark["confidence"].as_f64()), (&json!(1), Some(1.0)));
    let side = |name: &str| mark["box"][name].as_f64().expect("a share");
    assert!(side("left") + side("width") <= 1.0 && side("top") < 0.5 && side("height") < 0.05, "{mark}");
    assert_eq!(client.put(&path, &json!({})).await.ok()["status"], "Completed", "what was read is kept");

    convert(client, &file_path(&draft, &file), "Cda").await;
    app.drain().await;
    client.get(&path).await.problem(404);
    let broken = client.upload(&draft, "Broken.pdf", b"%PDF-1.7\nnothing follows\n".to_vec(), meta()).await;
    let path = format!("{}/patient/extract", file_path(&draft, &broken));
    client.put(&path, &json!({})).await.ok();
    app.drain().await;
    assert_eq!(
        client.get(&path).await.ok(),
        json!({ "status": "Completed", "patient": null, "marks": [], "page": null })
    );
    assert_eq!(client.put(&path, &json!({})).await.ok()["status"], "Processing", "it may be tried again");
    app.finish().await;
}

#[tokio::test]
async fn the_patient_of_a_file_is_set_and_a_structured_document_keeps_its_own() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let file = client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    let path = format!("{}/patient", file_path(&draft, &file));
    let form = json!({ "firstName": " Aiyana ", "lastName": "Brooks", "version": 0 });
    let view = client.put(&path, &form).await.ok();
    assert_eq!(text(&view["attachmentMeta"]["patient"], "firstName"), "Aiyana");
    assert_eq!(view["attachmentMeta"]["confidentiality"], "Normal", "what else is said about it stays");
    assert_eq!(text(&client.get(&path).await.ok(), "lastName"), "Brooks");
    client.put(&path, &form).await.problem(409);
    let problem = client.put(&path, &json!({ "gender": "X", "version": 1 })).await.problem(422);
    assert!(problem["modelState"]["patient.gender"].is_array(), "{problem}");
    let document = client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    let path = format!("{}/patient", file_path(&draft, &document));
    client.put(&path, &form).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn a_file_that_is_deleted_while_it_is_converted_is_left_alone() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let file = client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), meta()).await;
    let path = file_path(&draft, &file);
    convert(client, &path, "Pdf").await;
    client.delete(&path).await.ok();
    app.drain().await;
    let originals = attachment_original::Entity::find().all(app.store.db()).await.expect("originals");
    assert!(originals.is_empty());
    app.finish().await;
}
