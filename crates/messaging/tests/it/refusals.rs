//! Checks before sending, and permissions.

use crate::{fax, support::*};
use platform::Role;
use reqwest::Method;
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};
use store::entities::string_list::StringList;
use store::entities::{organization, plan};
use testkit::{Answer, Client, Db, Practice, TestApp, document};
use uuid::Uuid;

testkit::on_both_databases! {
    a_repeated_request_gets_the_first_answer_and_sends_one_message,
    the_release_goes_on_by_cursor_behind_its_ten_thousandth_row,
}

#[tokio::test]
async fn a_subject_has_one_line_wherever_it_is_said() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let lines = "Visit\r\nBcc: <thief@elsewhere.example>";
    let client = &larkfield.client;
    let words = ["Please enter a subject of one line, without tabs."];
    let fields = document(&larkfield.address, &[&summit.address], lines);
    assert_eq!(client.put("/api/messages", &fields).await.texts("subject"), words);
    let draft = client.draft(document(&larkfield.address, &[&summit.address], "Visit")).await;
    let path = format!("/api/messages/{draft}");
    assert_eq!(client.put(&path, &json!({ "subject": lines })).await.texts("subject"), words);
    let sent = client.post(&format!("{path}/send"), &json!({ "subject": lines })).await;
    assert_eq!(sent.texts("subject"), words);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Visit").await;
    app.drain().await;
    let came = only(&intake(&summit.client, json!({})).await);
    let body = json!({ "isProcessed": false, "subject": lines });
    let processed = summit.client.put(&format!("/api/messages/{came}/process"), &body).await;
    assert!(!processed.texts("subject").is_empty());
    assert_eq!(message(&summit.client, &came).await["subject"], "Visit");
    app.finish().await;
}

#[tokio::test]
async fn a_patient_that_somebody_else_has_changed_is_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Two at once").await;
    app.drain().await;
    let read = only_message(&summit.client).await;
    let path = format!("/api/messages/{}", text(&read, "id"));
    let patient = format!("{path}/patient");
    let save = |name: &str, version: &Value| json!({ "lastName": name, "version": version });
    assert_eq!(summit.client.put(&format!("{path}/read"), &json!({})).await.status, 204);
    let saved = summit.client.put(&patient, &save("Okafor", &read["patientVersion"])).await.ok();
    assert_eq!(saved["patient"]["lastName"], "Okafor", "reading is no change of the patient");
    let why = summit.client.put(&patient, &save("Pruitt", &read["patientVersion"])).await.problem(409);
    assert_eq!(why["reason"], "Changed in the meantime.");
    assert_eq!(why["message"], "Somebody else has changed this patient since you opened it.");
    let kept = message(&summit.client, text(&read, "id")).await;
    assert_eq!(kept["patient"]["lastName"], "Okafor");
    summit.client.put(&patient, &save("Pruitt", &kept["patientVersion"])).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_change_that_names_no_version_saves_over_no_patient() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let patient = |name: &str| json!({ "lastName": name });
    let draft = larkfield.client.draft(json!({ "patient": patient("Okafor") })).await;
    let path = format!("/api/messages/{draft}");
    let refused = larkfield.client.put(&format!("{path}/patient"), &patient("Pruitt")).await.problem(422);
    assert_eq!(refused["modelState"]["version"][0], "Please send the version that was read.");
    let change = |name: &str| json!({ "subject": "Knee", "patient": patient(name) });
    let refused = larkfield.client.put(&path, &change("Pruitt")).await.problem(422);
    assert!(refused["modelState"]["draftVersion"].is_array());
    let same = larkfield.client.put(&path, &change("Okafor")).await.ok();
    let mut other = change("Pruitt");
    other["draftVersion"] = same["draftVersion"].clone();
    assert_eq!(larkfield.client.put(&path, &other).await.ok()["patient"]["lastName"], "Pruitt");
    app.finish().await;
}

