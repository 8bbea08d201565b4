//! The interoperability settings and their effects.

use crate::support::*;
use serde_json::{Value, json};
use testkit::{Client, Db, Role, TestApp, document};

const SETTINGS: &str = "/api/settings/interoperability";

fn settings() -> Value {
    json!({
        "exportMode": "save_as", "exportOption": "standard", "exportDirectoryType": "patient_folder",
        "exportVisitDirectory": true, "nonPatientExport": false, "gaps": "ask", "suppressDefaultFaxCoverSheet": true,
        "suppressFaxMetadataPages": true, "deliverySummaryEnableDownload": true,
        "returnAssignmentsAfterHours": 8, "linkCertainPatients": true,
        "recordNumberAuthorities": ["1.2.840.7", "LARK"],
    })
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

/// Saves settings that were just read.
async fn save(client: &Client, mut body: Value) -> testkit::Answer {
    body["version"] = client.get(SETTINGS).await.ok()["version"].clone();
    client.put(SETTINGS, &body).await
}

/// Sets the patient of a message.
async fn name(client: &Client, id: &str, mut patient: Value) {
    patient["version"] = message(client, id).await["patientVersion"].clone();
    client.put(&format!("/api/messages/{id}/patient"), &patient).await.ok();
}

/// MSG-R-157, MSG-R-158, MSG-R-159, MSG-R-372
#[tokio::test]
async fn an_administrator_sets_how_documents_are_exported() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    let first = practice.client.get(SETTINGS).await.ok();
    assert_eq!((&first["exportMode"], &first["version"]), (&json!("save_as"), &json!(0)));
    practice.client.put(SETTINGS, &settings()).await.problem(403);
    for (field, wrong) in [("exportMode", "fax"), ("exportOption", "cda"), ("exportDirectoryType", "none")] {
        save(&admin, with(settings(), field, json!(wrong))).await.problem(422);
    }
    let many = json!(vec!["1.2.840.7"; 11]);
    let refused = save(&admin, with(settings(), "recordNumberAuthorities", many)).await;
    assert_eq!(refused.texts("recordNumberAuthorities"), ["Please enter at most 10."]);
    let saved = admin.put(SETTINGS, &with(settings(), "version", json!(0))).await.ok();
    assert_eq!(saved, with(settings(), "version", json!(1)));
    assert_eq!(practice.client.get(SETTINGS).await.ok(), saved);
    let outdated = with(settings(), "version", json!(0));
    assert_eq!(admin.put(SETTINGS, &outdated).await.problem(409)["reason"], "Changed in the meantime.");
    app.finish().await;
}

/// MSG-R-474
#[tokio::test]
async fn new_drafts_begin_with_the_fax_options_of_the_organization() {
    let app = TestApp::start(Db::sqlite()).await;
    let practice = app.practice("larkfield").await;
    let admin = app.signed_in(Role::Admin, &practice.organization).await;
    save(&admin, settings()).await.ok();
    let draft = practice.client.draft(json!({})).await;
    let options = &message(&practice.client, &draft).await["properties"];
    for option in ["includeCoverPage", "includeMessageBody", "includeAttachmentDescriptions"] {
        assert_eq!(options[option], false, "{option}");
    }
    app.finish().await;
}

async fn process(client: &Client, id: &str) -> testkit::Answer {
    client.put(&format!("/api/messages/{id}/process"), &json!({ "isProcessed": true })).await
}

/// MSG-R-301, MSG-R-303
#[tokio::test]
async fn a_document_is_not_processed_without_patient_and_type_where_the_organization_files_by_them() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    save(&admin, settings()).await.ok();
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Visit note").await;
    app.drain().await;
    let came = only_message(&summit.client).await;
    let id = text(&came, "id").to_owned();
    name(&summit.client, &id, json!({ "firstName": "Aiyana" })).await;

    let refused = process(&summit.client, &id).await.problem(422);
    assert_eq!(refused["modelState"]["patient.lastName"], json!(["\"Patient Last Name\" is required."]));
    let untyped = json!(["\"Document Type\" is required for file Note.txt"]);
    assert_eq!(refused["modelState"]["attachments"], untyped);
    assert_eq!(message(&summit.client, &id).await["isProcessed"], false);

    name(&summit.client, &id, json!({ "firstName": "Aiyana", "lastName": "Redcloud" })).await;
    let file = came["attachments"][0]["id"].as_str().expect("a file");
    let mut meta = came["attachments"][0]["attachmentMeta"].clone();
    meta["documentType"] = json!("Progress note");
    let body =
        json!({ "attachmentMeta": meta, "version": came["attachments"][0]["attachmentMeta"]["version"] });
    summit.client.put(&file_path(&id, file), &body).await.ok();
    process(&summit.client, &id).await.ok();
    app.finish().await;
}

