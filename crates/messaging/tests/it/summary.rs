//! The delivery summary of a sent message.

use crate::{
    faults::{Harm, POINTS},
    support::*,
};
use reqwest::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set};
use serde_json::json;
use store::entities::organization;
use testkit::{Db, Options, Organization, Practice, Role, TestApp};
use workflow::probe::Verdict;

testkit::on_both_databases! {
    wherever_a_worker_dies_a_summary_comes_once,
    whichever_run_is_repeated_a_summary_comes_once,
}

async fn practices(app: &TestApp) -> (Practice, Practice) {
    (app.practice("larkfield").await, app.practice("summit").await)
}

fn summary(id: &str) -> String {
    format!("/api/messages/{id}/deliverysummary")
}

async fn ask(practice: &Practice, id: &str) {
    let path = format!("{}/sendtointake", summary(id));
    let answer = practice.client.send(practice.client.request(Method::POST, &path)).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
}

async fn offer(app: &TestApp, organization: &Organization) {
    let settings = json!({ "interoperability": { "deliverySummaryEnableDownload": true } });
    let row =
        organization::ActiveModel { id: Set(organization.id), settings: Set(settings), ..Default::default() };
    row.update(app.store.db()).await.expect("an organization");
}

fn words(pdf: &[u8]) -> String {
    documents::pdf::text(pdf).expect("a PDF with text").join(" ")
}

/// SES-C-049, SES-R-199, MSG-C-021
#[tokio::test]
async fn a_delivery_summary_comes_into_the_intake_of_the_sender() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = practices(&app).await;
    let nobody = "nobody@summit.direct.carepost.example";
    let to = [summit.address.as_str(), nobody];
    let sent = larkfield.client.send_document(&larkfield.address, &to, "Knee pain").await;
    app.drain().await;
    assert_eq!(message(&larkfield.client, &sent).await["isReadyForDeliverySummary"], true);
    ask(&larkfield, &sent).await;
    app.drain().await;

    let came = only_message(&larkfield.client).await;
    assert_eq!(came["subject"], "Delivery summary: Knee pain");
    assert_eq!((&came["sourceType"], &came["isRead"]), (&json!("Upload"), &json!(false)));
    assert_eq!(came["patient"]["lastName"], message(&larkfield.client, &sent).await["patient"]["lastName"]);
    let file = &came["attachments"][0];
    assert_eq!(file["fileName"], "Delivery summary.pdf");
    assert_eq!(
        subjects(&larkfield.client, json!({ "filter": "knee" })).await,
        ["Delivery summary: Knee pain"]
    );
    let path = file_path(text(&came, "id"), text(file, "id"));
    let pdf = larkfield.client.send(larkfield.client.request(Method::GET, &path)).await;
    let words = words(&pdf.body);
    for said in [
        "larkfield practice",
        "Knee pain",
        "summit practice",
        &summit.address,
        "Delivered",
        nobody,
        "Failed",
        "Note.txt",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
    app.finish().await;
}

/// SES-C-048, SES-R-202, MSG-C-013, MSG-R-387
#[tokio::test]
async fn a_delivery_summary_is_downloaded_where_the_organization_offers_it() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = practices(&app).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Knee pain").await;
    app.drain().await;
    let refused = larkfield.client.get(&summary(&sent)).await.problem(409);
    assert_eq!(refused["message"], "Your organization does not offer delivery summaries for download.");
    offer(&app, &larkfield.organization).await;
    let answer = larkfield.client.send(larkfield.client.request(Method::GET, &summary(&sent))).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type").as_str()), (200, "application/pdf"));
    assert!(words(&answer.body).contains("Delivered"));
    let entries = audit_of(&app, sent.parse().expect("an id")).await;
    assert_eq!(entries.iter().filter(|entry| entry.event_type == "Downloaded").count(), 1);
    app.finish().await;
}

#[tokio::test]
async fn before_a_message_has_left_there_is_no_summary() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = practices(&app).await;
    offer(&app, &larkfield.organization).await;
    let draft =
        larkfield.client.draft(testkit::document(&larkfield.address, &[&summit.address], "Not yet")).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Under way").await;
    assert_eq!(message(&larkfield.client, &sent).await["isReadyForDeliverySummary"], false);
    for (id, status) in [(&draft, 404), (&sent, 409)] {
        larkfield.client.get(&summary(id)).await.problem(status);
        larkfield.client.post(&format!("{}/sendtointake", summary(id)), &json!({})).await.problem(status);
    }
    app.drain().await;
    assert_eq!(intake(&larkfield.client, json!({})).await["items"], json!([]));
    app.finish().await;
}

async fn wherever_a_worker_dies_a_summary_comes_once(db: Db) {
    sweep(db, Verdict::Crash).await;
}

async fn whichever_run_is_repeated_a_summary_comes_once(db: Db) {
    sweep(db, Verdict::RunTwice).await;
}

async fn sweep(db: Db, verdict: Verdict) {
    let harm = Harm::new(verdict);
    let app = TestApp::start_with(db, Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, summit) = practices(&app).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Harmed").await;
    app.drain().await;
    for (number, point) in POINTS.into_iter().enumerate() {
        harm.arm("MakeDeliverySummary", point, 0);
        larkfield.client.enter(&larkfield.user).await;
        ask(&larkfield, &sent).await;
        pass(&app, chrono::Duration::minutes(6)).await;
        assert!(harm.was_done(), "it came to {point:?}");
        larkfield.client.enter(&larkfield.user).await;
        assert_eq!(subjects(&larkfield.client, json!({})).await.len(), number + 1, "{point:?}");
    }
    app.finish().await;
}

#[tokio::test]
async fn nobody_else_learns_what_became_of_a_message() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit) = practices(&app).await;
    let sent = larkfield.client.send_document(&larkfield.address, &[&summit.address], "Private").await;
    app.drain().await;
    let received = only(&intake(&summit.client, json!({})).await);
    for organization in [&larkfield.organization, &summit.organization] {
        offer(&app, organization).await;
    }
    let operator = app.signed_in(Role::SysAdmin, &larkfield.organization).await;
    for (client, id, status) in
        [(&summit.client, &sent, 404), (&summit.client, &received, 404), (&operator, &sent, 403)]
    {
        client.get(&summary(id)).await.problem(status);
        client.post(&format!("{}/sendtointake", summary(id)), &json!({})).await.problem(status);
    }
    app.finish().await;
}
