//! Faxes cancelled by their sender: while waiting, while being submitted, and at the provider.

use crate::{
    faults::Harm,
    fax::{BUSY, SUMMIT, fax, only_fax, outcomes, pass_with_arrivals, two},
    fax_services::{JOB, WESTFAX, efax_number, link, start, westfax_account},
    support::*,
};
use chrono::Duration;
use sea_orm::{EntityTrait, sea_query::Expr};
use serde_json::{Value, json};
use store::entities::{fax_attempt, fax_job, workflow_step};
use testkit::{Db, Options, Practice, Role, TestApp};
use workflow::probe::{Point, Verdict};

testkit::on_both_databases! {
    a_fax_that_waits_for_its_line_leaves_its_place_to_the_next,
    a_process_that_dies_after_the_wish_loses_nothing,
}

async fn try_cancel(practice: &Practice, sent: &str) -> testkit::Answer {
    let id = text(&only_fax(practice, sent).await, "deliveryId").to_owned();
    practice.client.post(&format!("/api/messages/{sent}/fax/{id}/cancel"), &json!({})).await
}

/// Cancels the only fax of a message, and returns its state.
async fn cancel(practice: &Practice, sent: &str) -> Value {
    try_cancel(practice, sent).await.ok()["items"][0].clone()
}

/// Time passes, providers are polled, and people sign in again.
async fn later(app: &TestApp, people: &[&Practice], time: Duration) {
    pass_with_arrivals(app, time).await;
    for practice in people {
        practice.client.enter(&practice.user).await;
    }
}

const CANCELLED: &str = "The fax was cancelled.";
const TOO_LATE: &str = "The fax was delivered before it could be cancelled.";

/// The recipient is shown as failed, and nothing is left to do.
async fn assert_cancelled(app: &TestApp, practice: &Practice, sent: &str, reason: &str) {
    let view = message(&practice.client, sent).await;
    let delivery = &view["deliveries"][0];
    assert_eq!((text(delivery, "state"), text(delivery, "reason")), ("Failed", reason));
    assert_eq!(view["status"], "Failed");
    let open = fax_attempt::Entity::find().all(app.store.db()).await.expect("attempts");
    assert!(open.iter().all(|a| a.ended_at.is_some()), "no line is left in use");
    let steps = workflow_step::Entity::find().all(app.store.db()).await.expect("steps");
    let id: uuid::Uuid = text(&view, "workflowId").parse().expect("an id");
    let of_fax: Vec<_> = steps.iter().filter(|s| s.workflow_id == id).collect();
    assert!(of_fax.iter().all(|s| s.ended_at.is_some()), "the workflow has ended: {of_fax:?}");
}

#[tokio::test]
async fn a_fax_that_waits_for_its_next_call_never_starts() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::minutes(1)).await;
    assert_eq!(only_fax(&larkfield, &sent).await["canCancel"], true);
    let fax = cancel(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), &fax["nextAt"]), (CANCELLED, &Value::Null));
    assert_eq!((&fax["canCancel"], &fax["canSendAgain"]), (&json!(false), &json!(true)));
    app.drain().await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    pass(&app, Duration::minutes(40)).await;
    larkfield.client.enter(&larkfield.user).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Busy"], "it is not called again");
    let id = sent.parse().expect("an id");
    assert_eq!(events(&app, id).await, ["Bounced"]);
    let acts = audit_of(&app, id).await;
    assert!(acts.iter().any(|a| a.event_type == "Changed" && a.detail.contains("cancelled")));
    app.finish().await;
}

async fn a_fax_that_waits_for_its_line_leaves_its_place_to_the_next(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, _, _) = two(&app).await;
    let first = fax(&larkfield, SUMMIT, "First").await;
    app.drain().await;
    let second = fax(&larkfield, SUMMIT, "Second").await;
    app.drain().await;
    let third = fax(&larkfield, SUMMIT, "Third").await;
    app.drain().await;
    let waiting = only_fax(&larkfield, &second).await;
    assert_eq!(text(&waiting, "now"), "The line is in use by another fax.");
    cancel(&larkfield, &second).await;
    later(&app, &[&larkfield], Duration::minutes(10)).await;
    assert_cancelled(&app, &larkfield, &second, CANCELLED).await;
    assert_eq!(only_fax(&larkfield, &second).await["attempts"], json!([]));
    for sent in [&first, &third] {
        assert_eq!(text(&only_fax(&larkfield, sent).await, "now"), "Delivered");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_dials_is_cancelled_at_the_provider() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "Not for them").await;
    app.drain().await;
    let fax = cancel(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), &fax["canCancel"]), ("Cancelling", &json!(false)));
    app.drain().await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Cancelled"]);
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]), "nothing arrived");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_whose_pages_are_not_made_yet_never_starts() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "At once").await;
    assert_eq!(text(&cancel(&larkfield, &sent).await, "now"), CANCELLED);
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    assert_eq!(only_fax(&larkfield, &sent).await["attempts"], json!([]));
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]));
    app.finish().await;
}