#[tokio::test]
async fn a_list_of_saved_addresses_that_somebody_else_has_changed_is_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let path = "/api/directaddresscache";
    let mut list = larkfield.client.get(path).await.ok();
    list["addresses"] = json!(["records@bayline.example"]);
    let saved = larkfield.client.put(path, &list).await.ok();
    let why = larkfield.client.put(path, &list).await.problem(409);
    assert_eq!(why["message"], "Somebody else has changed these addresses since you opened them.");
    assert_eq!(larkfield.client.put(path, &saved).await.ok(), larkfield.client.get(path).await.ok());
    app.finish().await;
}

#[tokio::test]
async fn what_somebody_else_has_said_about_a_file_is_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    larkfield.client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    let file = message(&larkfield.client, &draft).await["attachments"][0].clone();
    let path = file_path(&draft, text(&file, "id"));
    let save = |words: &str, version: &Value| json!({ "attachmentMeta": { "documentDescription": words, "version": 99 }, "version": version });
    let read = &file["attachmentMeta"]["version"];
    let saved = larkfield.client.put(&path, &save("Page 2 is missing", read)).await.ok();
    let why = larkfield.client.put(&path, &save("Complete", read)).await.problem(409);
    assert_eq!(why["reason"], "Changed in the meantime.");
    let next = &saved["attachmentMeta"]["version"];
    let saved = larkfield.client.put(&path, &save("Complete", next)).await.ok();
    assert_eq!(saved["attachmentMeta"]["documentDescription"], "Complete");
    app.finish().await;
}

fn send_path(draft: &str) -> String {
    format!("/api/messages/{draft}/send")
}

async fn send(client: &Client, draft: &str) -> Answer {
    client.post(&send_path(draft), &json!({})).await
}

/// The field errors of a refused request.
#[track_caller]
fn model_state(answer: Answer) -> Value {
    answer.problem(422)["modelState"].clone()
}

#[tokio::test]
async fn an_empty_draft_is_told_everything_it_lacks() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let draft = larkfield.client.draft(json!({})).await;
    let wrong = model_state(send(&larkfield.client, &draft).await);
    assert_eq!(wrong["fromAddress"], json!(["\"From\" address is required."]));
    assert_eq!(wrong["toAddress"], json!(["\"To\" address is required."]));
    assert_eq!(wrong["releaseType"], json!(["\"Release Type\" is required."]));
    assert_eq!(wrong["patient"], json!(["\"Patient Details\" information is required."]));
    assert_eq!(message(&larkfield.client, &draft).await["status"], "Saved", "it stays a draft");
    assert_eq!(app.drain().await, 0, "and nothing is done");
    app.finish().await;
}

#[tokio::test]
async fn a_patient_must_be_named_in_full() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let mut fields = document(&larkfield.address, &["a@b.example"], "No name");
    fields["patient"] = json!({ "city": "Larkfield" });
    let draft = larkfield.client.draft(fields).await;
    let wrong = model_state(send(&larkfield.client, &draft).await);
    assert_eq!(wrong["patient.firstName"], json!(["\"Patient First Name\" is required."]));
    assert_eq!(wrong["patient.lastName"], json!(["\"Patient Last Name\" is required."]));
    assert_eq!(wrong["patient.birthDate"], json!(["\"Patient Birth Date\" is required"]));
    assert_eq!(wrong["patient.gender"], json!(["\"Patient Gender\" is required"]));

    let future = json!({ "patient": { "birthDate": "2026-11-21", "gender": "X", "state": "Ohio",
        "lastName": "x".repeat(36), "telephone": "800-555-0142" } });
    let wrong = model_state(larkfield.client.put(&format!("/api/messages/{draft}"), &future).await);
    for field in ["birthDate", "gender", "state", "lastName", "telephone"] {
        let text = &wrong[format!("patient.{field}")];
        assert_eq!(*text, json!(["Please enter a valid value for this field."]), "{field}");
    }
    app.finish().await;
}

