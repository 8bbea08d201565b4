//! One practice releases documents, another receives them.

use crate::support::*;
use clinical::cda::{self, Body, Confidentiality, Unstructured};
use documents::samples;
use reqwest::header::ACCEPT;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp, document};

testkit::on_both_databases! {
    a_released_pdf_and_ccda_stand_once_in_the_other_practices_intake,
    a_message_to_two_organizations_arrives_once_in_each,
}

async fn bytes(client: &Client, path: &str, accept: &str) -> Vec<u8> {
    let answer = client.send(client.request(reqwest::Method::GET, path).header(ACCEPT, accept)).await;
    assert_eq!(answer.status, 200, "{path} as {accept}: {}", answer.text());
    answer.body
}

/// Sends a PDF and a C-CDA.
async fn release(client: &Client, fields: Value) -> String {
    let draft = client.draft(fields).await;
    client.upload(&draft, "Visit note.pdf", note_pdf(), meta()).await;
    client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    draft
}

async fn a_released_pdf_and_ccda_stand_once_in_the_other_practices_intake(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    release(&larkfield.client, document(&larkfield.address, &[&summit.address], "Referral to cardiology"))
        .await;
    app.drain().await;

    let list = intake(&summit.client, json!({})).await;
    let id = only(&list);
    let row = &list["items"][0];
    assert_eq!(row["subject"], "Referral to cardiology");
    assert_eq!(row["fromAddress"], larkfield.address.as_str());
    assert_eq!(row["toAddress"], summit.address.as_str());
    assert_eq!(
        (&row["attachmentCount"], &row["recent"], &row["isRead"]),
        (&json!(2), &json!(true), &json!(false))
    );
    let view = message(&summit.client, &id).await;
    assert_eq!(view["status"], "Received");
    assert_eq!(text(&view, "body").trim(), "Please find the document attached.");
    let patient = &samples::patients()[0];
    assert_eq!(text(&view["patient"], "firstName"), patient.first);
    assert_eq!(text(&view["patient"], "lastName"), patient.last);
    assert_eq!(text(&view["patient"], "birthDate"), patient.birth_date.to_string());

    let files = view["attachments"].as_array().expect("files");
    let names: Vec<_> = files.iter().map(|f| text(f, "fileName")).collect();
    assert_eq!(names, ["Visit note.pdf", "Summary of care.xml"]);
    for (file, sent) in files.iter().zip([note_pdf(), ccd()]) {
        assert_eq!(file["previewAvailable"], "Available", "{file}");
        let path = file_path(&id, text(file, "id"));
        assert_eq!(
            sha256(&bytes(&summit.client, &path, "*/*").await),
            sha256(&sent),
            "the bytes are the sender's"
        );
        assert!(
            bytes(&summit.client, &path, "application/pdf").await.starts_with(b"%PDF"),
            "it can be shown"
        );
    }
    let said = &files[1]["attachmentMeta"];
    let said = [&said["confidentiality"], &said["documentType"], &said["documentDate"]];
    assert_eq!(
        said,
        ["Normal", "Continuity of Care Document", "2026-11-19"],
        "read from the document itself"
    );
    assert_eq!(events(&app, id.parse().expect("an id")).await, ["Received"]);
    let audited = audit_of(&app, id.parse().expect("an id")).await;
    assert!(audited.iter().any(|e| e.event_type == "Received"), "receiving is audited");
    app.finish().await;
}

#[tokio::test]
async fn the_sender_sees_the_message_sent_and_each_delivery_confirmed() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let sent = release(&larkfield.client, document(&larkfield.address, &[&summit.address], "Referral")).await;
    assert_eq!(message(&larkfield.client, &sent).await["status"], "Pending", "nobody has it yet");
    assert_eq!(state(&larkfield.client, &sent, &summit.address).await, "Queued");
    app.drain().await;

    let view = message(&larkfield.client, &sent).await;
    assert_eq!((text(&view, "status"), text(&view, "direction")), ("Sent", "Release"));
    let delivery = delivery(&larkfield.client, &sent, &summit.address).await;
    assert_eq!((text(&delivery, "state"), text(&delivery, "role")), ("Delivered", "To"));
    for time in ["acceptedAt", "sentAt", "processedAt", "deliveredAt"] {
        assert!(delivery[time].is_string(), "{time} is known: {delivery}");
    }
    for nothing in ["failedAt", "expectedBy", "reason"] {
        assert!(delivery[nothing].is_null(), "{nothing}: {delivery}");
    }
    let id = sent.parse().expect("an id");
    assert_eq!(events(&app, id).await, ["Processed", "Delivered"]);
    let audited: Vec<_> = audit_of(&app, id).await.into_iter().map(|e| e.event_type).collect();
    assert!(audited.contains(&"Sent".to_owned()), "sending is audited: {audited:?}");
    let list = larkfield.client.get("/api/messages?isDraft=false").await.ok();
    assert_eq!(list["totalCount"], 1);
    assert_eq!(list["items"][0]["delivery"]["delivered"], 1);
    assert_eq!(
        subjects(&larkfield.client, json!({})).await,
        [""; 0],
        "notices are no messages of the Intake"
    );
    app.finish().await;
}

