//! The accounting of disclosures of a patient.

use chrono::Duration;
use serde_json::{Value, json};
use testkit::{Client, Db, TestApp};

testkit::on_both_databases! {
    a_patient_gets_an_account_of_six_years_to_whom_documents_went,
}

const PATH: &str = "/api/patients/disclosures";
const HEADS: &str =
    "Time,Recipient,Address,State,Patient,Subject,Files,Reason for disclosure,Sent by,Message ID";

fn marisol() -> Value {
    json!({ "lastName": "Tenney", "firstName": "Marisol", "birthDate": "1961-03-14" })
}

/// The lines of an accounting without headers.
async fn lines(client: &Client, form: &Value) -> Vec<String> {
    let text = client.post(PATH, form).await.text();
    let mut lines = text.split("\r\n").filter(|line| !line.is_empty());
    assert_eq!(lines.next(), Some(HEADS));
    lines.map(str::to_owned).collect()
}

async fn a_patient_gets_an_account_of_six_years_to_whom_documents_went(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit) = (app.practice("larkfield").await, app.practice("summit").await);
    let client = &larkfield.client;
    let id = client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    client.draft(testkit::document(&larkfield.address, &[&summit.address], "Only a draft")).await;
    app.drain().await;

    let found = lines(client, &marisol()).await;
    assert_eq!(found.len(), 1, "drafts went to nobody: {found:?}");
    for part in [summit.address.as_str(), "Tenney", "Knee pain", "Note.txt", id.as_str()] {
        assert!(found[0].contains(part), "{part}: {}", found[0]);
    }
    let mut other = marisol();
    other["birthDate"] = json!("1961-03-15");
    assert!(lines(client, &other).await.is_empty(), "somebody else of this name");
    for near in [json!({ "firstName": "Marysol" }), json!({ "lastName": "Tenne" })] {
        let mut form = marisol();
        form.as_object_mut().expect("a form").extend(near.as_object().expect("a name").clone());
        assert!(lines(client, &form).await.is_empty(), "a name that is like it is another's: {form}");
    }
    let paper = client.post(&format!("{PATH}?asPdf=true"), &marisol()).await;
    assert_eq!((paper.status.as_u16(), paper.header("content-type").as_str()), (200, "application/pdf"));
    let pages = documents::pdf::text(&paper.body).expect("a PDF");
    for words in ["Patient: Marisol Tenney, born 03/14/1961", "Knee pain, Note.txt", "Page 1 of 1"] {
        assert!(pages[0].contains(words), "{words}: {pages:?}");
    }
    assert!(lines(&summit.client, &marisol()).await.is_empty(), "another organization's disclosures");
    let problem = client.post(PATH, &json!({ "lastName": "Tenney", "firstName": "" })).await.problem(422);
    assert!(problem["modelState"]["firstName"].is_array() && problem["modelState"]["birthDate"].is_array());

    client.delete(&format!("/api/messages/{id}")).await.ok();
    let found = lines(client, &marisol()).await;
    assert_eq!(found.len(), 1, "it went out all the same: {found:?}");
    assert!(found[0].contains("Note.txt") && found[0].contains(id.as_str()), "{}", found[0]);
    assert!(lines(client, &other).await.is_empty(), "a deleted message of somebody else");

    app.advance(Duration::days(6 * 366));
    let later = app.browser_of(&larkfield.user).await;
    assert!(lines(&later, &marisol()).await.is_empty(), "six years are over");
    app.finish().await;
}