#[tokio::test]
async fn addresses_must_be_addresses_and_no_more_than_a_hundred() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let mut fields = document(&larkfield.address, &["a@b.example", "nonsense"], "To nobody");
    fields["ccAddresses"] = json!(["two..dots@b.example"]);
    fields["bccAddresses"] = json!([".dot@b.example"]);
    let draft = larkfield.client.draft(fields).await;
    let wrong = model_state(send(&larkfield.client, &draft).await);
    assert_eq!(wrong["toAddress"], json!(["nonsense: This address is not valid."]));
    assert_eq!(wrong["ccAddresses"], json!(["two..dots@b.example: This address is not valid."]));
    assert_eq!(wrong["bccAddresses"], json!([".dot@b.example: This address is not valid."]));

    let many: Vec<String> = (0..101).map(|n| format!("a{n}@b.example")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let draft = larkfield.client.draft(document(&larkfield.address, &many, "To many")).await;
    let wrong = model_state(send(&larkfield.client, &draft).await);
    assert_eq!(wrong["toAddress"], json!(["A message can have at most 100 recipients."]));
    app.finish().await;
}

#[tokio::test]
async fn files_must_be_described_before_they_leave() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let mut fields = document(&larkfield.address, &["a@b.example"], "Files");
    fields["conversion"] = json!("Cda");
    let draft = larkfield.client.draft(fields).await;
    let note = larkfield.client.upload(&draft, "Note.pdf", note_pdf(), json!({})).await;
    larkfield.client.upload(&draft, "Summary of care.xml", ccd(), json!({})).await;
    let wrong = model_state(send(&larkfield.client, &draft).await);
    let expected = json!([
        "\"Confidentiality\" is required for file Note.pdf",
        "\"Document Date\" is required for file Note.pdf",
        "\"Document Type\" is required for file Note.pdf"
    ]);
    assert_eq!(wrong["attachments"], expected, "structured documents describe themselves");
    assert_eq!(wrong.as_object().map(|o| o.len()), Some(1), "{wrong}");

    let tomorrow =
        json!({ "attachments": [{ "id": note, "attachmentMeta": { "documentDate": "2026-11-21" } }] });
    let wrong = model_state(larkfield.client.put(&format!("/api/messages/{draft}"), &tomorrow).await);
    assert_eq!(wrong["documentDate"], json!(["Document Date must be equal or less than today."]));
    app.finish().await;
}

// MSG-R-267
#[tokio::test]
async fn a_draft_that_answers_nothing_is_no_reply_and_one_that_passes_nothing_on_no_forward() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let fields = json!({ "fromAddress": larkfield.address, "toAddress": summit.address });
    let draft = larkfield.client.draft(fields.clone()).await;
    for act in ["reply", "forward"] {
        let answer = larkfield.client.post(&format!("/api/messages/{draft}/{act}"), &json!({})).await;
        assert!(model_state(answer)["originalObjectId"].is_array(), "{act}");
    }
    let sent = summit.client.send_document(&summit.address, &[&larkfield.address], "Question").await;
    app.drain().await;
    let received = only_message(&larkfield.client).await;
    // A draft begun as a forward cannot be sent as a reply, and neither can a reply to one's own sent message.
    let copy = format!("/api/messages/{}/copy", text(&received, "id"));
    let copy = larkfield.client.post(&copy, &json!({})).await.ok();
    let reply = |id: &str| format!("/api/messages/{id}/reply");
    let answer = larkfield.client.post(&reply(text(&copy, "id")), &fields).await;
    assert!(model_state(answer)["originalObjectId"].is_array());
    let own =
        json!({ "fromAddress": summit.address, "toAddress": larkfield.address, "originalObjectId": sent });
    let draft = summit.client.draft(own).await;
    let answer = summit.client.post(&reply(&draft), &json!({})).await;
    assert!(model_state(answer)["originalObjectId"].is_array());
    assert_eq!(app.drain().await, 0, "and nothing leaves");
    app.finish().await;
}

