//! Requests for signatures under the documents of a message: notifications, the signed files, and who sees them.

use crate::{
    faults::{Harm, POINTS},
    support::*,
};
use chrono::Duration;
use platform::{Role, audit::event};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};
use std::process::Command;
use store::entities::{
    attachment::{self, PreviewState},
    signed_document::{self, SigningState},
    signing_certificate,
};
use testkit::{Client, Db, Options, PASSWORD, Practice, TestApp, User};
use uuid::Uuid;
use workflow::probe::Verdict;

testkit::on_both_databases! {
    a_colleague_signs_the_bytes_that_they_looked_at,
    a_request_is_declined_with_a_reason_or_taken_back,
    two_people_sign_one_pdf,
}

/// A practice with a received message, and a colleague there.
async fn world(db: Db) -> (TestApp, Practice, Practice, User, Client, String) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    larkfield.client.send_document(&larkfield.address, &[&summit.address], "Treatment plan").await;
    app.drain().await;
    let signer = app.user(Role::User, &summit.organization).await;
    let client = app.browser_of(&signer).await;
    let id = only(&intake(&summit.client, json!({})).await);
    (app, larkfield, summit, signer, client, id)
}

fn signers(id: &str, tail: &str) -> String {
    format!("/api/messages/{id}/signers{tail}")
}

fn typed(name: &str) -> Value {
    json!({ "kind": "typed", "text": name })
}

/// A complete form.
fn given(documents: &Value, password: &str, signature: Value) -> Value {
    json!({
        "documents": documents, "password": password, "signature": signature, "consents": true,
        "timeZone": "America/New_York",
    })
}

/// Signs the documents of a message as they are.
async fn sign(client: &Client, id: &str, signature: Value) -> Value {
    let seen = client.get(&signers(id, "")).await.ok();
    client.post(&signers(id, "/sign"), &given(&seen["documents"], PASSWORD, signature)).await.ok()
}

/// Has the previews of a draft's documents made.
async fn show(app: &TestApp, client: &Client, id: &str) {
    for file in message(client, id).await["attachments"].as_array().expect("files") {
        get_as(client, &file_path(id, text(file, "id")), "application/pdf").await;
    }
    app.drain().await;
}

