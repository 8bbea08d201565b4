//! Files of messages: permitted types, display, and what is read from them.

use crate::support::*;
use documents::samples;
use futures::channel::mpsc;
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};
use testkit::{Answer, Client, Db, Practice, TestApp, document};

async fn world(db: Db) -> (TestApp, Practice, String) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    (app, larkfield, draft)
}

/// The errors of a refused upload.
#[track_caller]
fn refusal(answer: Answer) -> Value {
    answer.problem(422)["modelState"]["file"].clone()
}

async fn names(client: &Client, message_id: &str) -> Vec<String> {
    let view = message(client, message_id).await;
    view["attachments"].as_array().expect("files").iter().map(|f| text(f, "fileName").to_owned()).collect()
}

#[tokio::test]
async fn a_file_may_have_twenty_megabytes_and_all_together_twenty_five() {
    const LIMIT: usize = 20_971_520;
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let upload = async |name: &str, size: usize| {
        larkfield.client.try_upload(&draft, name, vec![b'a'; size], json!({})).await
    };
    let too_large = json!(["Your attachment exceeds the maximum (20MB) allowed size."]);
    assert_eq!(refusal(upload("Over.txt", LIMIT + 1).await), too_large);
    assert_eq!(refusal(upload("Far over.txt", LIMIT + (2 << 20)).await), too_large);
    let view = upload("Largest.txt", LIMIT).await.ok();
    assert_eq!(view["sizeInBytes"], LIMIT);
    upload("Rest.txt", 5 << 20).await.ok();
    let full = json!(["The attachments of a message can be at most 25 MB in total."]);
    assert_eq!(refusal(upload("Crumb.txt", 1).await), full);
    larkfield.client.delete(&file_path(&draft, text(&view, "id"))).await.ok();
    upload("Crumb.txt", 1).await.ok();
    assert_eq!(
        names(&larkfield.client, &draft).await,
        ["Rest.txt", "Crumb.txt"],
        "a deleted file makes room"
    );
    app.finish().await;
}

#[tokio::test]
async fn files_that_cannot_be_attached_are_refused_in_words() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    for (name, content, words) in [
        ("Empty.txt", &b""[..], "File is empty. Please upload something more substantial."),
        ("Program.exe", b"MZ", "Your attachment file type exe is not supported"),
        ("Nameless", b"text", "Your attachment file type is not supported."),
        ("Fake.pdf", b"not a PDF", "The content of the file does not match its extension pdf."),
    ] {
        let answer = larkfield.client.try_upload(&draft, name, content.to_vec(), json!({})).await;
        assert_eq!(refusal(answer), json!([words]), "{name}");
    }
    let path = format!("/api/messages/{draft}/attachments");
    let post = async |form: Form| {
        larkfield.client.send(larkfield.client.request(Method::POST, &path).multipart(form)).await
    };
    assert_eq!(
        refusal(post(Form::new().text("attachmentMeta", "{}")).await),
        json!(["Please select a file."])
    );
    let file = || Part::bytes(&b"text"[..]).file_name("Note.txt");
    let problem = post(Form::new().text("attachmentMeta", "{").part("file", file())).await.problem(422);
    assert!(problem["modelState"]["attachmentMeta"].is_array(), "{problem}");
    let view = post(Form::new().part("file", file().file_name("../../etc/Note.txt"))).await.ok();
    assert_eq!(view["fileName"], "Note.txt", "a path is no name");
    assert_eq!(names(&larkfield.client, &draft).await, ["Note.txt"]);
    app.finish().await;
}

/// Files in the blob folder.
fn stored_files(app: &TestApp) -> usize {
    fn count(folder: &Path) -> usize {
        // A file may be renamed or removed meanwhile.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|e| if e.path().is_dir() { count(&e.path()) } else { 1 }).sum()
    }
    count(&app.config.blob_dir())
}

async fn until_stored(app: &TestApp, wanted: usize) {
    let removed = async {
        while stored_files(app) != wanted {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), removed).await;
    assert!(waited.is_ok(), "{} files are stored, not {wanted}", stored_files(app));
}