async fn a_message_to_two_organizations_arrives_once_in_each(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    let (summit, bayline) = (app.practice("summit").await, app.practice("bayline").await);
    let to = [summit.address.as_str(), &bayline.address];
    let sent = larkfield.client.send_document(&larkfield.address, &to, "For both").await;
    app.drain().await;
    for practice in [&summit, &bayline] {
        assert_eq!(subjects(&practice.client, json!({})).await, ["For both"]);
        assert_eq!(state(&larkfield.client, &sent, &practice.address).await, "Delivered");
    }
    let ids = [summit.client, bayline.client];
    let headers = [only_message(&ids[0]).await, only_message(&ids[1]).await];
    assert_eq!(headers[0]["messageIdHeader"], headers[1]["messageIdHeader"], "it is one message");
    app.finish().await;
}

#[tokio::test]
async fn two_recipients_of_one_organization_share_one_message() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let second = app.source(&summit.organization, "triage").await;
    let to = [summit.address.as_str(), &second.address];
    let sent = larkfield.client.send_document(&larkfield.address, &to, "For two desks").await;
    app.drain().await;
    let view = only_message(&summit.client).await;
    assert_eq!(strings(&view["toAddresses"]), to);
    for address in to {
        assert_eq!(
            state(&larkfield.client, &sent, address).await,
            "Delivered",
            "{address} confirmed for itself"
        );
    }
    app.finish().await;
}

#[tokio::test]
async fn a_blind_copy_arrives_and_nobody_else_learns_of_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let (summit, bayline) = (app.practice("summit").await, app.practice("bayline").await);
    let hidden = app.practice("harbor").await;
    let mut fields = document(&larkfield.address, &[&summit.address], "With copies");
    fields["ccAddresses"] = json!([bayline.address]);
    fields["bccAddresses"] = json!([hidden.address]);
    let sent = release(&larkfield.client, fields).await;
    app.drain().await;

    for (practice, role) in [(&summit, "To"), (&bayline, "Cc"), (&hidden, "Bcc")] {
        let view = only_message(&practice.client).await;
        assert_eq!(view["subject"], "With copies");
        assert_eq!(view["attachments"].as_array().map(Vec::len), Some(2), "{role} gets the files");
        let delivery = delivery(&larkfield.client, &sent, &practice.address).await;
        assert_eq!((text(&delivery, "state"), text(&delivery, "role")), ("Delivered", role));
    }
    for practice in [&summit, &bayline] {
        let view = only_message(&practice.client).await.to_string();
        assert!(!view.contains(&hidden.address), "the view names the hidden recipient");
        for mail in mails(&app, practice).await {
            let seen =
                String::from_utf8_lossy(&raw(&app, &mail).await).into_owned() + &inner(&app, &mail).await;
            assert!(!seen.to_lowercase().contains("harbor"), "the mail names the hidden recipient");
        }
    }
    let ids: Vec<_> = [
        only_message(&summit.client).await,
        only_message(&bayline.client).await,
        only_message(&hidden.client).await,
    ]
    .iter()
    .map(|m| text(m, "messageIdHeader").to_owned())
    .collect();
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2], "a blind copy is a message of its own");
    app.finish().await;
}