/// What `pdfsig` says about a file.
fn pdfsig(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("signed.pdf");
    std::fs::write(&file, pdf).expect("a file");
    let done = Command::new("pdfsig").args(["-nocert"]).arg(file).output().expect("pdfsig is installed");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Path of the signed PDF of a file.
fn pdf_path(id: &str, file: &Value, tail: &str) -> String {
    signers(id, &format!("/documents/{}{tail}", text(file, "id")))
}

async fn waiting(client: &Client) -> Value {
    client.get("/api/messages/signatures").await.ok()
}

async fn acts(app: &TestApp, id: &str) -> Vec<String> {
    let mut of_message = audit_of(app, id.parse().expect("an id")).await;
    of_message.sort_by_key(|entry| entry.seq);
    let signing =
        [event::SIGNATURE_REQUESTED, event::SIGNED, event::SIGNATURE_DECLINED, event::SIGNATURE_CANCELLED];
    of_message.into_iter().map(|e| e.event_type).filter(|e| signing.contains(&e.as_str())).collect()
}

/// MSG-C-005, MSG-C-006, MSG-C-068, SES-C-052, SES-C-024, MSG-C-070
async fn a_colleague_signs_the_bytes_that_they_looked_at(db: Db) {
    let (app, larkfield, summit, signer, colleague, id) = world(db).await;
    let ask = json!({ "signers": [signer.id], "note": "Before Friday, please." });
    larkfield.client.post(&signers(&id, ""), &ask).await.problem(404);
    for wrong in [json!([]), json!([larkfield.user.id])] {
        summit.client.post(&signers(&id, ""), &json!({ "signers": wrong })).await.problem(422);
    }
    let asked = summit.client.post(&signers(&id, ""), &ask).await.ok();
    assert_eq!(
        (&asked["items"][0]["state"], &asked["items"][0]["isOwn"]),
        (&json!("Waiting"), &json!(false))
    );
    assert!(!summit.client.post(&signers(&id, ""), &ask).await.texts("signers").is_empty(), "asked already");

    let list = waiting(&colleague).await;
    let row = &list["items"][0];
    assert_eq!((&list["totalCount"], &row["subject"]), (&json!(1), &json!("Treatment plan")));
    assert_eq!((text(row, "messageId"), &row["note"]), (id.as_str(), &ask["note"]));
    assert_eq!(waiting(&summit.client).await["totalCount"], 0);
    let requested = summit.client.get("/api/messages/signatures?view=requested").await.ok();
    assert_eq!(requested["items"][0]["signer"]["id"], json!(signer.id));

    let seen = colleague.get(&signers(&id, "")).await.ok();
    let form = |documents: &Value, password: &str| given(documents, password, typed("Ola Ng"));
    let sign = signers(&id, "/sign");
    assert!(!colleague.post(&sign, &form(&seen["documents"], "guess")).await.texts("password").is_empty());
    let mut bare = form(&seen["documents"], "");
    assert!(!colleague.post(&sign, &bare).await.texts("password").is_empty());
    bare["consents"] = json!(false);
    assert_eq!(
        colleague.post(&sign, &bare).await.texts("consents"),
        ["Please agree to sign electronically."]
    );
    bare["signature"] = json!({ "kind": "drawn", "strokes": [[1, 2, 3]] });
    assert!(!colleague.post(&sign, &bare).await.texts("signature").is_empty());
    bare["signature"] = Value::Null;
    assert_eq!(
        colleague.post(&sign, &bare).await.texts("signature"),
        ["Please type or draw your signature."]
    );
    colleague.post(&sign, &form(&json!("other"), PASSWORD)).await.problem(409);
    summit.client.post(&sign, &form(&seen["documents"], PASSWORD)).await.problem(409);
    larkfield.client.post(&sign, &form(&seen["documents"], PASSWORD)).await.problem(404);
    let signed = colleague.post(&sign, &form(&seen["documents"], PASSWORD)).await.ok();
    let signature = &signed["items"][0];
    assert_eq!((&signature["state"], &signature["confirmedBy"]), (&json!("Signed"), &json!("Password")));
    let view = message(&summit.client, &id).await;
    let files = view["attachments"].as_array().expect("files");
    let mut expected = Vec::new();
    for file in files {
        let bytes = summit.client.get(&file_path(&id, text(file, "id"))).await.body;
        expected.push(json!({ "attachmentId": file["id"], "sha256": sha256(&bytes) }));
    }
    assert_eq!(signature["files"], json!(expected));
    colleague.post(&sign, &form(&seen["documents"], PASSWORD)).await.problem(409);
    assert_eq!(waiting(&colleague).await["totalCount"], 0);
    let settled = colleague.get("/api/messages/signatures?view=settled").await.ok();
    assert_eq!(settled["items"][0]["state"], "Signed");
    assert_eq!(acts(&app, &id).await, [event::SIGNATURE_REQUESTED, event::SIGNED]);

    app.drain().await;

    let of_signer = colleague.get(&format!("/api/users/{}/events/signatures", signer.id)).await.ok();
    assert_eq!(of_signer["items"][0]["files"], json!(expected));
    let requests = format!("/api/users/{}/requests?pageSize=5&pageStart=1", summit.user.id);
    assert_eq!(summit.client.get(&requests).await.ok()["items"][0]["state"], "Signed");

    let file = file_path(&id, text(&files[0], "id"));
    assert!(summit.client.delete(&file).await.status.is_success());
    assert_eq!(summit.client.get(&signers(&id, "")).await.ok()["items"][0]["isOutdated"], true);
    app.finish().await;
}

async fn a_request_is_declined_with_a_reason_or_taken_back(db: Db) {
    let (app, larkfield, summit, signer, colleague, id) = world(db).await;
    let ask = json!({ "signers": [signer.id] });
    summit.client.post(&signers(&id, ""), &ask).await.ok();
    colleague.post(&signers(&id, "/decline"), &json!({ "reason": "" })).await.problem(422);
    let declined =
        colleague.post(&signers(&id, "/decline"), &json!({ "reason": "Not my patient." })).await.ok();
    assert_eq!(declined["items"][0]["reason"], "Not my patient.");

    app.advance(Duration::seconds(1));
    let again = summit.client.post(&signers(&id, ""), &ask).await.ok();
    let open = text(&again["items"][1], "id").to_owned();
    let cancel = signers(&id, &format!("/{open}"));
    larkfield.client.delete(&cancel).await.problem(404);
    colleague.delete(&cancel).await.problem(403);
    let cancelled = summit.client.delete(&cancel).await.ok();
    assert_eq!(cancelled["items"][1]["state"], "Cancelled");
    summit.client.delete(&cancel).await.problem(409);
    assert_eq!(waiting(&colleague).await["totalCount"], 0);
    assert_eq!(
        acts(&app, &id).await,
        [
            event::SIGNATURE_REQUESTED,
            event::SIGNATURE_DECLINED,
            event::SIGNATURE_REQUESTED,
            event::SIGNATURE_CANCELLED
        ]
    );

    summit.client.post(&signers(&id, ""), &ask).await.ok();
    assert!(summit.client.delete(&format!("/api/messages/{id}")).await.status.is_success());
    assert_eq!(waiting(&colleague).await["totalCount"], 0, "what is deleted waits for nobody");
    colleague.get(&signers(&id, "")).await.problem(404);
    app.finish().await;
}

/// A person who signs in with a provider has no password, but a code by e-mail. A wrong code signs nothing.
#[tokio::test]
async fn a_draft_is_signed_once_it_has_a_document_and_never_with_a_wrong_code() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    let draft = summit.client.draft(testkit::document(&summit.address, &[&summit.address], "Referral")).await;
    let own = json!({ "signers": [summit.user.id] });
    summit.client.post(&signers(&draft, ""), &own).await.problem(409);
    summit.client.upload(&draft, "Note.pdf", note_pdf(), meta()).await;
    let asked = summit.client.post(&signers(&draft, ""), &own).await.ok();
    let mut form = given(&asked["documents"], "", typed("Ola Ng"));
    form["code"] = json!("000000");
    assert!(!summit.client.post(&signers(&draft, "/sign"), &form).await.texts("code").is_empty());
    app.finish().await;
}