#[tokio::test]
async fn an_upload_that_is_refused_or_breaks_off_leaves_nothing_in_storage() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    larkfield.client.upload(&draft, "Kept.txt", vec![b'a'; 3 << 20], json!({})).await;
    let kept = stored_files(&app);
    for (name, content, meta) in [
        ("Fake.pdf", vec![b'a'; 3 << 20], json!({})),
        ("Note.txt", vec![b'a'; 3 << 20], json!({ "confidentiality": "Secret" })),
        ("Over.txt", vec![b'a'; 20_971_521], json!({})),
    ] {
        larkfield.client.try_upload(&draft, name, content, meta).await.problem(422);
        until_stored(&app, kept).await;
    }

    let (more, content) = mpsc::unbounded::<Result<Vec<u8>, std::io::Error>>();
    let part = Part::stream(reqwest::Body::wrap_stream(content)).file_name("Half.txt");
    let path = format!("/api/messages/{draft}/attachments");
    let request = larkfield.client.request(Method::POST, &path).multipart(Form::new().part("file", part));
    let sending = tokio::spawn(request.send());
    for _ in 0..4 {
        more.unbounded_send(Ok(vec![b'a'; 1 << 20])).expect("somebody reads");
    }
    // A part is being written by now, under a name of its own.
    until_stored(&app, kept + 1).await;
    more.unbounded_send(Err(std::io::Error::other("the browser is closed"))).expect("somebody reads");
    assert!(sending.await.expect("no panic").is_err());
    until_stored(&app, kept).await;
    assert_eq!(names(&larkfield.client, &draft).await, ["Kept.txt"]);
    app.finish().await;
}

#[tokio::test]
async fn an_archive_is_looked_at_whole() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let archive = |entry: &str| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("first.txt", options).expect("a zip");
        // The list of entries is at the end, after the bytes that are checked in other files.
        std::io::Write::write_all(&mut zip, &[b'a'; 200_000]).expect("a zip");
        zip.start_file(entry, options).expect("a zip");
        zip.finish().expect("a zip").into_inner()
    };
    let harmless =
        larkfield.client.try_upload(&draft, "Documents.zip", archive("second.txt"), json!({})).await.ok();
    assert_eq!(harmless["mimeType"], "application/zip");
    let answer =
        larkfield.client.try_upload(&draft, "Trap.zip", archive("../../second.txt"), json!({})).await;
    assert_eq!(refusal(answer), json!(["The archive is not safe to open."]));
    app.finish().await;
}

#[tokio::test]
async fn what_is_said_about_a_file_is_checked_and_kept() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    for (meta, field) in [
        (json!({ "documentDescription": "x".repeat(256) }), "documentDescription"),
        (json!({ "confidentiality": "Secret" }), "confidentiality"),
        (json!({ "documentDateType": "yesterday" }), "documentDateType"),
        (json!({ "documentDate": "2026-11-21" }), "documentDate"),
    ] {
        let answer = larkfield.client.try_upload(&draft, "Note.pdf", note_pdf(), meta).await;
        let problem = answer.problem(422);
        assert!(problem["modelState"][field].is_array(), "{problem}");
    }
    let file = larkfield.client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    let path = file_path(&draft, &file);
    let mut said = json!({ "confidentiality": "Restricted", "documentDate": "2026-11-20", "documentDateType": "today",
        "documentType": "Progress Note", "documentDescription": "x".repeat(255), "patient": null });
    larkfield.client.put(&path, &json!({ "attachmentMeta": said, "version": 0 })).await.ok();
    said["version"] = json!(1);
    let view = larkfield.client.get(&format!("{path}/metadata")).await.ok();
    assert_eq!(view["attachmentMeta"], said);
    let wrong = json!({ "attachmentMeta": { "confidentiality": "Secret" } });
    larkfield.client.put(&path, &wrong).await.problem(422);
    app.finish().await;
}