#[tokio::test]
async fn an_organization_can_send_to_itself() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let desk = app.source(&larkfield.organization, "triage").await;
    let sent =
        larkfield.client.send_document(&larkfield.address, &[&desk.address], "To the other desk").await;
    app.drain().await;
    assert_eq!(subjects(&larkfield.client, json!({})).await, ["To the other desk"]);
    assert_eq!(state(&larkfield.client, &sent, &desk.address).await, "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn a_reply_names_the_message_it_answers_and_marks_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Question").await;
    app.drain().await;
    let original = only_message(&summit.client).await;
    let fields = json!({ "fromAddress": summit.address, "toAddresses": [larkfield.address], "subject": "RE: Question",
        "body": "Yes.", "originalObjectId": original["id"] });
    let draft = summit.client.draft(fields).await;
    summit.client.post(&format!("/api/messages/{draft}/reply"), &json!({})).await.ok();
    app.drain().await;

    let answered = message(&summit.client, text(&original, "id")).await;
    assert_eq!(answered["status"], "Replied");
    assert_eq!(events(&app, id_of(&original)).await, ["Received", "Replied"]);
    assert_eq!(only_message(&larkfield.client).await["subject"], "RE: Question");
    let mut found = false;
    for mail in mails(&app, &larkfield).await {
        let inner = inner(&app, &mail).await;
        let answers = format!("In-Reply-To: <{}>", text(&original, "messageIdHeader"));
        found |= inner.contains("Subject: RE: Question") && inner.contains(&answers);
    }
    assert!(found, "the reply says what it answers");
    app.finish().await;
}

#[tokio::test]
async fn a_message_sent_as_pdf_carries_pdf_files() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let mut fields = document(&larkfield.address, &[&summit.address], "As PDF");
    fields["conversion"] = json!("Pdf");
    release(&larkfield.client, fields).await;
    app.drain().await;
    let view = only_message(&summit.client).await;
    let names: Vec<_> =
        view["attachments"].as_array().expect("files").iter().map(|f| text(f, "fileName")).collect();
    assert_eq!(names, ["Visit note.pdf", "Summary of care.pdf"]);
    app.finish().await;
}

#[tokio::test]
async fn a_message_sent_as_cda_carries_each_file_inside_a_document_of_its_patient() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let mut fields = document(&larkfield.address, &[&summit.address], "As CDA");
    fields["conversion"] = json!("Cda");
    let draft = larkfield.client.draft(fields).await;
    let mut meta = meta();
    meta["documentType"] = json!("Visit note");
    meta["confidentiality"] = json!("Restricted");
    larkfield.client.upload(&draft, "Visit note.pdf", note_pdf(), meta.clone()).await;
    larkfield.client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    larkfield.client.upload(&draft, "Letters.zip", archive(), meta).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;

    let (sent, view) = (message(&larkfield.client, &draft).await, only_message(&summit.client).await);
    assert_eq!((&sent["conversion"], &sent["attachments2CDA"]), (&json!("Cda"), &json!(true)));
    let files = view["attachments"].as_array().expect("files");
    let names: Vec<_> = files.iter().map(|f| text(f, "fileName")).collect();
    assert_eq!(names, ["Visit note.xml", "Summary of care.xml", "Letters.zip"]);
    let path = |number: usize| file_path(text(&view, "id"), text(&files[number], "id"));
    assert_eq!(bytes(&summit.client, &path(1), "*/*").await, ccd(), "a document travels as it is");

    let wrapped = cda::parse(&bytes(&summit.client, &path(0), "*/*").await).expect("a document");
    assert_eq!(wrapped.title.as_deref(), Some("Visit note"));
    assert_eq!(wrapped.confidentiality, Confidentiality::Restricted);
    assert_eq!(files[0]["attachmentMeta"]["confidentiality"], "Restricted");
    let inside = Unstructured::Embedded { media_type: "application/pdf".into(), content: note_pdf() };
    assert_eq!(wrapped.body, Body::Unstructured(inside));
    let custodian = wrapped.custodian.expect("a custodian").name.expect("its name");
    assert!(text(&view, "fromName").contains(&custodian), "{custodian}");
    for field in ["firstName", "lastName", "birthDate", "gender"] {
        assert_eq!(view["patient"][field], sent["patient"][field], "{field}");
    }
    assert_eq!(
        bytes(&summit.client, &path(0), "application/pdf").await,
        note_pdf(),
        "shown as what it carries"
    );
    app.finish().await;
}

/// SES-C-074
#[tokio::test]
async fn addresses_are_told_right_from_wrong() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let query = "addresses=intake%40summit.direct.example&addresses=nobody&addresses=";
    let path = format!("/api/directory/validate?{query}");
    let items = larkfield.client.get(&path).await.ok()["items"].clone();
    let items = items.as_array().expect("items");
    let seen: Vec<(&str, bool)> = items.iter().map(|i| (text(i, "address"), i["isValid"] == true)).collect();
    assert_eq!(seen, [("intake@summit.direct.example", true), ("nobody", false), ("", false)]);
    assert!(items[0]["message"].is_null() && items[1]["message"].is_string());
    assert_eq!(larkfield.client.get("/api/directory/validate").await.ok()["items"], json!([]));
    app.client().get(&path).await.problem(401);
    app.finish().await;
}