/// A received message with one PDF file, which two people are asked to sign.
async fn asked_both(db: Db, options: Options) -> (TestApp, Practice, Practice, Client, String, Value) {
    let app = TestApp::start_with(db, options).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let draft =
        larkfield.client.draft(testkit::document(&larkfield.address, &[&summit.address], "Plan")).await;
    larkfield.client.upload(&draft, "Plan.pdf", note_pdf(), meta()).await;
    larkfield.client.post(&format!("/api/messages/{draft}/send"), &json!({})).await.ok();
    app.drain().await;
    let colleague = app.user(Role::User, &summit.organization).await;
    let client = app.browser_of(&colleague).await;
    let id = only(&intake(&summit.client, json!({})).await);
    let both = json!({ "signers": [summit.user.id, colleague.id] });
    summit.client.post(&signers(&id, ""), &both).await.ok();
    let file = message(&summit.client, &id).await["attachments"][0].clone();
    (app, larkfield, summit, client, id, file)
}

async fn signed_pdfs(app: &TestApp) -> Vec<signed_document::Model> {
    signed_document::Entity::find().all(app.store.db()).await.expect("signed documents")
}

async fn two_people_sign_one_pdf(db: Db) {
    let (app, larkfield, summit, colleague, id, file) = asked_both(db, Options::default()).await;
    let download = pdf_path(&id, &file, "");
    summit.client.get(&download).await.problem(404);
    let first = sign(&summit.client, &id, typed("Zoë Łuczak")).await;
    let pdfs = &first["signedPdfs"];
    assert_eq!((&pdfs[0]["state"], &pdfs[0]["signedBy"]), (&json!("Making"), &json!([])));
    summit.client.get(&download).await.problem(409);
    let drawn = json!({ "kind": "drawn", "strokes": [[10, 20, 500, 300], [700, 100]] });
    app.advance(Duration::seconds(1));
    sign(&colleague, &id, drawn).await;
    app.drain().await;

    let view = summit.client.get(&signers(&id, "")).await.ok();
    let pdf = &view["signedPdfs"][0];
    assert_eq!((&pdf["state"], &pdf["fileName"]), (&json!("Ready"), &json!("Plan (signed).pdf")));
    let order = [summit.user.id.to_string(), text(&view["items"][1]["signer"], "id").to_owned()];
    assert_eq!(
        pdf["signedBy"].as_array().expect("signers").iter().map(|s| text(s, "id")).collect::<Vec<_>>(),
        order
    );
    assert_eq!(view["files"][0]["attachmentId"], file["id"]);
    let answer = summit.client.get(&download).await;
    let said = pdfsig(&answer.body);
    assert_eq!(said.matches("Signature is Valid.").count(), 2, "{said}");
    assert!(said.contains("ETSI.CAdES.detached") && said.contains("Total document signed"), "{said}");
    let original = summit.client.get(&file_path(&id, text(&file, "id"))).await.body;
    assert!(answer.body.starts_with(&original));
    let read = audit_of(&app, text(&file, "id").parse().expect("an id")).await;
    assert!(read.iter().any(|e| e.event_type == event::DOWNLOADED && e.detail.contains("signed")));

    // Others have neither the file nor the certificate.
    larkfield.client.get(&download).await.problem(404);
    larkfield.client.post(&pdf_path(&id, &file, "/retry"), &json!({})).await.problem(404);
    summit.client.post(&pdf_path(&id, &file, "/retry"), &json!({})).await.problem(409);
    colleague.get("/api/settings/signingcertificates").await.problem(403);
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let own = admin.get("/api/settings/signingcertificates").await;
    assert!(own.status.is_success());
    let stranger = app.signed_in(Role::Admin, &larkfield.organization).await;
    let others = stranger.get("/api/settings/signingcertificates").await;
    assert!(others.status.is_success() && others.body != own.body);
    let rows = signing_certificate::Entity::find().all(app.store.db()).await.expect("certificates");
    assert_eq!(rows.len(), 2, "one for each organization");
    app.finish().await;
}