#[tokio::test]
async fn a_reply_needs_neither_release_type_nor_patient_and_a_forward_no_patient() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    summit.client.send_document(&summit.address, &[&larkfield.address], "Question").await;
    app.drain().await;
    let original = only_message(&larkfield.client).await["id"].clone();
    let fields = json!({ "fromAddress": larkfield.address, "toAddress": summit.address,
        "originalObjectId": original });
    let draft = larkfield.client.draft(fields).await;
    let file = larkfield.client.upload(&draft, "Note.pdf", note_pdf(), json!({})).await;
    let wrong =
        model_state(larkfield.client.post(&format!("/api/messages/{draft}/forward"), &json!({})).await);
    assert_eq!(wrong["releaseType"], json!(["\"Release Type\" is required."]));
    assert!(wrong["patient"].is_null(), "{wrong}");
    assert_eq!(wrong["attachments"][0], "\"Confidentiality\" is required for file Note.pdf");
    let wrong = model_state(larkfield.client.post(&format!("/api/messages/{draft}/reply"), &json!({})).await);
    assert_eq!(wrong, json!({ "attachments": ["\"Document Date\" is required for file Note.pdf"] }));
    let dated =
        json!({ "attachments": [{ "id": file, "attachmentMeta": { "documentDate": "2026-11-20" } }] });
    larkfield.client.put(&format!("/api/messages/{draft}"), &dated).await.ok();
    larkfield.client.post(&format!("/api/messages/{draft}/reply"), &json!({})).await.ok();
    app.drain().await;
    assert_eq!(subjects(&summit.client, json!({})).await, [""]);
    app.finish().await;
}

#[tokio::test]
async fn nobody_sends_from_an_address_they_are_not_linked_to() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let own = app.source(&larkfield.organization, "billing").await;
    for address in [own.address.as_str(), &summit.address, "invented@larkfield.direct.carepost.example"] {
        let draft = larkfield.client.draft(document(address, &[&summit.address], "In whose name")).await;
        let wrong = model_state(send(&larkfield.client, &draft).await);
        assert_eq!(wrong["fromAddress"], json!(["You cannot send from this address."]), "{address}");
    }
    app.link(&larkfield.user, &own).await;
    larkfield.client.send_document(&own.address, &[&summit.address], "In our name").await;
    app.drain().await;
    assert_eq!(subjects(&summit.client, json!({})).await, ["In our name"]);
    app.finish().await;
}

/// ADA-R-179
#[tokio::test]
async fn an_organization_that_is_not_activated_cannot_send() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    organization::Entity::update_many()
        .col_expr(organization::Column::IsActivated, Expr::value(false))
        .filter(organization::Column::Id.eq(larkfield.organization.id))
        .exec(app.store.db())
        .await
        .expect("the organization");
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Too early")).await;
    let problem = send(&larkfield.client, &draft).await.problem(409);
    assert_eq!(problem["message"], "Your organization is not activated yet.");
    assert_eq!(message(&larkfield.client, &draft).await["isDraft"], true);
    app.finish().await;
}

/// Gives a practice a plan that excludes some functions.
pub async fn plan_without(app: &TestApp, practice: &Practice, restricted: &[&str]) {
    let id = Uuid::now_v7();
    let row = plan::ActiveModel {
        id: Set(id),
        name: Set(format!("Without {id}")),
        name_key: Set(format!("without {id}")),
        tier_code: Set("free".into()),
        allowed_users: Set(5),
        restricted: Set(StringList::from_iter(restricted.iter().copied())),
        reseller_id: Set(None),
        is_free: Set(true),
        is_retired: Set(false),
        version: Set(1),
    };
    plan::Entity::insert(row).exec_without_returning(app.store.db()).await.expect("a plan");
    organization::Entity::update_many()
        .col_expr(organization::Column::PlanId, Expr::value(id))
        .filter(organization::Column::Id.eq(practice.organization.id))
        .exec(app.store.db())
        .await
        .expect("the organization");
}

