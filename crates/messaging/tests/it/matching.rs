//! Known patients are found again, and earlier choices of staff are proposed.

use crate::support::*;
use chrono::Duration;
use documents::samples;
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use store::entities::{document_type, patient_extraction};
use testkit::{Client, Db, Options, Practice, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! {
    a_patient_of_a_processed_message_is_found_again_and_by_nobody_else,
    a_certain_patient_is_taken_over_only_where_the_organization_wants_that,
    what_staff_chose_for_a_sender_is_proposed_with_its_reason,
    a_clinical_document_says_what_is_new_since_the_last_one_of_its_patient,
}

/// Sends a document to a practice and returns the id of the received message.
async fn arrives(
    app: &TestApp,
    from: &Practice,
    to: &Practice,
    subject: &str,
    file: (&str, Vec<u8>),
) -> String {
    let draft = from.client.draft(document(&from.address, &[&to.address], subject)).await;
    from.client.upload(&draft, file.0, file.1, meta()).await;
    from.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    app.advance(Duration::minutes(1));
    let list = intake(&to.client, json!({ "pageSize": 100 })).await;
    text(&list["items"][0], "id").to_owned()
}

fn note() -> (&'static str, Vec<u8>) {
    ("Note.txt", b"A short note.\n".to_vec())
}

async fn name(client: &Client, id: &str, mut patient: Value) {
    patient["version"] = message(client, id).await["patientVersion"].clone();
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
}

async fn process(client: &Client, id: &str, is_processed: bool) {
    let body = json!({ "isProcessed": is_processed, "acceptsGaps": true });
    client.put(&format!("/api/messages/{id}/process"), &body).await.ok();
}

async fn restore(client: &Client, id: &str) {
    let restored = client.post("/api/messages/bulk", &json!({ "act": "restore", "ids": [id] })).await.ok();
    assert_eq!(restored["done"], json!([id]));
}

async fn matches(client: &Client, patient: &Value) -> Vec<Value> {
    client.post("/api/patients/_match", patient).await.ok()["items"].as_array().expect("items").clone()
}

fn ines() -> Value {
    json!({ "firstName": "Inés", "lastName": "Calderón", "birthDate": "1961-03-14", "gender": "F", "patientId": "SM-20417" })
}

async fn a_patient_of_a_processed_message_is_found_again_and_by_nobody_else(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = arrives(&app, &larkfield, &summit, "Visit note", note()).await;
    name(&summit.client, &id, ines()).await;
    let read = json!({ "firstName": "INES", "lastName": "CALDERON", "birthDate": "1961-03-14" });
    assert_eq!(matches(&summit.client, &read).await, [] as [Value; 0], "nobody has confirmed it");

    process(&summit.client, &id, true).await;
    let found = matches(&summit.client, &read).await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0]["certainty"], &found[0]["patient"]["patientId"]),
        (&json!("Certain"), &json!("SM-20417"))
    );
    assert_eq!(found[0]["fields"][0], json!({ "field": "lastName", "agreement": "Agrees" }));
    let typo = json!({ "firstName": "Ines", "lastName": "Calderon", "birthDate": "1961-03-15" });
    assert_eq!(matches(&summit.client, &typo).await[0]["certainty"], "Possible");
    let nobody = json!({ "firstName": "Baby Boy", "lastName": "Unknown", "birthDate": "1961-03-14" });
    assert_eq!(matches(&summit.client, &nobody).await, [] as [Value; 0]);
    assert_eq!(matches(&larkfield.client, &read).await, [] as [Value; 0], "another organization's");

    // A reopened message with another name leads only to the new patient.
    process(&summit.client, &id, false).await;
    assert_eq!(matches(&summit.client, &read).await, [] as [Value; 0]);
    let other = json!({ "firstName": "Ruth", "lastName": "Abara", "birthDate": "1950-06-01" });
    name(&summit.client, &id, other.clone()).await;
    process(&summit.client, &id, true).await;
    assert_eq!(matches(&summit.client, &other).await.len(), 1);
    summit.client.delete(&format!("/api/messages/{id}")).await.ok();
    assert_eq!(matches(&summit.client, &other).await, [] as [Value; 0], "nothing names them any more");
    restore(&summit.client, &id).await;
    assert_eq!(matches(&summit.client, &other).await.len(), 1, "it names them again");
    app.finish().await;
}