/// A process that dies, or a run that is repeated, loses no signature and puts none into the file twice.
#[tokio::test]
async fn wherever_a_worker_dies_each_signature_is_in_the_pdf_once() {
    for verdict in [Verdict::Crash, Verdict::RunTwice] {
        let harm = Harm::new(verdict);
        let options = Options { probe: Some(harm.clone()), ..Options::default() };
        let (app, _larkfield, summit, _colleague, id, file) = asked_both(Db::sqlite(), options).await;
        for (number, point) in POINTS.into_iter().enumerate() {
            summit.client.enter(&summit.user).await;
            if number > 0 {
                summit.client.post(&signers(&id, ""), &json!({ "signers": [summit.user.id] })).await.ok();
            }
            harm.arm("MakeSignedPdf", point, 0);
            sign(&summit.client, &id, typed("Ola Ng")).await;
            pass(&app, Duration::minutes(6)).await;
            assert!(harm.was_done(), "it came to {point:?}");
            summit.client.enter(&summit.user).await;
            assert_eq!(signed_pdfs(&app).await[0].state, SigningState::Ready, "{point:?}");
            let said = pdfsig(&summit.client.get(&pdf_path(&id, &file, "")).await.body);
            assert_eq!(said.matches("Signature is Valid.").count(), number + 1, "{point:?}: {said}");
        }
        app.finish().await;
    }
}

#[tokio::test]
async fn a_document_that_changed_is_named_and_one_without_pages_too() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    let client = &summit.client;
    let draft = client.draft(testkit::document(&summit.address, &[&summit.address], "Plan")).await;
    client.upload(&draft, "Plan.txt", "A plan of treatment".into(), meta()).await;
    client.post(&signers(&draft, ""), &json!({ "signers": [summit.user.id] })).await.ok();
    show(&app, client, &draft).await;
    sign(client, &draft, typed("Ola Ng")).await;
    let row = signed_pdfs(&app).await.remove(0);
    let change = signed_document::ActiveModel {
        id: Set(row.id),
        source_blob_id: Set(Uuid::now_v7()),
        ..Default::default()
    };
    change.update(app.store.db()).await.expect("a change");
    app.drain().await;
    let view = client.get(&signers(&draft, "")).await.ok();
    let pdf = &view["signedPdfs"][0];
    assert_eq!((&pdf["state"], &pdf["isOutdated"]), (&json!("Failed"), &json!(true)));
    assert_eq!(pdf["problem"], "The document was changed after it was signed.");

    // A text is signed as it is shown.
    let change = signed_document::ActiveModel {
        id: Set(row.id),
        source_blob_id: Set(row.source_blob_id),
        ..Default::default()
    };
    change.update(app.store.db()).await.expect("a change");
    let file = json!({ "id": row.attachment_id });
    client.post(&pdf_path(&draft, &file, "/retry"), &json!({})).await.ok();
    app.drain().await;
    let answer = client.get(&pdf_path(&draft, &file, "")).await;
    assert_eq!(pdfsig(&answer.body).matches("Signature is Valid.").count(), 1);
    app.finish().await;
}

