//! Documents that name a patient other than the one under which they are sent, signed or answered.

use crate::support::*;
use serde_json::json;
use testkit::{Db, PASSWORD, Practice, TestApp, document};

const FIELD: &str = "acceptsPatient";

/// A draft about Rosa Lindqvist with a document about somebody else, which was already read.
async fn about_another(app: &TestApp, from: &Practice, to: &str) -> String {
    let id = from.client.draft(document(&from.address, &[to], "Wrong document")).await;
    let rosa =
        json!({ "firstName": "Rosa", "lastName": "Lindqvist", "birthDate": "1988-02-01", "gender": "F" });
    let version = from.client.get(&format!("/api/messages/{id}")).await.ok()["draftVersion"].clone();
    let change = json!({ "patient": rosa, "draftVersion": version });
    from.client.put(&format!("/api/messages/{id}"), &change).await.ok();
    from.client.upload(&id, "Summary.xml", ccd(), meta()).await;
    app.drain().await;
    id
}

#[tokio::test]
async fn a_document_that_names_another_patient_is_sent_only_once_a_person_saw_both() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = about_another(&app, &larkfield, &summit.address).await;
    let send = format!("/api/messages/{id}/send");
    let refused = larkfield.client.post(&send, &json!({})).await;
    assert_eq!(refused.texts(FIELD), ["The document and the patient differ. Please check both."]);
    let path = format!("/api/messages/{id}/patient/differences");
    let differing = larkfield.client.get(&path).await.ok();
    assert_eq!(text(&differing["items"][0], "fileName"), "Summary.xml");
    assert_eq!(larkfield.client.get(&format!("/api/messages/{id}")).await.ok()["isDraft"], true);
    larkfield.client.post(&send, &json!({ "acceptsPatient": true })).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn a_document_that_names_another_patient_is_signed_only_once_the_signer_saw_both() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = about_another(&app, &larkfield, &summit.address).await;
    let path = format!("/api/messages/{id}/signers");
    let file = message(&larkfield.client, &id).await["attachments"][0].clone();
    get_as(&larkfield.client, &file_path(&id, text(&file, "id")), "application/pdf").await;
    app.drain().await;
    larkfield.client.post(&path, &json!({ "signers": [larkfield.user.id] })).await.ok();
    let documents = larkfield.client.get(&path).await.ok()["documents"].clone();
    let mut proof = json!({
        "documents": documents, "password": PASSWORD, "consents": true,
        "signature": { "kind": "typed", "text": "Ola Ng" },
    });
    let refused = larkfield.client.post(&format!("{path}/sign"), &proof).await;
    assert_eq!(refused.texts(FIELD), ["The document and the patient differ. Please check both."]);
    proof[FIELD] = json!(true);
    larkfield.client.post(&format!("{path}/sign"), &proof).await.ok();
    app.finish().await;
}

#[tokio::test]
async fn what_was_read_of_a_document_goes_along_with_its_copy() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let id = about_another(&app, &larkfield, &summit.address).await;
    let send = |id: &str| format!("/api/messages/{id}/send");
    larkfield.client.post(&send(&id), &json!({ "acceptsPatient": true })).await.ok();
    app.drain().await;
    let copy = larkfield.client.post(&format!("/api/messages/{id}/copy"), &json!({})).await.ok();
    let path = format!("/api/messages/{}/patient/differences", text(&copy, "id"));
    let differing = larkfield.client.get(&path).await.ok();
    assert_eq!(text(&differing["items"][0], "fileName"), "Summary.xml");
    app.finish().await;
}