async fn a_certain_patient_is_taken_over_only_where_the_organization_wants_that(db: Db) {
    let options =
        Options { configure: Some(Box::new(|config| config.workers.reading = 1)), ..Options::default() };
    let app = TestApp::start_with(db, options).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let unread = arrives(&app, &larkfield, &summit, "Unread", ("Unread.pdf", note_pdf())).await;
    let file = text(&message(&summit.client, &unread).await["attachments"][0], "id").to_owned();
    let path = format!("{}/patient/extract", file_path(&unread, &file));
    summit.client.get(&path).await.problem(404);
    app.enable(&summit.organization, "PatientExtractionAPI").await;
    let sample = &samples::patients()[0];
    let known = json!({
        "firstName": sample.first, "lastName": sample.last, "birthDate": sample.birth_date, "patientId": "SM-00001",
    });
    let first = arrives(&app, &larkfield, &summit, "First", ("First.pdf", note_pdf())).await;
    name(&summit.client, &first, known).await;
    process(&summit.client, &first, true).await;

    let second = arrives(&app, &larkfield, &summit, "Second", ("Second.pdf", note_pdf())).await;
    let file = text(&message(&summit.client, &second).await["attachments"][0], "id").to_owned();
    let path = format!("{}/patient/extract", file_path(&second, &file));
    // It was read on arrival: opening it needs no wait, and the list has the patient.
    assert_eq!(summit.client.put(&path, &json!({})).await.ok()["status"], "Completed");
    let list = intake(&summit.client, json!({})).await;
    let row = list["items"].as_array().and_then(|rows| rows.iter().find(|row| row["id"] == json!(second)));
    let proposed = &row.expect("the message")["proposal"];
    assert!(text(proposed, "patientName").contains(&sample.last), "{proposed}");
    assert_eq!(proposed["birthDate"], json!(sample.birth_date));
    let list = intake(&summit.client, json!({ "statuses": ["Processed"] })).await;
    assert_eq!(list["items"][0]["proposal"]["patientName"], Value::Null, "what is done needs no proposal");
    assert_ne!(
        message(&summit.client, &second).await["patient"]["patientId"],
        "SM-00001",
        "it is proposed only"
    );

    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let mut settings = admin.get("/api/settings/interoperability").await.ok();
    settings["linkCertainPatients"] = json!(true);
    admin.put("/api/settings/interoperability", &settings).await.ok();
    let third = arrives(&app, &larkfield, &summit, "Third", ("Third.pdf", note_pdf())).await;
    name(&summit.client, &third, json!({})).await;
    forget_readings(&app).await;
    let before = message(&summit.client, &third).await;
    let file = text(&before["attachments"][0], "id").to_owned();
    summit.client.put(&format!("{}/patient/extract", file_path(&third, &file)), &json!({})).await.ok();
    app.drain().await;
    let after = message(&summit.client, &third).await;
    assert_eq!(after["patient"]["patientId"], "SM-00001");
    let audited = audit_of(&app, third.parse().expect("an id")).await;
    assert!(audited.iter().any(|entry| entry.detail.contains(r#""linkedToKnownPatient":true"#)));

    limit_readers(&app, &summit, summit.user.id).await;
    let address = app.source(&summit.organization, "desk").await.address;
    let desk = Practice { address, ..summit };
    let fourth = arrives(&app, &larkfield, &desk, "Fourth", ("Fourth.pdf", note_pdf())).await;
    forget_readings(&app).await;
    let file = text(&message(&desk.client, &fourth).await["attachments"][0], "id").to_owned();
    desk.client.put(&format!("{}/patient/extract", file_path(&fourth, &file)), &json!({})).await.ok();
    app.drain().await;
    let patient = &message(&desk.client, &fourth).await["patient"];
    assert_ne!(patient["patientId"], "SM-00001", "who reads this may not read the others");
    app.finish().await;
}

async fn what_staff_chose_for_a_sender_is_proposed_with_its_reason(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let kind = "Cardiology results";
    let of_summit = document_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(summit.organization.id)),
        name: Set(kind.into()),
        name_key: Set(kind.to_lowercase()),
        source: Set("organization".into()),
        code: Set(String::new()),
        version: Set(1),
    };
    of_summit.insert(app.store.db()).await.expect("a document type");
    let mut last = String::new();
    for number in 1..=6 {
        let id = arrives(&app, &larkfield, &summit, &format!("Echocardiogram {number}"), note()).await;
        let shown = summit.client.get(&format!("/api/messages/{id}/proposals")).await.ok();
        if number == 6 {
            assert_eq!(shown["documentType"]["name"], kind);
            let because = &shown["documentType"]["because"];
            assert_eq!((&because["matching"], &because["of"]), (&json!(5), &json!(5)));
            assert_eq!(shown["assignee"]["person"]["id"], json!(summit.user.id));
            larkfield.client.get(&format!("/api/messages/{id}/proposals")).await.problem(404);
            break;
        }
        assert_eq!(shown, json!({ "documentType": null, "assignee": null }), "{number} prove nothing");
        let file = &message(&summit.client, &id).await["attachments"][0];
        let mut meta = file["attachmentMeta"].clone();
        meta["documentType"] = json!(kind);
        let body = json!({ "attachmentMeta": meta, "version": file["attachmentMeta"]["version"] });
        summit.client.put(&file_path(&id, text(file, "id")), &body).await.ok();
        summit
            .client
            .put(&format!("/api/messages/{id}/assign"), &json!({ "userId": summit.user.id }))
            .await
            .ok();
        process(&summit.client, &id, true).await;
        last = id;
    }
    // A reopened message is no evidence any more, even if it was deleted in between.
    summit.client.delete(&format!("/api/messages/{last}")).await.ok();
    restore(&summit.client, &last).await;
    process(&summit.client, &last, false).await;
    let shown = summit.client.get(&format!("/api/messages/{last}/proposals")).await.ok();
    assert_eq!(shown, json!({ "documentType": null, "assignee": null }));
    app.finish().await;
}

async fn a_clinical_document_says_what_is_new_since_the_last_one_of_its_patient(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let explored = async |id: &str| {
        let file = text(&message(&summit.client, id).await["attachments"][0], "id").to_owned();
        summit.client.get(&format!("{}/outline", file_path(id, &file))).await.ok()
    };
    let first = arrives(&app, &larkfield, &summit, "First", ("Summary.xml", ccd())).await;
    let alone = explored(&first).await;
    assert_eq!(alone["comparedWith"], Value::Null);
    assert!(!alone.to_string().contains("isNew"));
    process(&summit.client, &first, true).await;

    // Of another patient.
    let other = samples::ccd_xml(&samples::patients()[1], &samples::practices()[0], day()).into_bytes();
    let other = arrives(&app, &larkfield, &summit, "Other", ("Summary.xml", other)).await;
    assert_eq!(explored(&other).await["comparedWith"], Value::Null);

    // One of the problems has a different identifier, name and date.
    let changed = String::from_utf8(ccd()).expect("UTF-8");
    let entry = "<section><code code=\"11450-4\" codeSystem=\"2.16.840.1.113883.6.1\"/><title>Problems</title>\
        <text>Gout</text><entry><observation classCode=\"OBS\" moodCode=\"EVN\"><code code=\"55607006\"/>\
        <effectiveTime><low value=\"20261101\"/></effectiveTime><value xsi:type=\"CD\" code=\"90560007\" displayName=\"Gout\"/>\
        </observation></entry></section></component></structuredBody>";
    let at = changed.rfind("</structuredBody>").expect("a body");
    let changed =
        format!("{}<component>{entry}{}", &changed[..at], &changed[at + "</structuredBody>".len()..]);
    let second = arrives(&app, &larkfield, &summit, "Second", ("Summary.xml", changed.into_bytes())).await;
    let shown = explored(&second).await;
    assert_eq!(
        (&shown["comparedWith"]["messageId"], shown["comparedWith"]["effectiveTime"].is_string()),
        (&json!(first), true)
    );
    let sections = shown["sections"].as_array().expect("sections");
    let rows = sections.iter().filter_map(|section| section["entries"]["rows"].as_array()).flatten();
    let (new, old): (Vec<_>, Vec<_>) = rows.partition(|row| row["isNew"] == true);
    assert_eq!((new.len(), &new[0]["cells"][0]), (1, &json!("Gout")));
    assert!(!old.is_empty() && old.iter().all(|row| row["isNew"] == false));
    app.finish().await;
}

/// As if the messages had arrived before documents were read on arrival.
async fn forget_readings(app: &TestApp) {
    patient_extraction::Entity::delete_many().exec(app.store.db()).await.expect("readings");
}

/// An XDM package with this patient in its metadata and a clinical document in it.
fn package(name: &str) -> Vec<u8> {
    use std::io::{Cursor, Write};
    let metadata = format!(
        "<s xmlns:r=\"urn:r\"><r:ExtrinsicObject><r:Slot name=\"URI\"><r:Value>DOC1.XML</r:Value></r:Slot>\
         <r:Slot name=\"sourcePatientInfo\"><r:Value>PID-5|{name}</r:Value></r:Slot></r:ExtrinsicObject></s>"
    );
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in [("METADATA.XML", metadata.as_bytes()), ("DOC1.XML", &ccd())] {
        let path = format!("IHE_XDM/SUBSET01/{path}");
        zip.start_file(path, zip::write::SimpleFileOptions::default()).expect("an entry");
        zip.write_all(content).expect("written");
    }
    zip.finish().expect("a package").into_inner()
}

#[tokio::test]
async fn a_package_that_names_two_patients_leaves_it_to_a_person_whose_it_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let sample = &samples::patients()[0];
    let read = async |name: &str| {
        let id = arrives(&app, &larkfield, &summit, "Records", ("Records.zip", package(name))).await;
        let file = text(&message(&summit.client, &id).await["attachments"][0], "id").to_owned();
        let path = format!("{}/patient/extract", file_path(&id, &file));
        summit.client.put(&path, &json!({})).await.ok();
        app.drain().await;
        (summit.client.get(&path).await.ok()["patient"].clone(), message(&summit.client, &id).await)
    };
    let (patient, view) = read("Tamsin^Ravi").await;
    assert_eq!(view["patientDoubt"], "DocumentsDiffer");
    assert!(patient["lastName"].is_null(), "nobody is proposed: {patient}");
    let named: Vec<&str> =
        view["namedPatients"].as_array().expect("patients").iter().map(|one| text(one, "lastName")).collect();
    assert_eq!(named, ["Tamsin", sample.last.as_str()]);
    for name in ["", &format!("{}^{}", sample.last, sample.first)] {
        let (patient, view) = read(name).await;
        assert_eq!(
            (&patient["lastName"], &view["patientDoubt"]),
            (&json!(sample.last), &Value::Null),
            "{name}"
        );
    }
    app.finish().await;
}
