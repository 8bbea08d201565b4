//! Faxes without patient data.

use crate::{
    fax::{LARKFIELD, SUMMIT, confirming, only_fax, pass_with_arrivals, two},
    support::*,
};
use chrono::Duration;
use serde_json::{Value, json};
use testkit::{Db, Practice, Role, TestApp, document};

fn form(to: &[&str]) -> Value {
    json!({ "isNonPatient": true, "subject": "Opening hours", "fromAddress": LARKFIELD, "toAddresses": to })
}

async fn draft(practice: &Practice, form: Value) -> String {
    let draft = practice.client.draft(form).await;
    practice.client.upload(&draft, "Opening hours.pdf", note_pdf(), json!({})).await;
    draft
}

/// MSG-R-110, MSG-R-138, MSG-R-315, MSG-R-316, MSG-R-317
#[tokio::test]
async fn a_fax_without_a_patient_needs_a_number_a_subject_and_a_file_only() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let id = draft(&larkfield, form(&["(740) 555-0120"])).await;
    let path = format!("/api/messages/{id}/send");
    let problem = larkfield.client.post(&path, &json!({})).await.problem(422);
    assert_eq!(problem["modelState"].as_object().map(|fields| fields.len()), Some(1), "{problem}");
    assert!(problem["modelState"]["confirmedFaxNumbers"].is_array(), "a new number is confirmed");
    larkfield.client.post(&path, &confirming(&[SUMMIT])).await.ok();
    pass_with_arrivals(&app, Duration::minutes(5)).await;
    assert_eq!(text(&only_fax(&larkfield, &id).await, "now"), "Delivered");
    let view = message(&larkfield.client, &id).await;
    assert_eq!((text(&view, "origin"), &view["patient"]), ("Carepost non-patient", &Value::Null));
    assert_eq!(only_message(&summit.client).await["sourceType"], "Fax");
    app.finish().await;
}

/// MSG-R-318, MSG-T-069
#[tokio::test]
async fn what_a_fax_without_a_patient_lacks_is_said_at_its_fields() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let empty = larkfield.client.draft(json!({ "isNonPatient": true })).await;
    let problem =
        larkfield.client.post(&format!("/api/messages/{empty}/send"), &json!({})).await.problem(422);
    assert_eq!(
        problem["modelState"],
        json!({
            "attachments": ["Missing file attachment."],
            "fromAddress": ["\"From\" address is required."],
            "subject": ["\"Subject\" is required."],
            "toAddress": ["\"To\" address is required."],
        })
    );
    let mut wrong = form(&[&summit.address]);
    wrong["patient"] = json!({ "lastName": "Tenney" });
    let wrong = draft(&larkfield, wrong).await;
    let path = format!("/api/messages/{wrong}/send");
    let problem = larkfield.client.post(&path, &json!({})).await.problem(422);
    assert_eq!(problem["modelState"]["patient"][0], "A non-PHI fax cannot have a patient.");
    assert_eq!(problem["modelState"]["toAddress"][0], "A non-PHI fax can only go to fax numbers.");
    let emergency = draft(&larkfield, form(&["911"])).await;
    let path = format!("/api/messages/{emergency}/send");
    let problem = larkfield.client.post(&path, &confirming(&["911"])).await.problem(422);
    assert_eq!(problem["modelState"]["toAddress"][0], "911: Emergency numbers cannot be faxed to.");
    app.finish().await;
}

/// MSG-R-138
#[tokio::test]
async fn a_message_says_under_which_brand_it_was_sent() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let id = draft(&larkfield, document(LARKFIELD, &[SUMMIT], "With a patient")).await;
    assert_eq!(message(&larkfield.client, &id).await["origin"], Value::Null, "it was not sent yet");
    let file = message(&larkfield.client, &id).await["attachments"][0]["id"].clone();
    let mut send = confirming(&[SUMMIT]);
    send["attachments"] = json!([{ "id": file, "attachmentMeta": meta() }]);
    larkfield.client.post(&format!("/api/messages/{id}/send"), &send).await.ok();
    assert_eq!(message(&larkfield.client, &id).await["origin"], "Carepost");
    pass(&app, Duration::hours(1)).await;
    app.finish().await;
}

#[tokio::test]
async fn nobody_sends_a_fax_without_a_patient_from_a_number_that_is_not_theirs() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let mut foreign = form(&[SUMMIT]);
    foreign["fromAddress"] = json!(SUMMIT);
    let id = draft(&larkfield, foreign).await;
    let path = format!("/api/messages/{id}/send");
    let problem = larkfield.client.post(&path, &confirming(&[SUMMIT])).await.problem(422);
    assert_eq!(problem["modelState"]["fromAddress"][0], "You cannot send from this fax number.");
    summit.client.post(&path, &confirming(&[SUMMIT])).await.problem(404);
    let operator = app.signed_in(Role::SysAdmin, &larkfield.organization).await;
    operator.post(&path, &confirming(&[SUMMIT])).await.problem(403);
    app.finish().await;
}
