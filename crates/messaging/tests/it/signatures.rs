//! Requests for signatures under the documents of a message: notifications, the signed files, and who sees them.

use crate::support::*;
use chrono::Duration;
use platform::{Role, audit::event};
use serde_json::{Value, json};
use testkit::{Client, Db, PASSWORD, Practice, TestApp, User};

testkit::on_both_databases! {
    a_colleague_signs_the_bytes_that_they_looked_at,
    a_request_is_declined_with_a_reason_or_taken_back,
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
    let form = |documents: &Value, password: &str| json!({ "documents": documents, "password": password });
    let sign = signers(&id, "/sign");
    assert!(!colleague.post(&sign, &form(&seen["documents"], "guess")).await.texts("password").is_empty());
    assert!(
        !colleague.post(&sign, &json!({ "documents": seen["documents"] })).await.texts("password").is_empty()
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
    let form = json!({ "documents": asked["documents"], "code": "000000" });
    assert!(!summit.client.post(&signers(&draft, "/sign"), &form).await.texts("code").is_empty());
    app.finish().await;
}