#[tokio::test]
async fn a_plan_can_exclude_sending() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    plan_without(&app, &larkfield, &["send"]).await;
    let draft =
        larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Not included")).await;
    let problem = send(&larkfield.client, &draft).await.problem(409);
    assert_eq!(problem["message"], "Your plan does not include sending to Direct addresses.");
    app.finish().await;
}

/// SES-R-140 SES-R-143 SES-R-144 SES-R-145
#[tokio::test]
async fn what_a_plan_excludes_is_refused_to_direct_addresses_and_fax_numbers_alike() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let number = app.fax_number(&larkfield.organization, fax::LARKFIELD).await;
    app.link(&larkfield.user, &number).await;
    summit.client.send_document(&summit.address, &[&larkfield.address], "Question").await;
    app.drain().await;
    let original = only_message(&larkfield.client).await["id"].clone();
    for (lacks, act, text) in [
        ("releaseRoute", "send", "Your plan does not include sending messages."),
        ("forward", "forward", "Your plan does not include forwarding."),
        ("reply", "reply", "Your plan does not include replying."),
    ] {
        plan_without(&app, &larkfield, &[lacks]).await;
        for (from, to) in
            [(larkfield.address.as_str(), summit.address.as_str()), (fax::LARKFIELD, fax::SUMMIT)]
        {
            let draft = fax::draft(&larkfield, from, &[to], "Not included").await;
            let path = format!("/api/messages/{draft}/{act}");
            let mut form = fax::confirming(&[fax::SUMMIT]);
            form["originalObjectId"] = original.clone();
            let problem = larkfield.client.post(&path, &form).await.problem(409);
            assert_eq!(problem["message"], text, "{act} to {to}");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn a_draft_is_sent_once() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Once")).await;
    let (one, two) = tokio::join!(send(&larkfield.client, &draft), send(&larkfield.client, &draft));
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "two browsers press the button at the same time");
    let problem = send(&larkfield.client, &draft).await.problem(409);
    assert_eq!(problem["message"], "The message was already sent.");
    app.drain().await;
    assert_eq!(subjects(&summit.client, json!({})).await, ["Once"]);
    app.finish().await;
}

async fn a_repeated_request_gets_the_first_answer_and_sends_one_message(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let keyed = async |draft: &str, key: &str| {
        let request =
            larkfield.client.request(Method::POST, &send_path(draft)).header("Idempotency-Key", key);
        larkfield.client.send(request.json(&json!({}))).await
    };
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "With a key")).await;
    let first = keyed(&draft, "k-1").await.ok();
    assert_eq!(first["status"], "Pending");
    assert_eq!(keyed(&draft, "k-1").await.ok(), first, "the same answer");
    keyed(&draft, "k-2").await.problem(409);
    let another = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "Another")).await;
    keyed(&another, "k-1").await.problem(409);
    app.drain().await;
    let after = keyed(&draft, "k-1").await.ok();
    assert_eq!((&after["id"], &after["workflowId"]), (&first["id"], &first["workflowId"]));
    assert_eq!(subjects(&summit.client, json!({})).await, ["With a key"]);
    app.finish().await;
}

#[tokio::test]
async fn a_sent_message_cannot_be_changed() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Final").await;
    let file = text(&message(&larkfield.client, &sent).await["attachments"][0], "id").to_owned();
    let path = format!("/api/messages/{sent}");
    let client = &larkfield.client;
    client.put(&path, &json!({ "subject": "Other" })).await.problem(409);
    client.put(&format!("{path}/patient"), &json!({ "firstName": "Other" })).await.problem(409);
    client.try_upload(&sent, "More.pdf", note_pdf(), meta()).await.problem(409);
    client.delete(&file_path(&sent, &file)).await.problem(409);
    client.put(&file_path(&sent, &file), &json!({ "attachmentMeta": {} })).await.problem(409);
    client.put(&format!("{path}/process"), &json!({ "isProcessed": true })).await.problem(409);
    app.drain().await;
    assert_eq!(only_message(&summit.client).await["subject"], "Final");
    app.finish().await;
}