/// MSG-R-300: paper is printed as received, and so are documents without a patient where they are allowed.
#[tokio::test]
async fn what_is_printed_needs_no_patient() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Flyer").await;
    app.drain().await;
    let id = text(&only_message(&summit.client).await, "id").to_owned();
    name(&summit.client, &id, json!({})).await;
    save(&admin, with(settings(), "exportDirectoryType", json!("single_directory"))).await.ok();
    process(&summit.client, &id).await.problem(422);
    save(&admin, with(settings(), "exportMode", json!("print"))).await.ok();
    process(&summit.client, &id).await.ok();
    app.finish().await;
}

/// MSG-R-082
#[tokio::test]
async fn comments_reach_the_recipient_and_the_reason_for_disclosure_does_not() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let mut fields = document(&larkfield.address, &[&summit.address], "Visit note");
    fields["body"] = json!("Please find the note attached.");
    fields["comments"] = json!("Call me before Friday.");
    fields["reasonForDisclosure"] = json!("Court order");
    let draft = larkfield.client.draft(fields).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let came = only_message(&summit.client).await;
    assert_eq!(text(&came, "body").trim(), "Please find the note attached.\n\nCall me before Friday.");
    assert!(!came.to_string().contains("Court order"));
    app.finish().await;
}

/// MSG-R-236
#[tokio::test]
async fn a_draft_knows_how_it_is_sent_whatever_its_subject_is() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Visit note").await;
    app.drain().await;
    let original = text(&only_message(&summit.client).await, "id").to_owned();
    let reply = json!({ "subject": "Re: note", "mode": "reply", "originalObjectId": original });
    let draft = summit.client.draft(reply).await;
    let path = format!("/api/messages/{draft}");
    let version = message(&summit.client, &draft).await["draftVersion"].clone();
    let view =
        summit.client.put(&path, &json!({ "subject": "Something else", "draftVersion": version })).await.ok();
    assert_eq!(view["mode"], "reply");
    let copy = summit.client.post(&format!("/api/messages/{original}/copy"), &json!({})).await.ok();
    assert_eq!(message(&summit.client, text(&copy, "id")).await["mode"], "forward");
    app.finish().await;
}

/// MSG-R-299, MSG-R-301, MSG-R-303
#[tokio::test]
async fn many_messages_are_processed_by_the_checks_of_one_and_each_refusal_says_why() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let structured = with(settings(), "exportOption", json!("xds-sd_cda"));
    save(&admin, structured).await.ok();
    for subject in ["Without patient", "Complete"] {
        larkfield.client.send_document(&larkfield.address, &[&summit.address], subject).await;
        app.drain().await;
    }
    let list = intake(&summit.client, json!({})).await;
    let (complete, open) = (text(&list["items"][0], "id"), text(&list["items"][1], "id"));
    name(&summit.client, open, json!({})).await;
    name(&summit.client, complete, json!({ "firstName": "Aiyana", "lastName": "Redcloud" })).await;
    let file = message(&summit.client, complete).await["attachments"][0].clone();
    let mut meta = file["attachmentMeta"].clone();
    meta["documentType"] = json!("Progress note");
    let body = json!({ "attachmentMeta": meta, "version": meta["version"] });
    summit.client.put(&file_path(complete, text(&file, "id")), &body).await.ok();

    let process = json!({ "act": "process", "ids": [open, complete], "acceptsGaps": true });
    let answer = summit.client.post("/api/messages/bulk", &process).await.ok();
    assert_eq!(answer["done"], json!([complete]));
    let refused = &answer["refused"][0];
    assert_eq!((&refused["id"], &refused["canBeConfirmed"]), (&json!(open), &json!(false)));
    let reasons = json!([
        "\"Document Type\" is required for file Note.txt",
        "\"Patient Details\" information is required."
    ]);
    assert_eq!(refused["reasons"], reasons);
    assert_eq!(message(&summit.client, open).await["isProcessed"], false);

    save(&admin, with(settings(), "nonPatientExport", json!(true))).await.ok();
    let again = |accepts: bool| json!({ "act": "process", "ids": [open], "acceptsGaps": accepts });
    let answer = summit.client.post("/api/messages/bulk", &again(false)).await.ok();
    assert_eq!(answer["refused"][0]["canBeConfirmed"], true, "{answer}");
    let answer = summit.client.post("/api/messages/bulk", &again(true)).await.ok();
    assert_eq!(answer["done"], json!([open]));
    app.finish().await;
}

#[tokio::test]
async fn a_bulk_act_refuses_what_is_not_there_and_does_the_rest() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Visit note").await;
    app.drain().await;
    let id = text(&only_message(&summit.client).await, "id").to_owned();
    let nothing = uuid::Uuid::now_v7().to_string();
    let bulk = async |body: Value| summit.client.post("/api/messages/bulk", &body).await;
    let ids = json!([nothing, id]);
    for act in ["read", "assign", "reopen", "delete"] {
        let answer = bulk(json!({ "act": act, "ids": ids })).await.ok();
        assert_eq!(answer["done"], json!([id]), "{act}");
        assert_eq!(answer["refused"][0]["reasons"], json!(["This message no longer exists."]), "{act}");
    }
    bulk(json!({ "act": "read", "ids": [] })).await.problem(422);
    bulk(json!({ "act": "read", "ids": vec![nothing; 101] })).await.problem(422);
    app.finish().await;
}