#[tokio::test]
async fn a_structured_document_states_its_own_confidentiality() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let normal = String::from_utf8(ccd()).expect("text");
    let start = normal.find("<confidentialityCode").expect("a confidentiality");
    let restricted = normal[..start].to_owned() + &normal[start..].replacen("code=\"N\"", "code=\"R\"", 1);
    let claim = json!({ "confidentiality": "VeryRestricted", "documentDescription": "A summary" });
    for (name, content, expected) in
        [("Normal.xml", normal.clone(), "Normal"), ("Restricted.xml", restricted, "Restricted")]
    {
        let file = larkfield.client.upload(&draft, name, content.into_bytes(), claim.clone()).await;
        let path = file_path(&draft, &file);
        let view = larkfield.client.get(&format!("{path}/metadata")).await.ok();
        assert_eq!(
            (&view["isStructured"], &view["attachmentMeta"]["confidentiality"]),
            (&json!(true), &json!(expected))
        );
        assert_eq!(view["attachmentMeta"]["documentDescription"], "A summary");
        larkfield.client.put(&path, &json!({ "attachmentMeta": claim, "version": 0 })).await.problem(409);
    }
    app.finish().await;
}

#[tokio::test]
async fn files_keep_their_order_and_a_deleted_one_is_gone() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let mut ids = Vec::new();
    for name in ["A.txt", "B.txt", "C.txt"] {
        ids.push(larkfield.client.upload(&draft, name, name.as_bytes().to_vec(), json!({})).await);
    }
    let gone = file_path(&draft, &ids[1]);
    assert_eq!(larkfield.client.delete(&gone).await.status, 204);
    larkfield.client.get(&gone).await.problem(404);
    larkfield.client.delete(&gone).await.problem(404);
    larkfield.client.upload(&draft, "D.txt", b"D".to_vec(), json!({})).await;
    assert_eq!(names(&larkfield.client, &draft).await, ["A.txt", "C.txt", "D.txt"]);
    let list = larkfield.client.get("/api/messages").await.ok();
    assert_eq!(list["items"][0]["attachmentCount"], 3);
    app.finish().await;
}

/// MSG-R-391, SES-R-351
#[tokio::test]
async fn a_file_comes_back_as_it_was_and_never_as_a_page_of_ours() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let file = larkfield.client.upload(&draft, "Überweisung 1.pdf", note_pdf(), json!({})).await;
    let answer = larkfield.client.get(&file_path(&draft, &file)).await;
    assert_eq!((answer.header("content-type"), &answer.body), ("application/pdf".into(), &note_pdf()));
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"_berweisung 1.pdf\"; filename*=UTF-8''%C3%9Cberweisung%201.pdf"
    );
    assert_eq!(answer.header("content-length"), note_pdf().len().to_string());
    assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    let path = format!("{}/read", file_path(&draft, &file));
    assert_eq!(larkfield.client.put(&path, &json!({})).await.status, 204);
    let acts: Vec<_> =
        audit_of(&app, file.parse().expect("an id")).await.into_iter().map(|e| e.event_type).collect();
    for act in ["Created", "Downloaded", "Viewed"] {
        assert!(acts.iter().any(|a| a == act), "{act} is audited: {acts:?}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_file_is_shown_as_pdf_once_that_is_made() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let pdf = larkfield.client.upload(&draft, "Note.pdf", note_pdf(), json!({})).await;
    let own = get_as(&larkfield.client, &file_path(&draft, &pdf), "application/pdf").await;
    assert_eq!((own.status.as_u16(), own.body), (200, note_pdf()), "a PDF is its own rendition");

    let file = larkfield.client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
    let path = file_path(&draft, &file);
    for _ in 0..2 {
        let answer = get_as(&larkfield.client, &path, "application/pdf").await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (202, "1".into()));
    }
    assert_eq!(downloads(&app, &file).await, 0, "nobody has got it yet");
    assert_eq!(app.drain().await, 1, "it is made once");
    let answer = get_as(&larkfield.client, &path, "application/pdf").await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/pdf".into()));
    assert_eq!(downloads(&app, &file).await, 1);
    assert_eq!(
        answer.header("content-disposition"),
        "inline; filename=\"Note.txt.pdf\"; filename*=UTF-8''Note.txt.pdf"
    );
    assert!(answer.body.starts_with(b"%PDF"));
    let view = larkfield.client.put(&format!("{path}/generatePreview"), &json!({})).await.ok();
    assert_eq!(view["previewAvailable"], "Available", "what is there is not made again");
    assert_eq!(app.drain().await, 0);
    app.finish().await;
}