#[tokio::test]
async fn a_draft_keeps_what_was_typed() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let mut fields = document(&larkfield.address, &["A@b.example", " c@d.example "], "Typed  ");
    fields["comments"] = json!("Call first");
    fields["patient"]["patientIds"] = json!([{ "root": "1.2.3", "id": "7" }, { "root": "", "id": "8" }]);
    let id = larkfield.client.draft(fields).await;
    larkfield.client.put(&format!("/api/messages/{id}"), &json!({ "body": "New words" })).await.ok();
    let view = message(&larkfield.client, &id).await;
    assert_eq!(strings(&view["toAddresses"]), ["A@b.example", "c@d.example"]);
    assert_eq!((text(&view, "body"), text(&view, "comments")), ("New words", "Call first"));
    assert_eq!(view["patient"]["patientIds"], json!([{ "root": "1.2.3", "id": "7" }]));
    assert_eq!((text(&view, "status"), text(&view, "releaseType")), ("Saved", "Referral"));
    let list = larkfield.client.get("/api/messages?isDraft=true&filter=tenney").await.ok();
    assert_eq!(list["items"][0]["patientName"], "Tenney, Marisol");
    app.finish().await;
}

#[tokio::test]
async fn null_takes_a_field_away_and_absence_leaves_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let kind = app.release_type(&larkfield.organization, "Cardiology referral").await;
    let original = larkfield.client.draft(json!({ "subject": "First" })).await;
    let mut fields = document(&larkfield.address, &["a@b.example"], "Typed");
    let more = json!({
        "releaseTypeId": kind, "comments": "Call first", "reasonForDisclosure": "Treatment",
        "originalObjectId": original, "classification": "57133-1", "conversion": "Pdf",
        "conversation": { "conversationId": "7", "type": "360x", "conversationStatus": "Draft" },
    });
    fields.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
    fields.as_object_mut().expect("fields").remove("releaseType");
    let id = larkfield.client.draft(fields).await;
    let path = format!("/api/messages/{id}");
    larkfield.client.put(&path, &json!({ "body": "New words" })).await.ok();
    let view = message(&larkfield.client, &id).await;
    assert_eq!((&view["releaseType"], &view["releaseTypeId"]), (&json!("Cardiology referral"), &json!(kind)));
    let nullable = ["comments", "reasonForDisclosure", "originalObjectId", "classification", "conversion"];
    for field in nullable.iter().chain(&["patient", "conversation"]) {
        assert!(!view[*field].is_null(), "{field} stays");
    }
    for field in nullable.iter().chain(&["patient", "conversation", "releaseTypeId"]) {
        let version = message(&larkfield.client, &id).await["draftVersion"].clone();
        let without = json!({ *field: null, "draftVersion": version });
        let changed = larkfield.client.put(&path, &without).await.ok();
        assert!(changed[*field].is_null(), "{field} is taken away: {changed}");
    }
    let view = message(&larkfield.client, &id).await;
    assert!(view["releaseType"].is_null(), "the name goes with the id");
    assert_eq!((&view["attachments2PDF"], &view["body"]), (&json!(false), &json!("New words")));
    app.finish().await;
}

#[tokio::test]
async fn a_draft_names_only_what_is_there() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let id = larkfield.client.draft(json!({})).await;
    let path = format!("/api/messages/{id}");
    let nothing = Uuid::now_v7();
    larkfield.client.put(&path, &json!({ "originalObjectId": nothing })).await.problem(404);
    larkfield.client.put(&path, &json!({ "attachments": [{ "id": nothing }] })).await.problem(404);
    let wrong = model_state(larkfield.client.put(&path, &json!({ "releaseTypeId": nothing })).await);
    assert!(wrong["releaseTypeId"].is_array(), "{wrong}");
    app.finish().await;
}