#[tokio::test]
async fn a_call_that_was_answered_goes_on_and_the_sender_reads_why() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "On its way").await;
    pass(&app, Duration::seconds(4)).await;
    assert!(text(&only_fax(&larkfield, &sent).await, "now").starts_with("Sending page 1"));
    let words = "The fax could not be cancelled and continues. The call was answered already.";
    assert_eq!(text(&try_cancel(&larkfield, &sent).await.problem(409), "message"), words);
    let fax = only_fax(&larkfield, &sent).await;
    assert!(text(&fax, "now").starts_with("Sending page 1"), "its state is as it was: {fax}");
    assert_eq!((text(&fax, "cancelProblem"), &fax["canCancel"]), (words, &json!(true)));
    let acts = audit_of(&app, sent.parse().expect("an id")).await;
    assert!(acts.iter().any(|a| a.outcome == "Failure" && a.detail.contains("cancelled")));
    later(&app, &[&larkfield], Duration::minutes(5)).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), text(&fax, "cancelProblem")), ("Delivered", TOO_LATE));
    app.finish().await;
}

#[tokio::test]
async fn what_was_delivered_or_failed_cannot_be_cancelled() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "There").await;
    later(&app, &[&larkfield], Duration::minutes(5)).await;
    let problem = try_cancel(&larkfield, &sent).await.problem(409);
    assert_eq!(text(&problem, "message"), "This fax is no longer being sent.");
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    let failed = fax(&larkfield, BUSY, "Busy").await;
    pass(&app, Duration::minutes(1)).await;
    cancel(&larkfield, &failed).await;
    try_cancel(&larkfield, &failed).await.problem(409);
    app.finish().await;
}

#[tokio::test]
async fn the_reason_names_the_pages_that_were_confirmed() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let cut = "+17405550199";
    app.fax_number(&summit.organization, cut).await;
    let sent = fax(&larkfield, cut, "Cut").await;
    pass(&app, Duration::minutes(1)).await;
    let waiting = only_fax(&larkfield, &sent).await;
    assert_eq!(outcomes(&waiting), ["RemoteHangUp"]);
    let (confirmed, pages) = (&waiting["confirmedPages"], &waiting["pages"]);
    assert!(confirmed.as_i64().is_some_and(|n| n > 1), "half of {pages}: {confirmed}");
    cancel(&larkfield, &sent).await;
    app.drain().await;
    let reason = format!("The fax was cancelled after {confirmed} of {pages} pages were confirmed.");
    assert_cancelled(&app, &larkfield, &sent, &reason).await;
    app.finish().await;
}

#[tokio::test]
async fn nobody_cancels_faxes_of_others() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, BUSY, "Ours").await;
    pass(&app, Duration::minutes(1)).await;
    let waiting = only_fax(&larkfield, &sent).await;
    let path = format!("/api/messages/{sent}/fax/{}/cancel", text(&waiting, "deliveryId"));
    summit.client.post(&path, &json!({})).await.problem(404);
    let colleague = app.signed_in(Role::User, &larkfield.organization).await;
    let problem = colleague.post(&path, &json!({})).await.problem(409);
    assert_eq!(text(&problem, "message"), "You cannot send from this fax number.");
    let seen = colleague.get(&format!("/api/messages/{sent}/fax")).await.ok();
    assert_eq!(seen["items"][0]["canCancel"], false);
    let nothing = format!("/api/messages/{sent}/fax/{}/cancel", uuid::Uuid::now_v7());
    larkfield.client.post(&nothing, &json!({})).await.problem(404);
    assert_eq!(only_fax(&larkfield, &sent).await["nextAt"], waiting["nextAt"], "it waits as before");
    pass(&app, Duration::minutes(40)).await;
    app.finish().await;
}

#[tokio::test]
async fn a_cancelled_fax_is_sent_again_when_its_sender_decides_so() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "After all").await;
    app.drain().await;
    cancel(&larkfield, &sent).await;
    app.drain().await;
    let id = text(&only_fax(&larkfield, &sent).await, "deliveryId").to_owned();
    larkfield.client.post(&format!("/api/messages/{sent}/fax/{id}/again"), &json!({})).await.ok();
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), outcomes(&fax)), ("Delivered", vec!["Cancelled", "Delivered"]));
    // Right away, before the step of the first sending has noticed that there is nothing to do.
    let sent = self::fax(&larkfield, SUMMIT, "Twice decided").await;
    cancel(&larkfield, &sent).await;
    let id = text(&only_fax(&larkfield, &sent).await, "deliveryId").to_owned();
    larkfield.client.post(&format!("/api/messages/{sent}/fax/{id}/again"), &json!({})).await.ok();
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Delivered"], "it is sent once");
    let came = intake(&summit.client, json!({})).await;
    assert_eq!(came["items"].as_array().map(Vec::len), Some(2));
    app.finish().await;
}

/// The request in the database, before the provider has received it.
async fn wish_without_a_provider(app: &TestApp) {
    fax_job::Entity::update_many()
        .col_expr(fax_job::Column::CancelAt, Expr::value(app.clock.now()))
        .exec(app.store.db())
        .await
        .expect("a wish");
}