/// Number of audit entries about downloads of the file.
async fn downloads(app: &TestApp, file: &str) -> usize {
    let entries = audit_of(app, file.parse().expect("an id")).await;
    entries.iter().filter(|e| e.event_type == "Downloaded" && e.outcome == "Success").count()
}

#[tokio::test]
async fn a_file_that_is_copied_while_it_is_made_has_a_preview_of_its_own() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let file = larkfield.client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
    assert_eq!(get_as(&larkfield.client, &file_path(&draft, &file), "application/pdf").await.status, 202);
    let copy = larkfield.client.post(&format!("/api/messages/{draft}/copy"), &json!({})).await.ok();
    let copy = crate::support::message(&larkfield.client, text(&copy, "id")).await;
    let path = file_path(text(&copy, "id"), text(&copy["attachments"][0], "id"));
    app.drain().await;
    assert_eq!(get_as(&larkfield.client, &path, "application/pdf").await.status, 202);
    app.drain().await;
    assert_eq!(get_as(&larkfield.client, &path, "application/pdf").await.status, 200);
    app.finish().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_shown_says_why() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let damaged = [&b"II*\0"[..], &[0xff; 64]].concat();
    let without_picture = [&[0; 128][..], b"DICM\x02\0\0\0UL\x04\0\0\0\0\0"].concat();
    for (name, content, words) in [
        ("Damaged.tif", damaged, "The file is damaged and cannot be shown."),
        ("Picture.dcm", without_picture, "The file is damaged and cannot be shown."),
    ] {
        let file = larkfield.client.upload(&draft, name, content, json!({})).await;
        let path = file_path(&draft, &file);
        assert_eq!(get_as(&larkfield.client, &path, "application/pdf").await.status, 202);
        app.drain().await;
        let problem = get_as(&larkfield.client, &path, "application/pdf").await.problem(409);
        assert_eq!(problem["message"], words, "{name}");
        let view = larkfield.client.get(&format!("{path}/metadata")).await.ok();
        assert_eq!((text(&view, "previewAvailable"), text(&view, "previewError")), ("Failed", words));
    }
    app.finish().await;
}

#[tokio::test]
async fn the_sender_of_a_broken_pdf_learns_of_it_when_it_is_attached() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let broken = b"%PDF-1.7\nnothing follows\n".to_vec();
    let file = larkfield.client.try_upload(&draft, "Broken.pdf", broken, meta()).await.ok();
    let why = "The file is damaged and cannot be shown.";
    assert_eq!((text(&file, "previewAvailable"), text(&file, "previewError")), ("Failed", why));
    let whole = larkfield.client.try_upload(&draft, "Note.pdf", note_pdf(), meta()).await.ok();
    assert_eq!((text(&whole, "previewAvailable"), &whole["previewError"]), ("Available", &Value::Null));
    app.finish().await;
}