#[tokio::test]
async fn what_is_said_about_files_while_sending_is_kept() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "At once")).await;
    let file = larkfield.client.upload(&draft, "Note.txt", b"A note.\n".to_vec(), json!({})).await;
    let mut said = meta();
    said["documentType"] = json!("Progress note");
    let body = json!({ "attachments": [{ "id": file, "attachmentMeta": said }] });
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &body).await.ok();
    let view = message(&larkfield.client, &draft).await;
    assert_eq!(view["attachments"][0]["attachmentMeta"]["documentType"], "Progress note");
    app.drain().await;
    app.finish().await;
}

#[tokio::test]
async fn a_deleted_draft_is_gone() {
    let app = TestApp::start(Db::sqlite()).await;
    let larkfield = app.practice("larkfield").await;
    let id = larkfield.client.draft(document(&larkfield.address, &["a@b.example"], "Never mind")).await;
    let answer = larkfield.client.delete(&format!("/api/messages/{id}")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["message"], "The draft was deleted successfully.");
    larkfield.client.get(&format!("/api/messages/{id}")).await.problem(404);
    send(&larkfield.client, &id).await.problem(404);
    for list in ["/api/messages?isDraft=true", "/api/messages?filter=never"] {
        assert_eq!(larkfield.client.get(list).await.ok()["totalCount"], 0, "{list}");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_draft_that_somebody_else_has_changed_is_not_saved_over_unseen() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "First")).await;
    let path = format!("/api/messages/{id}");
    let read = larkfield.client.get(&path).await.ok()["draftVersion"].clone();
    larkfield.client.upload(&id, "Note.pdf", note_pdf(), meta()).await;
    let change = |subject: &str, version: &Value| json!({ "subject": subject, "draftVersion": version });
    let saved = larkfield.client.put(&path, &change("Second", &read)).await.ok();
    assert_eq!(saved["subject"], "Second", "files are no change of the fields");
    let why = larkfield.client.put(&path, &change("Third", &read)).await.problem(409);
    assert_eq!(why["message"], "Somebody else has changed this draft since you opened it.");
    larkfield.client.post(&format!("{path}/send"), &change("Third", &read)).await.problem(409);
    let kept = larkfield.client.get(&path).await.ok();
    assert_eq!((&kept["subject"], &kept["isDraft"]), (&json!("Second"), &json!(true)));
    larkfield.client.post(&format!("{path}/send"), &change("Fourth", &saved["draftVersion"])).await.ok();
    app.drain().await;
    assert_eq!(subjects(&summit.client, json!({})).await, ["Fourth"]);
    app.finish().await;
}

async fn the_release_goes_on_by_cursor_behind_its_ten_thousandth_row(db: Db) {
    let app = TestApp::start(db).await;
    let larkfield = app.practice("larkfield").await;
    for subject in ["Note one", "Note two", "Note three"] {
        larkfield.client.draft(document(&larkfield.address, &["a@b.example"], subject)).await;
    }
    for list in ["/api/messages?isDraft=true&pageSize=1", "/api/messages?filter=note&pageSize=1"] {
        let mut cursor = String::new();
        for subject in ["Note three", "Note two", "Note one"] {
            let page = larkfield.client.get(&format!("{list}{cursor}")).await.ok();
            assert_eq!((&page["items"][0]["subject"], &page["totalCount"]), (&json!(subject), &json!(3)));
            cursor = format!("&pageStart=10001&cursor={}", text(&page, "nextCursor"));
        }
        assert_eq!(larkfield.client.get(&format!("{list}{cursor}")).await.ok()["items"], json!([]));
        larkfield.client.get(&format!("{list}&pageStart=10001")).await.problem(400);
        larkfield.client.get(&format!("{list}&cursor=other")).await.problem(400);
    }
    app.finish().await;
}