async fn a_process_that_dies_after_the_wish_loses_nothing(db: Db) {
    let app = TestApp::start(db).await;
    let (larkfield, summit, _) = two(&app).await;
    let sent = fax(&larkfield, SUMMIT, "Dead in between").await;
    app.drain().await;
    wish_without_a_provider(&app).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Cancelling");
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    assert_eq!(intake(&summit.client, json!({})).await["items"], json!([]));
    // Interrupted after the provider has refused to cancel: the fax continues, and the reason is shown.
    let sent = fax(&larkfield, SUMMIT, "Too late to ask").await;
    pass(&app, Duration::seconds(4)).await;
    wish_without_a_provider(&app).await;
    pass(&app, Duration::seconds(2)).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert!(text(&fax, "cancelProblem").ends_with("The call was answered already."), "{fax}");
    later(&app, &[&larkfield, &summit], Duration::minutes(5)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn a_fax_that_arrives_while_it_is_cancelled_is_delivered() {
    let harm = Harm::new(Verdict::Crash);
    let app =
        TestApp::start_with(Db::sqlite(), Options { probe: Some(harm.clone()), ..Options::default() }).await;
    let (larkfield, _, _) = two(&app).await;
    // The provider has it, and the process that submitted it has crashed.
    harm.arm("SubmitFax", Point::BeforeCommit, 0);
    let sent = fax(&larkfield, SUMMIT, "Handed over").await;
    app.drain().await;
    assert!(harm.was_done());
    assert_eq!(text(&cancel(&larkfield, &sent).await, "now"), "Cancelling");
    later(&app, &[&larkfield], Duration::minutes(10)).await;
    larkfield.client.enter(&larkfield.user).await;
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), outcomes(&fax)), ("Delivered", vec!["Delivered"]));
    assert_eq!(text(&fax, "cancelProblem"), TOO_LATE);
    app.finish().await;
}

#[tokio::test]
async fn a_fax_for_a_provider_that_is_down_is_never_handed_over() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    efax_number(&app, &service, &larkfield, &admin).await;
    service.says("POST /faxes", 429, json!({}));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::minutes(5)).await;
    cancel(&larkfield, &sent).await;
    app.drain().await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    let asked = service.bodies("POST /faxes").len();
    pass(&app, Duration::hours(2)).await;
    assert_eq!(service.bodies("POST /faxes").len(), asked, "the provider is left in peace");
    app.finish().await;
}

#[tokio::test]
async fn where_the_provider_cannot_cancel_the_fax_goes_on() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    admin.put(WESTFAX, &westfax_account()).await.ok();
    let synced = admin.post(&format!("{WESTFAX}/sync"), &json!({})).await.ok();
    link(&app, &larkfield, &synced["added"][0]).await;
    service.westfax("Fax_SendFax", json!(JOB));
    let described = |status: &str, result: &str, pages: u64| json!([{ "Id": JOB, "Status": status, "FaxCallInfoList": [{ "Result": result, "CallPageCount": pages }] }]);
    service.westfax("Fax_GetFaxDescriptionsUsingIds", described("Production", "", 0));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::minutes(1)).await;
    let words =
        "The fax could not be cancelled and continues. A fax at WestFax can only be cancelled at WestFax.";
    assert_eq!(text(&try_cancel(&larkfield, &sent).await.problem(409), "message"), words);
    let fax = only_fax(&larkfield, &sent).await;
    assert_eq!((text(&fax, "now"), text(&fax, "cancelProblem")), ("Dialling", words));
    let pages = fax["pages"].as_u64().expect("pages");
    service.westfax("Fax_GetFaxDescriptionsUsingIds", described("Complete", "Sent", pages));
    pass(&app, Duration::minutes(1)).await;
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Delivered");
    app.finish().await;
}

#[tokio::test]
async fn efax_cancels_and_what_it_leaves_unanswered_goes_on() {
    let (app, service, larkfield, admin) = start(Db::sqlite()).await;
    efax_number(&app, &service, &larkfield, &admin).await;
    service.says("POST /faxes", 201, json!([{ "fax_id": JOB, "destination_fax_number": "17405550120" }]));
    let details = format!("GET /faxes/{JOB}/transmission-details");
    let state = |state: &str| json!({ "fax_id": JOB, "transmission_data": { "transmission_status": state } });
    service.says(&details, 200, state("INPROGESS"));
    let sent = fax(&larkfield, SUMMIT, "Visit note").await;
    pass(&app, Duration::minutes(1)).await;
    let problem = try_cancel(&larkfield, &sent).await.problem(409);
    assert!(text(&problem, "message").contains("the provider did not answer"), "{problem}");
    assert_eq!(text(&only_fax(&larkfield, &sent).await, "now"), "Dialling");

    service.says(&format!("POST /faxes/{JOB}/cancel"), 200, json!({}));
    service.says(&details, 200, state("CANCELED"));
    cancel(&larkfield, &sent).await;
    pass(&app, Duration::minutes(1)).await;
    assert_cancelled(&app, &larkfield, &sent, CANCELLED).await;
    assert_eq!(outcomes(&only_fax(&larkfield, &sent).await), ["Cancelled"]);
    app.finish().await;
}