#[tokio::test]
async fn a_clinical_document_is_shown_as_a_page_that_can_do_nothing() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let file = larkfield.client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    let path = file_path(&draft, &file);
    let page = get_as(&larkfield.client, &path, "text/html").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-security-policy").ends_with("img-src data:; sandbox"));
    let patient = &samples::patients()[0];
    assert!(page.text().contains(&*patient.last) && !page.text().contains("<script"));
    let outline = larkfield.client.get(&format!("{path}/outline")).await.ok();
    assert_eq!(text(&outline["patient"]["name"], "last"), patient.last);
    let sections = outline["sections"].as_array().expect("sections");
    let results = sections.iter().find(|section| section["title"] == "Results").expect("results");
    assert!(results["entries"]["rows"][0]["measure"]["value"].is_f64(), "{results}");

    let note = larkfield.client.upload(&draft, "Note.pdf", note_pdf(), json!({})).await;
    let note = file_path(&draft, &note);
    get_as(&larkfield.client, &note, "text/html").await.problem(409);
    larkfield.client.get(&format!("{note}/outline")).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn the_patient_is_read_from_a_clinical_document() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let file = larkfield.client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    let found = larkfield.client.get(&format!("{}/patient", file_path(&draft, &file))).await.ok();
    let patient = &samples::patients()[0];
    assert_eq!((text(&found, "firstName"), text(&found, "lastName")), (&*patient.first, &*patient.last));
    assert_eq!(text(&found, "birthDate"), patient.birth_date.to_string());
    assert_eq!((text(&found, "city"), text(&found, "state")), (&*patient.city, &*patient.state));
    assert_eq!(text(&found, "patientId"), patient.mrn);
    assert!(found["patientIds"].as_array().is_some_and(|ids| ids.iter().any(|i| i["id"] == patient.mrn)));
    app.finish().await;
}

#[tokio::test]
async fn a_scan_is_shown_page_for_page() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "A scan")).await;
    let scan = samples::scanned_tiff(&note_pdf());
    larkfield.client.upload(&draft, "Scan.tif", scan.clone(), meta()).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let view = only_message(&summit.client).await;
    let file = &view["attachments"][0];
    assert_eq!((text(file, "mimeType"), text(file, "previewAvailable")), ("image/tiff", "Available"));
    let path = file_path(text(&view, "id"), text(file, "id"));
    assert_eq!(sha256(&summit.client.get(&path).await.body), sha256(&scan));
    assert!(get_as(&summit.client, &path, "application/pdf").await.body.starts_with(b"%PDF"));
    app.finish().await;
}

// MSG-R-182
#[tokio::test]
async fn what_a_structured_document_says_of_itself_is_changed_by_no_call() {
    let (app, larkfield, draft) = world(Db::sqlite()).await;
    let client = &larkfield.client;
    let given = json!({ "documentType": "Invoice", "documentDescription": "As asked for",
        "patient": { "lastName": "Pruitt" } });
    let file = client.upload(&draft, "Summary.xml", ccd(), given).await;
    let path = file_path(&draft, &file);
    let said = client.get(&format!("{path}/metadata")).await.ok()["attachmentMeta"].clone();
    assert_ne!(said["documentType"], "Invoice", "it says itself what it is");
    assert!(said["patient"].is_null() && said["documentDescription"] == "As asked for", "{said}");

    let others = [
        ("documentType", json!("Invoice")),
        ("documentDate", json!("2020-01-01")),
        ("documentDescription", json!("Something else")),
        ("confidentiality", json!("VeryRestricted")),
        ("patient", json!({ "lastName": "Pruitt" })),
    ];
    for (field, other) in others {
        let mut meta = said.clone();
        meta[field] = other;
        let one = json!({ "attachmentMeta": meta, "version": said["version"] });
        let put = client.put(&path, &one).await;
        assert_eq!(put.status, 409, "{field} by the file");
        let listed = json!({ "id": file, "attachmentMeta": meta, "version": said["version"] });
        let all = json!({ "attachments": [listed] });
        let put = client.put(&format!("/api/messages/{draft}/attachments"), &all).await;
        assert_eq!(put.status, 409, "{field} by all files");
        assert_eq!(
            client.put(&format!("/api/messages/{draft}"), &all).await.status,
            409,
            "{field} by the draft"
        );
        let sent = client.post(&format!("/api/messages/{draft}/send"), &all).await;
        assert_eq!(sent.status, 409, "{field} by sending");
    }
    let same = json!({ "attachments": [{ "id": file, "attachmentMeta": said, "version": said["version"] }] });
    client.put(&format!("/api/messages/{draft}"), &same).await.ok();
    let left_out = json!({ "attachmentMeta": {}, "version": said["version"] });
    assert_eq!(client.put(&path, &left_out).await.ok()["attachmentMeta"], said);
    client.delete(&path).await.ok();
    app.finish().await;
}