#[tokio::test]
async fn what_is_still_being_sent_cannot_be_deleted() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = larkfield.client.draft(document(&larkfield.address, &[&summit.address], "On its way")).await;
    larkfield.client.upload(&id, "Note.pdf", note_pdf(), meta()).await;
    send(&larkfield.client, &id).await.ok();
    let path = format!("/api/messages/{id}");
    let why = larkfield.client.delete(&path).await.problem(409);
    assert_eq!(text(&why, "message"), "The message is still being sent. Delete it when that is done.");
    app.drain().await;
    assert_eq!(only_message(&summit.client).await["attachments"].as_array().map(Vec::len), Some(1));
    assert_eq!(larkfield.client.delete(&path).await.status, 200);
    larkfield.client.get(&path).await.problem(404);
    app.finish().await;
}

#[tokio::test]
async fn a_copy_is_a_draft_of_its_own_with_the_same_files() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Pass it on").await;
    app.drain().await;
    let original = only(&intake(&summit.client, json!({})).await);
    let copy = summit.client.post(&format!("/api/messages/{original}/copy"), &json!({})).await.ok();
    let copy = text(&copy, "id");
    let view = message(&summit.client, copy).await;
    assert_eq!((text(&view, "subject"), text(&view, "status")), ("FW: Pass it on", "Saved"));
    assert_eq!(view["originalObjectId"], original.as_str());
    let file = text(&view["attachments"][0], "id").to_owned();
    assert_eq!(summit.client.get(&file_path(copy, &file)).await.body, b"A short note.\n");
    summit.client.delete(&file_path(copy, &file)).await.ok();
    assert_eq!(message(&summit.client, &original).await["attachments"].as_array().map(Vec::len), Some(1));

    let again = summit.client.post(&format!("/api/messages/{copy}/copy"), &json!({})).await.ok();
    assert_eq!(message(&summit.client, text(&again, "id")).await["subject"], "FW: Pass it on", "named once");
    app.finish().await;
}

#[tokio::test]
async fn what_belongs_to_another_organization_is_not_found() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let stranger = app.practice("bayline").await;
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Private").await;
    app.drain().await;
    let view = only_message(&summit.client).await;
    let (id, file) = (text(&view, "id"), text(&view["attachments"][0], "id"));
    let (path, file) = (format!("/api/messages/{id}"), file_path(id, file));
    let client = &stranger.client;
    for path in [&path, &file, &format!("{file}/metadata"), &format!("{file}/patient")] {
        client.get(path).await.problem(404);
    }
    client.delete(&path).await.problem(404);
    client.delete(&file).await.problem(404);
    client.post(&format!("{path}/copy"), &json!({})).await.problem(404);
    client.put(&format!("{path}/patient"), &json!({})).await.problem(404);
    client.put(&format!("{path}/read"), &json!({})).await.problem(404);
    client.put(&format!("{path}/process"), &json!({ "isProcessed": true })).await.problem(404);
    client.put(&format!("{path}/assign"), &json!({ "userId": stranger.user.id })).await.problem(404);
    // A file of another message is not found under one's own either.
    let own = client.draft(json!({})).await;
    client.get(&file_path(&own, text(&view["attachments"][0], "id"))).await.problem(404);
    assert_eq!(only_message(&summit.client).await, view, "nothing happened to it");
    app.finish().await;
}

#[tokio::test]
async fn people_of_the_platform_have_no_business_with_messages() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Private").await;
    app.drain().await;
    for role in [Role::SysAdmin, Role::Reporting] {
        let client = app.signed_in(role, &larkfield.organization).await;
        client.get(&format!("/api/messages/{sent}")).await.problem(403);
        client.get("/api/messages").await.problem(403);
        client.post("/api/intake", &json!({})).await.problem(403);
        client.put("/api/messages", &json!({})).await.problem(403);
        client.post(&send_path(&sent), &json!({})).await.problem(403);
    }
    app.finish().await;
}

#[tokio::test]
async fn who_is_signed_out_is_told_so() {
    let app = TestApp::start(Db::sqlite()).await;
    let client = app.client();
    client.post("/api/intake", &json!({})).await.problem(401);
    client.get(&format!("/api/messages/{}", Uuid::now_v7())).await.problem(401);
    client.put("/api/messages", &json!({})).await.problem(401);
    app.finish().await;
}