/// What is not a PDF is signed as the signer saw it: the bytes of the preview, and never without one.
#[tokio::test]
async fn the_preview_that_the_signer_saw_is_signed() {
    let app = TestApp::start(Db::sqlite()).await;
    let summit = app.practice("summit").await;
    let client = &summit.client;
    let draft = client.draft(testkit::document(&summit.address, &[&summit.address], "Plan")).await;
    client.upload(&draft, "Plan.txt", "A plan of treatment".into(), meta()).await;
    client.post(&signers(&draft, ""), &json!({ "signers": [summit.user.id] })).await.ok();
    let file = message(client, &draft).await["attachments"][0].clone();
    let id: Uuid = text(&file, "id").parse().expect("an id");
    let none = attachment::ActiveModel {
        id: Set(id),
        pdf_blob_id: Set(None),
        preview_state: Set(PreviewState::NotRequested),
        ..Default::default()
    };
    none.update(app.store.db()).await.expect("a change");
    let unseen = client.get(&signers(&draft, "")).await.ok()["documents"].clone();
    let path = signers(&draft, "/sign");
    let refused = client.post(&path, &given(&unseen, PASSWORD, typed("Ola Ng"))).await.problem(409);
    assert!(text(&refused, "message").contains("preview"), "{refused}");
    // The refusal had the preview made: nobody has seen it yet.
    app.drain().await;
    client.post(&path, &given(&unseen, PASSWORD, typed("Ola Ng"))).await.problem(409);
    let shown = get_as(client, &file_path(&draft, text(&file, "id")), "application/pdf").await;
    sign(client, &draft, typed("Ola Ng")).await;
    app.advance(Duration::minutes(3));
    app.drain().await;
    let signed = client.get(&pdf_path(&draft, &file, "")).await;
    assert!(signed.body.starts_with(&shown.body), "byte by byte");
    assert_eq!(pdfsig(&signed.body).matches("Signature is Valid.").count(), 1);
    app.finish().await;
}

/// A signature waits an hour for its timestamp, and does without it afterwards.
#[tokio::test]
async fn a_document_is_signed_without_a_timestamp_if_the_authority_does_not_answer() {
    let options = Options {
        // Nothing on this machine may be called.
        configure: Some(Box::new(|config| {
            config.signatures.timestamp_url = "http://127.0.0.1:9/".parse().ok();
        })),
        ..Options::default()
    };
    let (app, _larkfield, summit, _colleague, id, file) = asked_both(Db::sqlite(), options).await;
    sign(&summit.client, &id, typed("Ola Ng")).await;
    app.drain().await;
    let view = summit.client.get(&signers(&id, "")).await.ok();
    assert_eq!(view["signedPdfs"][0]["state"], "Making");
    app.advance(Duration::minutes(61));
    app.drain().await;
    summit.client.enter(&summit.user).await;
    let view = summit.client.get(&signers(&id, "")).await.ok();
    let pdf = &view["signedPdfs"][0];
    assert_eq!((&pdf["state"], &pdf["lacksTimestamp"]), (&json!("Ready"), &json!(true)));
    let said = pdfsig(&summit.client.get(&pdf_path(&id, &file, "")).await.body);
    assert_eq!(said.matches("Signature is Valid.").count(), 1, "{said}");
    app.finish().await;
}

/// A certificate that is issued late is valid at the time of the signature all the same.
#[tokio::test]
async fn the_certificate_begins_before_the_signature() {
    let (app, _larkfield, summit, colleague, id, _file) = asked_both(Db::sqlite(), Options::default()).await;
    sign(&summit.client, &id, typed("Ola Ng")).await;
    let signed_at = app.clock.now();
    app.advance(Duration::hours(5));
    app.drain().await;
    assert_eq!(signed_pdfs(&app).await[0].state, SigningState::Ready);
    let rows = signing_certificate::Entity::find().all(app.store.db()).await.expect("certificates");
    assert!(rows.len() == 1 && rows[0].not_before < signed_at, "{:?}", rows[0].not_before);
    assert!(rows[0].not_after > app.clock.now() + Duration::days(700));
    drop(colleague);
    app.finish().await;
}

/// The signed PDF of a restricted document is restricted.
#[tokio::test]
async fn a_signed_pdf_is_as_restricted_as_its_document() {
    let (app, _larkfield, summit, colleague, id, file) = asked_both(Db::sqlite(), Options::default()).await;
    sign(&summit.client, &id, typed("Ola Ng")).await;
    app.drain().await;
    let path = file_path(&id, text(&file, "id"));
    let version =
        summit.client.get(&format!("{path}/metadata")).await.ok()["attachmentMeta"]["version"].clone();
    let said = json!({ "attachmentMeta": { "confidentiality": "VeryRestricted" }, "version": version });
    summit.client.put(&path, &said).await.ok();
    let download = pdf_path(&id, &file, "");
    assert!(colleague.get(&download).await.status.is_success());
    let admin = app.signed_in(Role::Admin, &summit.organization).await;
    let person = summit.client.get(&signers(&id, "")).await.ok()["items"][1]["signer"]["id"].clone();
    let account = format!("/api/users/{}", person.as_str().expect("an id"));
    let mut form = admin.get(&account).await.ok();
    form["permissions"]["openRestricted"] = false.into();
    admin.put(&account, &form).await.ok();
    assert_eq!(colleague.get(&download).await.problem(403)["message"], platform::error::RESTRICTED);
    app.finish().await;
}
